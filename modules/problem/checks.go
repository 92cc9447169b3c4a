package problem

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Checks collects the invalid fields of an input.
type Checks []Field

// That records a field as invalid unless ok.
func (c *Checks) That(ok bool, field, format string, args ...any) {
	if !ok {
		*c = append(*c, Field{Name: field, Detail: fmt.Sprintf(format, args...)})
	}
}

// Text checks a field of least to most characters on one line.
func (c *Checks) Text(field, s string, least, most int) {
	switch {
	case least > 0 && strings.TrimSpace(s) == "":
		c.That(false, field, "is required")
	case utf8.RuneCountInString(s) > most:
		c.That(false, field, "must have at most %d characters", most)
	default:
		plain := IsLine(s)
		c.That(plain, field, "must not contain control characters")
	}
}

// Between checks a number.
func (c *Checks) Between(field string, n, least, most int64) {
	c.That(n >= least && n <= most, field, "must be from %d to %d", least, most)
}

// Err returns an invalid_request error with all invalid fields, or nil if there is none.
func (c Checks) Err() error {
	if len(c) == 0 {
		return nil
	}
	return &Error{Code: CodeInvalidRequest, Detail: c[0].Name + ": " + c[0].Detail, Fields: c}
}
