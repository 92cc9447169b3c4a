// Package panics turns panics into errors, for work outside of a request: a panic in any goroutine ends the program.
package panics

import (
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// Error is a panic that was recovered: its value, the line where it happened, and the stack.
type Error struct {
	Value any
	At    string // file and line
	Stack []byte
}

func (e *Error) Error() string {
	return fmt.Sprintf("panic: %v, at %s\n%s", e.Value, e.At, e.Stack)
}

// Unwrap returns the value of the panic if it is an error.
func (e *Error) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Recovered runs fn and returns its error, or an *Error if it panics.
func Recovered(fn func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &Error{Value: value, At: panickedAt(), Stack: debug.Stack()}
		}
	}()
	return fn()
}

// RecoveredValue is Recovered for a function with a result, which is the zero value if it panics.
func RecoveredValue[T any](fn func() (T, error)) (result T, err error) {
	err = Recovered(func() (err error) {
		result, err = fn()
		return err
	})
	return result, err
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
