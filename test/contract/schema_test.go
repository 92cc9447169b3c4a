package contract

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"onrush/test/site"
)

// schemas are the schemas of the file that requests and answers were compared with: openapi3 would compile them each
// time, which takes longer than all requests.
type schemas struct {
	mu       sync.Mutex
	compiled map[*openapi3.Schema]*jsonschema.Schema
}

// shared are the schemas of this process, which reads the file once.
var shared = schemas{compiled: map[*openapi3.Schema]*jsonschema.Schema{}}

// conforms checks a value of JSON against a schema of the file.
func (f *file) conforms(s *openapi3.Schema, value any) error {
	compiled, err := shared.of(f.doc, s)
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}

func (c *schemas) of(doc *openapi3.T, s *openapi3.Schema) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if compiled := c.compiled[s]; compiled != nil {
		return compiled, nil
	}
	compiled, err := compile(doc, s)
	c.compiled[s] = compiled
	return compiled, err
}

// compile reads a schema as JSON Schema 2020-12, as OpenAPI 3.1 does. Its references to components are resolved in
// the same document.
func compile(doc *openapi3.T, s *openapi3.Schema) (*jsonschema.Schema, error) {
	text, err := json.Marshal(object{"schema": s, "components": object{"schemas": doc.Components.Schemas}})
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	resource, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	const name = "file:///openapi.json"
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	for format, check := range openapi3.SchemaIntegerFormats {
		c.RegisterFormat(&jsonschema.Format{Name: format, Validate: func(value any) error {
			if number, ok := value.(float64); ok && number == float64(int64(number)) {
				return check.Validate(int64(number))
			}
			return nil
		}})
	}
	if err := c.AddResource(name, resource); err != nil {
		return nil, fmt.Errorf("add the schema: %w", err)
	}
	return c.Compile(name + "#/schema")
}

// fitsJSON checks the body of an answer, which is JSON, against the schema that the file has for it.
func (s *shop) fitsJSON(op *operation, a site.Answer) error {
	response := op.op.Responses.Status(a.Status)
	if response == nil {
		response = op.op.Responses.Default()
	}
	if response == nil {
		return fmt.Errorf("the file has no answer %d", a.Status)
	}
	kind := a.Header.Get("Content-Type")
	media := response.Value.Content.Get(kind)
	if media == nil || media.Schema == nil {
		return fmt.Errorf("the file has no answer %d of the type %q", a.Status, kind)
	}
	var value any
	if err := json.Unmarshal(a.Body, &value); err != nil {
		return err
	}
	return s.conforms(media.Schema.Value, value)
}
