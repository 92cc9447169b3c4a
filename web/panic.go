package web

import (
	"fmt"
	"runtime/debug"
)

// PanicError is a panic that was recovered: its value, and the stack where it happened.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }

// Unwrap returns the value of the panic where that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Recovered runs fn and turns a panic into a *PanicError. Work that runs outside of a request is
// run through it, since a panic in any goroutine ends the program.
func Recovered[T any](fn func() (T, error)) (result T, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	return fn()
}
