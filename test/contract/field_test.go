package contract

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
)

// isKnown requires that each field in a problem is the name of a parameter of the request, or the path
// of a property of its body, unless the problem is that it is not.
func (o *operation) isKnown(t testing.TB, body []byte, what string) {
	t.Helper()
	var problem struct {
		Errors []struct {
			Field  string `json:"field"`
			Detail string `json:"detail"`
		} `json:"errors"`
	}
	if json.Unmarshal(body, &problem) != nil {
		return
	}
	for _, e := range problem.Errors {
		unknown := strings.HasPrefix(e.Detail, "is unknown;")
		assert.NotEqual(t, unknown, o.hasField(e.Field), "%s and %q, which %s: %s", o.id, e.Field, e.Detail, what)
		assert.NotRegexp(t, goName, quoted.ReplaceAllString(e.Detail, ""), what)
	}
}

// quoted is what a detail repeats of the request, which may be anything.
var quoted = regexp.MustCompile(`"[^"]*"`)

// goName is a name as Go writes it: SkuID, StartsMS.
var goName = regexp.MustCompile(`\b[A-Z][a-z]+[A-Z]\w*`)

func (o *operation) hasField(name string) bool {
	for _, in := range []string{"path", "query", "header"} {
		for _, p := range o.params(in) {
			if p.Name == name {
				return true
			}
		}
	}
	return o.body() != nil && hasProperty(o.body(), name)
}

// step splits the first step off a path: skus[0].sku_id is skus, [0] and .sku_id.
var step = regexp.MustCompile(`^\.?([^.\[]+)((?:\[\d+\])*)(.*)$`)

func hasProperty(s *openapi3.Schema, path string) bool {
	if free := s.AdditionalProperties.Schema; free != nil && len(s.Properties) == 0 {
		return strings.HasPrefix(path, ".") // the rest is a name that the client chose
	}
	found := step.FindStringSubmatch(path)
	if found == nil || s.Properties[found[1]] == nil {
		return false
	}
	s = s.Properties[found[1]].Value
	for range strings.Count(found[2], "[") {
		if s.Items == nil {
			return false
		}
		s = s.Items.Value
	}
	return found[3] == "" || strings.HasPrefix(found[3], ".") && hasProperty(s, found[3])
}
