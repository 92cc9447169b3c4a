package web

import (
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/go-playground/validator/v10"

	"onrush/modules/ids"
	"onrush/modules/problem"
	"onrush/modules/segments"
)

// validators checks structs; it caches their tags.
var validators = newValidator()

// texts are the tags for strings that newValidator adds to the library's own, with their rules: sentences that follow
// the name of a field. Lengths (min, max, len) count characters, not bytes.
var texts = map[string]struct {
	ok   func(string) bool
	rule string
}{
	"id":       {ids.Valid, ids.Rule},
	"user":     {problem.IsUser, problem.UserRule},
	"segment":  {segments.Valid, segments.Rule},
	"text":     {problem.IsText, "must not contain control characters besides line breaks and tabs"},
	"line":     {problem.IsLine, "must not contain control characters or line breaks"},
	"said":     {problem.IsSaid, "must not be blank"},
	"visible":  {problem.IsVisible, "must have letters, digits and other visible characters of ASCII only"},
	"currency": {problem.IsCurrency, "must be a currency code of three capital letters, such as EUR"},
	"link":     {isLink, "must be a URL that starts with http:// or https://"}, // or nothing
	"picture": { // or nothing
		isPicture, "must be a URL that starts with http:// or https://, or a path on this host that starts with /",
	},
}

// Marks in the validator's paths that jsonPath removes.
const (
	// embedded is the name of a struct whose fields appear as fields of the struct around it.
	embedded = "\x00embedded"
	// mapMark ends the name of a map, whose members look like the elements of a list.
	mapMark = "\x00map"
)

// newValidator returns a validator that knows the tags of texts.
func newValidator() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(func(f reflect.StructField) string {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" && f.Anonymous {
			return embedded
		}
		if name == "-" {
			return ""
		}
		if f.Type.Kind() == reflect.Map {
			return name + mapMark
		}
		return name
	})
	for tag, text := range texts {
		if err := v.RegisterValidation(tag, func(fl validator.FieldLevel) bool {
			return text.ok(fl.Field().String())
		}); err != nil {
			panic(err) // only an empty tag or function is an error
		}
	}
	return v
}

func isLink(s string) bool {
	if s == "" {
		return true // required says that there must be one
	}
	if !isPlainURL(s) {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// isPlainURL reports whether s has no character that a URL must write in another way.
func isPlainURL(s string) bool { return problem.IsLine(s) && !strings.ContainsAny(s, " <>\"\\") }

// sentence returns the rule that a field violates, as a text that follows the field's name. b are the bounds of the
// field: whichever of them a number violates, the text is the same.
func sentence(fe validator.FieldError, b bounds) string {
	if text := b.String(); text != "" {
		switch tag := fe.Tag(); {
		case tag == "required" && fe.Kind() != reflect.Pointer && b.excludeZero():
			return "is required and must be " + text
		case slices.Contains([]string{"min", "max", "gte", "lte"}, tag), strings.Contains(tag, "|"):
			return "must be " + text
		}
	}
	switch fe.Tag() {
	case "required", "required_if", "required_unless", "required_with", "required_without":
		return "is required"
	case "excluded_if", "excluded_unless", "excluded_with", "excluded_without":
		return "must not be given here"
	case "min", "gte":
		return bound(fe, "at least ")
	case "max", "lte":
		return bound(fe, "at most ")
	case "len":
		return bound(fe, "exactly ")
	case "gt":
		return bound(fe, "more than ")
	case "lt":
		return bound(fe, "less than ")
	case "eq":
		return "must be " + fe.Param()
	case "ne":
		return "must not be " + fe.Param()
	case "gtfield":
		return "must be later or greater than " + fe.Param()
	case "oneof":
		return "must be one of " + strings.ReplaceAll(fe.Param(), " ", ", ")
	case "unique":
		return "must not hold anything twice"
	}
	if text, ok := texts[fe.Tag()]; ok {
		return text.rule
	}
	return "is not valid"
}

// bound is the sentence of a limit on a number, a string's characters or a list's items.
func bound(fe validator.FieldError, limit string) string {
	limit += fe.Param()
	switch fe.Kind() { //nolint:exhaustive // the others are numbers
	case reflect.String:
		return "must have " + limit + plural(fe.Param(), " character")
	case reflect.Slice, reflect.Array:
		return "must have " + limit + plural(fe.Param(), " item")
	case reflect.Map:
		return "must have " + limit + plural(fe.Param(), " field")
	}
	return "must be " + limit
}

func plural(count, noun string) string {
	if count == "1" {
		return noun
	}
	return noun + "s"
}
