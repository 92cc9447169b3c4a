package problem

import (
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// PanicError is a panic that was recovered: its value, the line where it happened, and the stack.
type PanicError struct {
	Value any
	At    string // file and line
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("panic: %v, at %s\n%s", e.Value, e.At, e.Stack)
}

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Recovered runs fn and turns a panic into a *PanicError. Use it for work outside of a request, since
// a panic in any goroutine ends the program.
func Recovered[T any](fn func() (T, error)) (result T, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{Value: value, At: panickedAt(), Stack: debug.Stack()}
		}
	}()
	return fn()
}

// panickedAt returns the line of the innermost call outside of the runtime, below the panic that is
// being recovered.
func panickedAt() string {
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	for panicked := false; ; {
		frame, more := frames.Next()
		if panicked && !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
		}
		panicked = panicked || frame.Function == "runtime.gopanic"
		if !more {
			return "an unknown line"
		}
	}
}
