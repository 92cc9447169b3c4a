package contract

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"onrush/web"
)

// file is the OpenAPI file.
type file struct {
	doc        *openapi3.T
	operations []*operation // by path and method
	elsewhere  []*operation
	byID       map[string]*operation
}

// elsewhere are the tags of operations that these tests don't call: the tests of package pay cover the
// gateways and the sandbox's page, test/e2e covers the sign-in. To add one, give it values for its parameters and a
// body (good_test.go), and call it in the test of its resource.
var elsewhere = []string{"Gateways", "Sign-in"}

// operation is one method of one path of the file.
type operation struct {
	id, method, path string
	item             *openapi3.PathItem
	op               *openapi3.Operation
}

var readOnce = sync.OnceValues(func() (*openapi3.T, error) {
	data, err := web.OpenAPI()
	if err != nil {
		return nil, err
	}
	return openapi3.NewLoader().LoadFromData(data)
})

func read(t testing.TB) *file {
	t.Helper()
	f, err := readFile()
	require.NoError(t, err)
	return f
}

func readFile() (*file, error) {
	doc, err := readOnce()
	if err != nil {
		return nil, err
	}
	f := &file{doc: doc, byID: map[string]*operation{}}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			o := &operation{id: op.OperationID, method: method, path: path, item: item, op: op}
			if o.id == "" || f.byID[o.id] != nil {
				return nil, fmt.Errorf("%s %s needs an operationId of its own, not %q", method, path, o.id)
			}
			f.byID[o.id] = o
			if slices.ContainsFunc(op.Tags, func(tag string) bool { return slices.Contains(elsewhere, tag) }) {
				f.elsewhere = append(f.elsewhere, o)
				continue
			}
			f.operations = append(f.operations, o)
		}
	}
	slices.SortFunc(f.operations, func(a, b *operation) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.method, b.method))
	})
	return f, nil
}

// role is whom the file lets call the operation; "" is everybody.
func (o *operation) role() web.Role {
	if o.op.Security == nil || len(*o.op.Security) == 0 {
		return ""
	}
	if slices.Contains((*o.op.Security)[0]["bearer"], string(web.RoleAdmin)) {
		return web.RoleAdmin
	}
	return web.RoleUser
}

// isPublic reports whether the file lets callers leave the token out.
func (o *operation) isPublic() bool {
	return o.op.Security != nil && slices.ContainsFunc(*o.op.Security, func(s openapi3.SecurityRequirement) bool {
		return len(s) == 0
	})
}

// params are the operation's parameters in path, query and header.
func (o *operation) params(in string) []*openapi3.Parameter {
	var params []*openapi3.Parameter
	for _, list := range []openapi3.Parameters{o.item.Parameters, o.op.Parameters} {
		for _, ref := range list {
			if ref.Value.In == in {
				params = append(params, ref.Value)
			}
		}
	}
	return params
}

// body is the schema of the operation's body, nil if it takes none or one that is no JSON.
func (o *operation) body() *openapi3.Schema {
	if o.op.RequestBody == nil {
		return nil
	}
	taken := o.op.RequestBody.Value.Content.Get("application/json")
	if taken == nil {
		return nil
	}
	return taken.Schema.Value
}

// takesKey reports whether the operation takes an Idempotency-Key, needsKey whether it requires one.
func (o *operation) takesKey() bool { return o.takes("Idempotency-Key") }

func (o *operation) needsKey() bool {
	return slices.ContainsFunc(o.params("header"), func(p *openapi3.Parameter) bool {
		return p.Name == "Idempotency-Key" && p.Required
	})
}

// takes reports whether the operation takes a header.
func (o *operation) takes(name string) bool {
	return slices.ContainsFunc(o.params("header"), func(p *openapi3.Parameter) bool { return p.Name == name })
}

// declares reports whether the file names the status itself, not as "any other".
func (o *operation) declares(status int) bool { return o.op.Responses.Status(status) != nil }

// at fills the path's parameters in; raw ones are not escaped.
func (o *operation) at(params, raw map[string]string) string {
	path := o.path
	for name, value := range params {
		if _, ok := raw[name]; !ok {
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
		}
	}
	for name, value := range raw {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	return path
}
