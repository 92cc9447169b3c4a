package web

import (
	"bytes"
	"encoding"
	"errors"
	"mime"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/go-playground/validator/v10"
	"github.com/gofiber/fiber/v2"

	"onrush/modules/api"
	"onrush/modules/ids"
	"onrush/modules/problem"
)

// Bind decodes the body, a JSON object, into a pointer to a struct and validates it by the tags `validate` of its
// fields (see newValidator for the tags of this package). It is strict: an unknown or repeated field, a field of the
// wrong type and malformed JSON are invalid_request. The problem names fields by their paths, such as skus[0].sku_id or
// fields.color. For an unknown field, the problem also lists the fields that are known in this place. Any other content
// type, and a compressed body, is unsupported_media_type: the size limit applies to the body as it is sent. An empty
// body is an empty object.
//
// Bind copies all values from the body, so they may be kept.
func Bind(c *fiber.Ctx, into any) error {
	if coding := c.Request().Header.ContentEncoding(); len(coding) > 0 && !bytes.EqualFold(coding, []byte("identity")) {
		return problem.Errorf(CodeUnsupportedMedia, "The body must not be compressed.")
	}
	body := c.Request().Body() // c.Body would unpack it, to whatever size
	if len(body) == 0 {
		body = []byte("{}")
	} else if !isJSON(c.Request().Header.ContentType()) {
		return problem.Errorf(CodeUnsupportedMedia, "The body must be JSON, with the content type application/json.")
	}
	return decode(body, into)
}

// NoBody refuses a body other than {} as invalid_request. Routes that take no body use it before their
// handlers, so that a body is never silently ignored.
func NoBody(c *fiber.Ctx) error {
	if err := noBody(c); err != nil {
		return err
	}
	return c.Next()
}

func noBody(c *fiber.Ctx) error {
	body := c.Request().Body()
	if len(body) == 0 {
		return nil
	}
	return decode(body, &struct{}{})
}

// isJSON reports whether a content type is application/json, in UTF-8.
func isJSON(contentType []byte) bool {
	if string(contentType) == fiber.MIMEApplicationJSON { // as almost all requests have it
		return true
	}
	kind, params, _ := mime.ParseMediaType(string(contentType)) // an invalid parameter says nothing about the charset
	charset := strings.ToLower(params["charset"])
	return kind == fiber.MIMEApplicationJSON && (charset == "" || charset == "utf-8" || charset == "utf8")
}

// asDeclared are the options of decode. A null leaves the number that a field has if it is omitted.
var asDeclared = json.JoinOptions(json.RejectUnknownMembers(true), jsonv1.MergeWithLegacySemantics(true))

// decode decodes a JSON object strictly and validates it.
func decode(body []byte, into any) error {
	if start := bytes.TrimLeft(body, " \t\r\n"); len(start) > 0 && start[0] != '{' {
		return problem.Errorf(problem.CodeInvalidRequest, "The body must be a JSON object.")
	}
	if err := json.Unmarshal(body, into, asDeclared); err != nil {
		return decodeError(err, reflect.TypeOf(into))
	}
	return Validate(into)
}

// decodeError turns an error of the JSON decoder into a problem.
func decodeError(err error, into reflect.Type) error {
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		if errors.Is(e.Err, json.ErrUnknownName) {
			parent := fieldPath(e.JSONPointer.Parent(), into)
			return unknown(parent, e.JSONPointer.LastToken(), namesAt(e.JSONPointer.Parent(), into))
		}
		return aboutField(fieldPath(e.JSONPointer, into), "%s", semanticDetail(e, into))
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		path, parent := fieldPath(e.JSONPointer, into), fieldPath(e.JSONPointer.Parent(), into)
		switch {
		case !errors.Is(e.Err, jsontext.ErrDuplicateName):
			return aboutField(path, "is not well-formed JSON (at byte %d)", e.ByteOffset)
		case path != parent:
			return problem.Invalid(path, "must not be given twice")
		}
		return aboutField(parent, "has the field %q twice", clip(e.JSONPointer.LastToken()))
	}
	return &problem.Error{Code: problem.CodeInvalidRequest, Detail: "The body can't be read as JSON.", Err: err}
}

// aboutField returns a problem with a field; the path "" is the body itself.
func aboutField(path, format string, args ...any) error {
	if path == "" {
		return problem.Errorf(problem.CodeInvalidRequest, "The body "+format+".", args...)
	}
	return problem.Invalid(path, format, args...)
}

// unknown returns a problem with a name that an object, or a query, doesn't have in this place.
func unknown(parent, name string, known []string) error {
	if name = clip(name); !ids.Valid(name) {
		name = strconv.Quote(name)
	}
	if parent != "" {
		name = parent + "." + name
	}
	if len(known) == 0 {
		return problem.Invalid(name, "is unknown; there are no fields here")
	}
	return problem.Invalid(name, "is unknown; the fields here are %s", strings.Join(known, ", "))
}

// namesAt returns the names of the fields of the object at a path in a type.
func namesAt(p jsontext.Pointer, t reflect.Type) (names []string) {
	t = indirect(t)
	for token := range p.Tokens() {
		switch t.Kind() { // the others have nothing in them
		case reflect.Struct:
			field, ok := member(t, token)
			if !ok {
				return nil
			}
			t = indirect(field.Type)
		case reflect.Map, reflect.Slice, reflect.Array:
			t = indirect(t.Elem())
		default:
			return nil
		}
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

func semanticDetail(e *json.SemanticError, into reflect.Type) string {
	if rule, ok := errors.AsType[api.Rule](e.Err); ok {
		return rule.Error()
	}
	switch {
	case errors.Is(e.Err, strconv.ErrRange):
		b := boundsOf(slices.Collect(e.JSONPointer.Tokens()), into).
			sized(e.GoType, bytes.HasPrefix(e.JSONValue, []byte{'-'}))
		if text := b.String(); text != "" {
			return "must be " + text
		}
		return "is a number out of range"
	case e.GoType == nil:
		return "is not valid"
	}
	return "must be " + kindName(e.GoType)
}

var fromText = reflect.TypeFor[encoding.TextUnmarshaler]()

// kindName names the kind of JSON value that a Go type is decoded from.
func kindName(t reflect.Type) string {
	t = indirect(t)
	if reflect.PointerTo(t).Implements(fromText) { // such as the number of an order
		return "a string"
	}
	switch t.Kind() { //nolint:exhaustive // no other kind is in a request
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number, not below 0"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "of another type"
}

// fieldPath turns /skus/0/sku_id into skus[0].sku_id, using the type that the body is decoded into. It
// stops at the first name that is not a field of the type.
func fieldPath(p jsontext.Pointer, t reflect.Type) string {
	var path strings.Builder
	for token := range p.Tokens() {
		t = indirect(t)
		switch t.Kind() { // the others have nothing in them
		case reflect.Struct:
			field, ok := member(t, token)
			if !ok {
				return path.String()
			}
			t, token = field.Type, "."+token
		case reflect.Map:
			t, token = t.Elem(), "."+clip(token)
		case reflect.Slice, reflect.Array:
			t, token = t.Elem(), "["+token+"]"
		default:
			return path.String()
		}
		if path.Len() == 0 {
			token = strings.TrimPrefix(token, ".")
		}
		path.WriteString(token)
	}
	return path.String()
}

// member returns the struct field for a JSON member, and false if there is none.
func member(t reflect.Type, name string) (reflect.StructField, bool) {
	for _, f := range reflect.VisibleFields(t) {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name && tag != "" && tag != "-" {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// Validate checks a struct by its tags, as Bind does, and names every invalid field.
func Validate(into any) error {
	err := validators.Struct(into)
	if err == nil {
		return nil
	}
	found, ok := errors.AsType[validator.ValidationErrors](err)
	if !ok {
		return &problem.Error{Code: problem.CodeInternal, Err: err} // into is not a struct: a mistake of the route
	}
	wrong := make([]problem.Field, 0, min(len(found), problem.MaxFields))
	root := "" // the validator's paths begin with the type's name, if it has one
	if name := reflect.Indirect(reflect.ValueOf(into)).Type().Name(); name != "" {
		root = name + "."
	}
	for _, fe := range found[:min(len(found), problem.MaxFields)] {
		path := jsonPath(strings.TrimPrefix(fe.Namespace(), root))
		wrong = append(wrong, problem.Field{
			Name: path, Detail: sentence(fe, boundsOf(tokens(path), reflect.TypeOf(into))),
		})
	}
	return problem.InvalidFields(wrong)
}

// jsonPath turns a path of the validator into a path in the JSON: embedded structs have no name
// there, and a member of a map, fields[color], is fields.color. The path is shortened, since it may
// contain a name that the client chose.
func jsonPath(path string) string {
	path = strings.ReplaceAll(path, embedded+".", "")
	if name, rest, found := strings.Cut(path, mapMark); found {
		path = name
		if member, ok := strings.CutPrefix(rest, "["); ok {
			path += "." + strings.TrimSuffix(member, "]")
		}
	}
	if len(path) > 4*64 {
		path = path[:4*64]
	}
	return strings.ToValidUTF8(path, "\uFFFD")
}
