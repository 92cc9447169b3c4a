// Package problem has the errors that callers may see: a code for machines, a sentence for people,
// and the invalid fields. Services return them, and package web writes them as
// application/problem+json (RFC 9457). Any other error is "internal" to callers and is logged.
//
// Each module declares its own codes, with their HTTP status, in its file codes.go.
package problem

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"onrush/modules/api"
)

// Code names an error for machines; clients branch on Name. Status is the HTTP status of the answer.
type Code struct {
	Name   string // such as sold_out
	Status int
}

func (c Code) String() string { return c.Name }

// Error is an error whose reason the caller may know: a code for machines and a sentence
// for people. Err, the cause, goes to the log and never to the client.
type Error struct {
	Code   Code
	Detail string // a sentence for people; no stack, SQL text or key name
	Fields []Field

	Untranslated bool // the detail is the shop's own text, which stays in its language

	RetryAfter   time.Duration // sent as Retry-After, in whole seconds, when above 0
	RefreshAfter time.Duration // sent as refresh_after_ms when above 0
	TaskID       string        // sent as task_id when an outcome is unknown

	Stale *api.Stale // sent as version and changes, with the code stale_version

	StartsMS, NowMS int64 // of a sale that hasn't started; sent as starts_at and server_time when above 0

	NextWaveMS int64 // when more units open; sent as next_wave_at when above 0

	Gate string // that refused the request, for the metrics; never sent

	Activity, SKU string // that the request was about, for the trail of the buyer; never sent

	Err error
}

// Field describes one invalid field of the input; Name is its path in the JSON body.
type Field struct {
	Name   string `json:"field"`
	Detail string `json:"detail"`
}

// Errorf makes an Error from a code and a sentence for people.
func Errorf(code Code, format string, args ...any) *Error {
	if len(args) == 0 && strings.IndexByte(format, '%') < 0 {
		return &Error{Code: code, Detail: format}
	}
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

// MaxFields is how many fields a problem names at most.
const MaxFields = 20

// InvalidFields makes an invalid_request Error about several fields; without any it is nil.
func InvalidFields(wrong []Field) error {
	switch len(wrong) {
	case 0:
		return nil
	case 1:
		return Invalid(wrong[0].Name, "%s", wrong[0].Detail)
	}
	wrong = wrong[:min(len(wrong), MaxFields)]
	return &Error{
		Code:   CodeInvalidRequest,
		Detail: fmt.Sprintf("%d fields are not valid.", len(wrong)),
		Fields: wrong,
	}
}

// RefusedBy returns an error of a gate with the gate's name, for the metrics. Other errors are returned unchanged.
func RefusedBy(gate string, err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Gate != "" {
		return err
	}
	named := *e
	named.Gate = gate
	return &named
}

// About is RefusedBy for a request for a sku of a sale, and names both for the trail of the buyer. An empty gate names
// none.
func About(activity, sku, gate string, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	named := *e
	named.Activity, named.SKU, named.Gate = activity, sku, cmp.Or(e.Gate, gate)
	return &named
}

// Unavailable makes an unavailable Error whose cause is kept for the log.
func Unavailable(err error, detail string) *Error {
	return &Error{Code: CodeUnavailable, Detail: detail, RetryAfter: time.Second, Err: err}
}

// OrUnavailable returns nil and problems as they are, and any other error as Unavailable does.
func OrUnavailable(err error, detail string) error {
	if err == nil || Is(err) {
		return err
	}
	return Unavailable(err, detail)
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
	return cmp.Or(e.Code.Status, http.StatusInternalServerError)
}

// CodeOf returns the code of the first Error in err's chain, or the zero Code if there is none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Code{}
}

// Is reports whether err's chain has an Error, so that it may be returned to the caller unchanged.
func Is(err error) bool { return CodeOf(err) != (Code{}) }

// After returns the error with a Retry-After.
func (e *Error) After(wait time.Duration) *Error {
	e.RetryAfter = wait
	return e
}
