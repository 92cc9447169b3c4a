package upgrade

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web"
)

// api lists what clients may rely on, as the OpenAPI file has it. A line is a kind, a subject and a fact:
//
//	op     GET /api/v1/orders      query page_size, or 200 OrderList
//	answer Order                   status Status, or always status
//	take   SubmitRequest           quantity Quantity
//	must   SubmitRequest           what a request must have
//	most   Remark                  maxLength 300: the bounds of what a request may have; least is the other one
type api struct {
	doc   *openapi3.T
	lines map[string]bool
	done  map[string]bool
}

func listAPI(t *testing.T) []string {
	t.Helper()
	data, err := web.OpenAPI()
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(data)
	require.NoError(t, err)
	a := &api{doc: doc, lines: map[string]bool{}, done: map[string]bool{}}
	for path, item := range doc.Paths.Map() {
		if strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/assets/") || strings.HasPrefix(path,
			"/sandbox/") ||
			strings.HasPrefix(path, "/docs") {
			continue // pages and helps, which nobody builds on
		}
		for method, op := range item.Operations() {
			a.operation(strings.ToUpper(method)+" "+path, item, op)
		}
	}
	for event, item := range doc.Webhooks {
		for method, op := range item.Operations() {
			a.operation(strings.ToUpper(method)+" webhook:"+event, item, op)
		}
	}
	return slices.Sorted(maps.Keys(a.lines))
}

func (a *api) line(kind, subject, format string, args ...any) {
	a.lines[kind+"\t"+subject+"\t"+fmt.Sprintf(format, args...)] = true
}

func (a *api) operation(name string, item *openapi3.PathItem, op *openapi3.Operation) {
	a.line("op", name, "id %s", op.OperationID)
	for _, params := range []openapi3.Parameters{item.Parameters, op.Parameters} {
		for _, p := range params {
			subject := name + " " + p.Value.In + ":" + p.Value.Name
			a.line("op", name, "%s %s %s", p.Value.In, p.Value.Name, a.name(p.Value.Schema, subject, true))
			if p.Value.Required {
				a.line("must", name, "%s %s", p.Value.In, p.Value.Name)
			}
		}
	}
	if op.RequestBody != nil {
		for kind, content := range op.RequestBody.Value.Content {
			a.line("op", name, "body %s %s", kind, a.name(content.Schema, name+" body", true))
		}
		if op.RequestBody.Value.Required {
			a.line("must", name, "body")
		}
	}
	for status, response := range op.Responses.Map() {
		if !strings.HasPrefix(status, "2") {
			continue // the codes of problems are promised, not which route answers them
		}
		a.line("op", name, "%s", status)
		for header := range response.Value.Headers {
			a.line("op", name, "%s header %s", status, header)
		}
		for kind, content := range response.Value.Content {
			a.line("op", name, "%s %s %s", status, kind, a.name(content.Schema, name+" "+status, false))
		}
	}
}

// name returns the name of a schema, of which it lists the facts. A schema without a name has the one of where it is.
func (a *api) name(ref *openapi3.SchemaRef, at string, taken bool) string {
	if ref == nil || ref.Value == nil {
		return "anything"
	}
	if ref.Ref != "" {
		at = ref.Ref[strings.LastIndex(ref.Ref, "/")+1:]
		key := fmt.Sprint(at, taken)
		if a.done[key] {
			return at
		}
		a.done[key] = true
	}
	s := ref.Value
	if s.Items != nil {
		kind := "list of " + a.name(s.Items, at+"[]", taken)
		a.bounds(at, s, taken)
		if ref.Ref != "" {
			a.line(side(taken), at, "is %s", kind)
			return at
		}
		return kind
	}
	a.facts(at, s, taken)
	if ref.Ref != "" || len(s.Properties) > 0 || len(s.AllOf)+len(s.OneOf)+len(s.AnyOf) > 0 {
		return at
	}
	return types(s)
}

func side(taken bool) string {
	if taken {
		return "take"
	}
	return "answer"
}

func types(s *openapi3.Schema) string {
	if s.Type == nil {
		return "anything"
	}
	return strings.Join(*s.Type, "|")
}

func (a *api) facts(at string, s *openapi3.Schema, taken bool) {
	kind := side(taken)
	a.bounds(at, s, taken)
	for _, subs := range []openapi3.SchemaRefs{s.AllOf, s.OneOf, s.AnyOf} {
		for i, sub := range subs {
			a.line(kind, at, "may be %s", a.name(sub, fmt.Sprintf("%s(%d)", at, i), taken))
		}
	}
	for _, value := range s.Enum {
		a.line(kind, at, "may be %v", value)
	}
	for name, p := range s.Properties {
		a.line(kind, at, "%s %s", name, a.name(p, at+"."+name, taken))
	}
	if values := s.AdditionalProperties.Schema; values != nil {
		a.line(kind, at, "* %s", a.name(values, at+".*", taken))
	}
	for _, name := range s.Required {
		if taken {
			a.line("must", at, "%s", name)
		} else {
			a.line("answer", at, "always %s", name)
		}
	}
}

// bounds lists what a request is refused for.
func (a *api) bounds(at string, s *openapi3.Schema, taken bool) {
	if !taken {
		return
	}
	if s.MaxLength != nil {
		a.line("most", at, "length %d", *s.MaxLength)
	}
	if s.MaxItems != nil {
		a.line("most", at, "items %d", *s.MaxItems)
	}
	if s.Max != nil {
		a.line("most", at, "value %v", int64(*s.Max))
	}
	if s.Min != nil {
		a.line("least", at, "value %v", int64(*s.Min))
	}
	if s.MinLength > 0 {
		a.line("least", at, "length %d", s.MinLength)
	}
	if s.MinItems > 0 {
		a.line("least", at, "items %d", s.MinItems)
	}
	if s.Pattern != "" {
		a.line("must", at, "match %s", s.Pattern)
	}
}

// brokenAPI returns what clients of the older version miss, or are refused for.
func brokenAPI(had, has []string) (broken []string) {
	split := func(lines []string) (facts map[string]bool, subjects map[string]bool, bounds map[string]int64) {
		facts, subjects, bounds = map[string]bool{}, map[string]bool{}, map[string]int64{}
		for _, line := range lines {
			facts[line] = true
			parts := strings.SplitN(line, "\t", 3)
			if parts[0] == "op" || parts[0] == "take" {
				subjects[parts[1]] = true
			}
			if parts[0] == "most" || parts[0] == "least" {
				at := strings.LastIndex(line, " ")
				bounds[line[:at]], _ = strconv.ParseInt(line[at+1:], 10, 64) // listAPI has written a number
			}
		}
		return facts, subjects, bounds
	}
	before, known, bounded := split(had)
	now, _, bounds := split(has)
	for _, line := range had {
		if kind, _, _ := strings.Cut(line, "\t"); (kind == "op" || kind == "take" || kind == "answer") && !now[line] {
			broken = append(broken, "gone: "+line)
		}
	}
	for _, line := range has {
		parts := strings.SplitN(line, "\t", 3)
		if parts[0] == "must" && known[parts[1]] && !before[line] {
			broken = append(broken, "new: "+line)
		}
	}
	for name, n := range bounds {
		was, had := bounded[name]
		narrower := n < was
		kind, subject, _ := strings.Cut(name, "\t")
		if kind == "least" {
			narrower = n > was
		}
		subject, _, _ = strings.Cut(subject, "\t")
		if known[subject] && (!had || narrower) {
			broken = append(broken, fmt.Sprintf("narrower: %s was %d (%t) and is %d", name, was, had, n))
		}
	}
	slices.Sort(broken)
	return broken
}

func TestBrokenPromisesOfTheAPIAreFound(t *testing.T) {
	t.Parallel()
	had := []string{
		"answer\tOrder\talways status", "most\tRemark\tlength 300", "must\tBody\tquantity", "op\tGET /a\t200",
		"take\tBody\tremark Remark", "take\tRemark\tstring",
	}
	with := func(change func(lines []string) []string) []string { return change(slices.Clone(had)) }
	assert.Empty(t, brokenAPI(had, with(func(l []string) []string {
		return append(l, "op\tGET /b\t200", "must\tNew\tname", "take\tBody\tmore string", "answer\tOrder\tmore string")
	})))
	for want, has := range map[string][]string{
		"gone: answer\tOrder\talways status": with(func(l []string) []string { return l[1:] }),
		"gone: op\tGET /a\t200":              with(func(l []string) []string { return slices.Delete(l, 3, 4) }),
		"new: must\tBody\tremark": with(func(l []string) []string {
			return append(l,
				"must\tBody\tremark")
		}),
		"narrower: most\tRemark\tlength was 300 (true) and is 200": with(func(l []string) []string {
			l[1] = "most\tRemark\tlength 200"
			return l
		}),
		"narrower: least\tRemark\tlength was 0 (false) and is 2": with(func(l []string) []string {
			return append(l, "least\tRemark\tlength 2")
		}),
	} {
		assert.Equal(t, []string{want}, brokenAPI(had, has))
	}
	assert.Empty(t, brokenAPI(had, with(func(l []string) []string {
		l[1] = "most\tRemark\tlength 400"
		return slices.Delete(l, 2, 3)
	})), "a bound that is raised, and a field that nobody must send any more")
}
