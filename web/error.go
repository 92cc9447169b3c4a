package web

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Code is the stable, machine-readable name of an error; clients branch on it.
type Code string

// The codes of the API. codeStatus gives each its HTTP status.
const (
	CodeNotStarted            Code = "not_started"
	CodeEnded                 Code = "ended"
	CodeOffline               Code = "offline"
	CodeSoldOut               Code = "sold_out"
	CodeSoldOutUnpaidPending  Code = "sold_out_unpaid_pending"
	CodeNoPermit              Code = "no_permit"
	CodePurchaseLimit         Code = "purchase_limit"
	CodePathInvalid           Code = "path_invalid"
	CodePathExpired           Code = "path_expired"
	CodeAddressRequired       Code = "address_required"
	CodeInvalidRequest        Code = "invalid_request"
	CodeIdempotencyKeyMissing Code = "idempotency_key_required"
	CodeIdempotencyKeyReused  Code = "idempotency_key_reused"
	CodeTaskNotFound          Code = "task_not_found"
	CodeNotFound              Code = "not_found"
	CodeNotCancellable        Code = "not_cancellable"
	CodeNotPayable            Code = "not_payable"
	CodeConflict              Code = "conflict"
	CodeTooLarge              Code = "too_large"
	CodeMethodNotAllowed      Code = "method_not_allowed"
	CodeUnsupportedMedia      Code = "unsupported_media_type"
	CodeOverloaded            Code = "overloaded"
	CodeUnavailable           Code = "unavailable"
	CodeUnauthorized          Code = "unauthorized"
	CodeForbidden             Code = "forbidden"
	CodeInternal              Code = "internal"
	CodeBadRequest            Code = "bad_request"       // not HTTP as this server reads it
	CodeHeadersTooLarge       Code = "headers_too_large" // the request line and its headers
	CodeRequestTimeout        Code = "request_timeout"   // the request came too slowly
)

var codeStatus = map[Code]int{
	CodeNotStarted:            http.StatusConflict,
	CodeEnded:                 http.StatusConflict,
	CodeOffline:               http.StatusConflict,
	CodeSoldOut:               http.StatusConflict,
	CodeSoldOutUnpaidPending:  http.StatusConflict,
	CodeNoPermit:              http.StatusConflict,
	CodePurchaseLimit:         http.StatusConflict,
	CodePathInvalid:           http.StatusForbidden,
	CodePathExpired:           http.StatusForbidden,
	CodeAddressRequired:       http.StatusUnprocessableEntity,
	CodeInvalidRequest:        http.StatusUnprocessableEntity,
	CodeIdempotencyKeyMissing: http.StatusUnprocessableEntity,
	CodeIdempotencyKeyReused:  http.StatusUnprocessableEntity,
	CodeTaskNotFound:          http.StatusNotFound,
	CodeNotFound:              http.StatusNotFound,
	CodeNotCancellable:        http.StatusConflict,
	CodeNotPayable:            http.StatusConflict,
	CodeConflict:              http.StatusConflict,
	CodeTooLarge:              http.StatusRequestEntityTooLarge,
	CodeMethodNotAllowed:      http.StatusMethodNotAllowed,
	CodeUnsupportedMedia:      http.StatusUnsupportedMediaType,
	CodeOverloaded:            http.StatusServiceUnavailable,
	CodeUnavailable:           http.StatusServiceUnavailable,
	CodeUnauthorized:          http.StatusUnauthorized,
	CodeForbidden:             http.StatusForbidden,
	CodeInternal:              http.StatusInternalServerError,
	CodeBadRequest:            http.StatusBadRequest,
	CodeHeadersTooLarge:       http.StatusRequestHeaderFieldsTooLarge,
	CodeRequestTimeout:        http.StatusRequestTimeout,
}

// Error is what every service returns when a caller shall know why: a code for machines and a
// sentence for people. Err, the cause, goes to the log and never to the client.
type Error struct {
	Code   Code
	Detail string // a sentence for people; no stack, SQL text or key name
	Fields []Field

	RetryAfter   time.Duration // sent as Retry-After, in whole seconds, when above 0
	RefreshAfter time.Duration // sent as refresh_after_ms when above 0
	TaskID       string        // sent as task_id when an outcome is unknown

	Err error
}

// Field says what is wrong with one field of the input; Name is its path in the JSON body.
type Field struct {
	Name   string `json:"field"`
	Detail string `json:"detail"`
}

// Errorf makes an Error from a code and a sentence for people.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// Invalid makes an invalid_request Error about one field.
func Invalid(field, format string, args ...any) *Error {
	detail := fmt.Sprintf(format, args...)
	return &Error{
		Code:   CodeInvalidRequest,
		Detail: field + ": " + detail,
		Fields: []Field{{Name: field, Detail: detail}},
	}
}

// maxFields is how many fields a problem names at most.
const maxFields = 20

// invalidFields makes an invalid_request Error about several fields; without any it is nil.
func invalidFields(wrong []Field) error {
	switch len(wrong) {
	case 0:
		return nil
	case 1:
		return Invalid(wrong[0].Name, "%s", wrong[0].Detail)
	}
	wrong = wrong[:min(len(wrong), maxFields)]
	return &Error{
		Code:   CodeInvalidRequest,
		Detail: fmt.Sprintf("%d fields are not valid.", len(wrong)),
		Fields: wrong,
	}
}

// Unavailable makes an unavailable Error whose cause is kept for the log.
func Unavailable(err error, detail string) *Error {
	return &Error{Code: CodeUnavailable, Detail: detail, RetryAfter: time.Second, Err: err}
}

// NotFound makes the not_found Error; what names the kind of thing, such as "order".
func NotFound(what string) *Error {
	return Errorf(CodeNotFound, "There is no such %s.", what)
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Detail, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Detail)
}

func (e *Error) Unwrap() error { return e.Err }

// Status is the HTTP status of the error's code.
func (e *Error) Status() int {
	if status, ok := codeStatus[e.Code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// CodeOf returns the code of the first Error in err's chain, or "" if there is none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// After returns the error with a Retry-After.
func (e *Error) After(wait time.Duration) *Error {
	e.RetryAfter = wait
	return e
}
