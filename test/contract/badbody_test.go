package contract

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

func TestProgramRefusesWhatTheOpenAPIFileRefuses(t *testing.T) {
	t.Parallel()
	inTurn(t)
	w := standing(t, kit.OnEmbedded(t))
	sentBodies := 0
	for _, op := range w.operations {
		if op.body() == nil {
			continue
		}
		good, p := w.good(t, op), w.caller(op)
		var body any
		require.NoError(t, json.Unmarshal(good.body, &body))
		for _, m := range mutations("", op.body(), body) {
			bad := good.with(sent(m.body))
			if !m.control { // the file says it in words
				require.Error(t, p.fits(bad), "%s with %s: the file takes it", op.id, m.what)
			}
			a := p.send(t, bad)
			sentBodies++
			assert.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s with %s: %s → %s",
				op.id, m.what, clip(bad.body), a.Body)
			assert.Equal(t, "invalid_request", a.Code(), "%s with %s: %s", op.id, m.what, a.Body)
		}
	}
	assert.Greater(t, sentBodies, 500)
}

// mutation is a body with one invalid value.
type mutation struct {
	what    string
	body    any
	control bool // a control character
}

// mutations returns all invalid variants of a value by its schema; each is the complete value.
func mutations(at string, s *openapi3.Schema, value any) []mutation {
	wrong := wrongTypes(at, s)
	switch {
	case s.Type.Is("object"):
		wrong = append(wrong, wrongObjects(at, s, value.(object))...)
	case s.Type.Is("array"):
		wrong = append(wrong, wrongLists(at, s, value.([]any))...)
	case s.Type.Is("string"):
		wrong = append(wrong, wrongStrings(at, s)...)
	case s.Type.Is("integer"), s.Type.Is("number"):
		wrong = append(wrong, wrongNumbers(at, s)...)
	}
	return wrong
}

func wrongTypes(at string, s *openapi3.Schema) []mutation {
	var wrong []mutation
	for kind, value := range map[string]any{
		"string": "1", "integer": 1, "boolean": true, "array": []any{}, "object": object{},
	} {
		if s.Type.Includes(kind) || s.Type.Is("number") && kind == "integer" {
			continue
		}
		wrong = append(wrong, mutation{what: at + " as " + kind, body: value})
	}
	return wrong
}

func wrongObjects(at string, s *openapi3.Schema, value object) []mutation {
	var wrong []mutation
	with := func(what, name string, field any) mutation {
		o := maps.Clone(value)
		o[name] = field
		return mutation{what: at + what, body: o}
	}
	if closed := s.AdditionalProperties.Has; closed != nil && !*closed {
		for _, name := range []string{"unknown", "", "ID", strings.Repeat("n", 300), "a.b[0]", "名"} {
			wrong = append(wrong, with(" with "+clip([]byte(name)), name, 1))
		}
	}
	for _, name := range s.Required {
		without := maps.Clone(value)
		delete(without, name)
		wrong = append(wrong, mutation{what: at + " without " + name, body: without}, with("."+name+" null", name, nil))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		field, ok := value[name]
		if !ok {
			field = sample(s.Properties[name].Value)
		}
		for _, m := range mutations(at+"."+name, s.Properties[name].Value, field) {
			if (m.body == "" || m.body == nil) && !slices.Contains(s.Required, name) {
				continue // an optional field that is empty is left out
			}
			o := maps.Clone(value)
			o[name] = m.body
			m.body = o
			wrong = append(wrong, m)
		}
	}
	if free := s.AdditionalProperties.Schema; free != nil {
		for _, m := range mutations(at+".*", free.Value, "x") {
			m.body = object{"k": m.body}
			wrong = append(wrong, m)
		}
		many := object{}
		for i := range *s.MaxProps + 1 {
			many[fmt.Sprint("k", i)] = "v"
		}
		wrong = append(wrong, mutation{what: at + " with too many", body: many})
		for _, m := range wrongStrings(at+" name", s.PropertyNames.Value) {
			m.body = object{m.body.(string): "v"}
			wrong = append(wrong, m)
		}
	}
	return wrong
}

func wrongLists(at string, s *openapi3.Schema, value []any) []mutation {
	var wrong []mutation
	if s.MinItems > 0 {
		wrong = append(wrong, mutation{what: at + " empty", body: []any{}}, mutation{what: at + " null", body: nil})
	}
	if s.MaxItems != nil {
		wrong = append(wrong, mutation{what: at + " too long", body: slices.Repeat(value[:1], int(*s.MaxItems)+1)})
	}
	if s.UniqueItems {
		wrong = append(wrong, mutation{what: at + " twice the same", body: []any{value[0], value[0]}})
	}
	for _, m := range append(mutations(at+"[]", s.Items.Value, value[0]), mutation{what: at + "[] null"}) {
		m.body = []any{m.body}
		wrong = append(wrong, m)
	}
	return wrong
}

func wrongStrings(at string, s *openapi3.Schema) []mutation {
	var wrong []mutation
	add := func(what, value string) { wrong = append(wrong, mutation{what: at + " " + what, body: value}) }
	if s.MinLength > 0 || s.Pattern != "" {
		add("empty", "")
	}
	if s.MaxLength != nil {
		n := int(*s.MaxLength) + 1
		add("too long", strings.Repeat("a", n))
		if n <= 1000 {
			add("too long in Chinese", strings.Repeat("漢", n))
			add("too long in emoji", strings.Repeat("😀", n))
		}
	}
	if len(s.Enum) > 0 {
		add("unknown", "other")
		add("of another case", strings.ToUpper(s.Enum[0].(string)))
		add("and a space", s.Enum[0].(string)+" ")
	}
	if strings.HasPrefix(s.Pattern, `^(\.{0,2}[A-Za-z0-9_:-]|`) {
		add("no id", "a b")
		add("an id and a space", "a ")
		add("in German", "ä")
		add("in emoji", "😀")
		add("a tilde", "a~b")
		add("a slash", "a/b")
		add("a dot", ".")
		add("two dots", "..")
	}
	if strings.HasPrefix(s.Pattern, "^[A-Z]") {
		for _, c := range []string{"eur", "EU", "EURO", "ÄÖÜ", "E R"} {
			add("as "+c, c)
		}
	}
	if s.Format == "date-time" {
		for _, at := range []string{
			"", "now", "2026-01-01", "2026-01-01 00:00:00Z", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z",
			"2026-01-01T25:00:00Z", "2026-01-01T00:00:00", "1767225600",
		} {
			// Formats are the program's to check.
			wrong = append(wrong, mutation{what: s.Format + " " + at, body: at, control: true})
		}
	}
	for _, c := range []string{"\x00", "\x01", "\x08", "\x1b", "\x7f", "\u0085", "\r"} {
		wrong = append(wrong, mutation{what: fmt.Sprintf("%s with %q", at, c), body: "a" + c + "b", control: true})
	}
	return wrong
}

func wrongNumbers(at string, s *openapi3.Schema) []mutation {
	var wrong []mutation
	add := func(value any) {
		wrong = append(wrong, mutation{what: fmt.Sprintf("%s as %v", at, value), body: value})
	}
	if s.Type.Is("integer") {
		add(1.5)
		add(json.RawMessage("1e300"))
		add(json.RawMessage("9223372036854775808"))
		add(json.RawMessage("-9223372036854775809"))
	}
	schemas := []*openapi3.Schema{s}
	for _, other := range s.AnyOf {
		schemas = append(schemas, other.Value)
	}
	for _, s := range schemas {
		if s.Min != nil {
			add(*s.Min - 1)
			if len(schemas) > 1 {
				add(-2)
			}
		}
		if s.Max != nil {
			add(*s.Max + 1)
			add(*s.Max * 1000)
		}
		if s.ExclusiveMin.Value != nil {
			add(*s.ExclusiveMin.Value)
			add(-0.5)
		}
		if s.Not != nil {
			add(s.Not.Value.Enum[0])
		}
	}
	return wrong
}

// sample returns a value of a schema that the valid body doesn't have.
func sample(s *openapi3.Schema) any {
	switch {
	case s.Type.Is("object"):
		return object{}
	case s.Type.Is("array"):
		return []any{sample(s.Items.Value)}
	case s.Type.Is("integer"), s.Type.Is("number"):
		return 1
	case s.Type.Is("boolean"):
		return true
	}
	return "a"
}

func TestOptionalFieldsMayBeNullOrEmpty(t *testing.T) {
	t.Parallel()
	inTurn(t)
	w := standing(t, kit.OnEmbedded(t))
	w.soldOut(t) // before a request changes where lamps are sent
	for _, op := range w.operations {
		s := op.body()
		if s == nil {
			continue
		}
		good, p := w.good(t, op), w.caller(op)
		var body object
		require.NoError(t, json.Unmarshal(good.body, &body))
		// In one order, since the last change of regions or prices stays: a point without regions serves nobody.
		names := slices.Sorted(maps.Keys(s.Properties))
		slices.Reverse(names)
		for _, name := range names {
			field := s.Properties[name]
			if slices.Contains(s.Required, name) || name == "address_id" && op.id != "replaceAddress" {
				continue // goods that are sent need an address
			}
			// They may be omitted only beside all, of a hold for a buyer, or beside lines.
			conditional := []string{"withdrawVouchers codes", "orderHold user_id", "takePath sku_id"}
			if slices.Contains(conditional, op.id+" "+name) {
				continue
			}
			values := []any{nil}
			emptied := op.id == "changeActivity" || op.id == "putActivityFile" // there an empty text is a change
			if field.Value.Type.Is("string") && !emptied {
				values = append(values, "")
			}
			for _, v := range values {
				body := maps.Clone(body)
				body[name] = v
				if op.id == "createKey" { // each needs a name of its own
					body["name"] = fmt.Sprintf("%s %v.", name, v)
				}
				if op.id == "holdUnits" { // each needs a buyer of its own
					body["user_id"] = rand.Text()
				}
				if op.id == "orderHold" {
					good.params["hold_id"] = w.held(t).HoldID
				}
				body[name] = v
				parts := []part{sent(body)}
				if op.needsKey() {
					parts = append(parts, key(fmt.Sprintf("%s-%v", name, v)))
				}
				a := p.send(t, good.with(parts...))
				assert.Less(t, a.Status, 300, "%s with %s %#v: %s", op.id, name, v, a.Body)
			}
		}
	}
}
