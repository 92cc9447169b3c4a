package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxUnknown bounds the unknown fields that are named at once.
const maxUnknown = 20

// checkFields refuses a file with fields that the running program doesn't take, by the description of its interface.
// The error names each of them with its line.
func (c *Client) checkFields(ctx context.Context, file *SaleFile) error {
	var description struct {
		Components struct {
			Schemas map[string]object `json:"schemas"`
		} `json:"components"`
	}
	if err := c.Get(ctx, "/openapi.json", &description); err != nil {
		return fmt.Errorf("read which fields a sale has: %w", err)
	}
	schemas := description.Components.Schemas
	if schemas["ActivityFile"] == nil {
		return errors.New("the program doesn't take the file of a sale; is it older than this command?")
	}
	unknown := unknownFields(schemas, schemas["ActivityFile"], file.Fields, "")
	slices.SortStableFunc(unknown, func(a, b string) int { return cmp.Compare(file.lines[a], file.lines[b]) })
	var refused []error
	for _, field := range unknown[:min(len(unknown), maxUnknown)] {
		refused = append(refused, fmt.Errorf("line %d: %s is not a field of a sale", file.lines[field], field))
	}
	return errors.Join(refused...)
}

// unknownFields returns the paths of the fields of a value, itself at a path, that its schema doesn't have. The limits
// of values are left to the program.
func unknownFields(schemas map[string]object, schema object, value any, path string) (unknown []string) {
	if to, ok := schema["$ref"].(string); ok {
		schema = schemas[strings.TrimPrefix(to, "#/components/schemas/")]
	}
	switch value := value.(type) {
	case []any:
		items, _ := schema["items"].(object)
		for i, item := range value {
			unknown = append(unknown, unknownFields(schemas, items, item, fmt.Sprintf("%s[%d]", path, i))...)
		}
	case object:
		properties, _ := schema["properties"].(object)
		for _, name := range slices.Sorted(maps.Keys(value)) {
			at := strings.TrimPrefix(path+"."+name, ".")
			property, known := properties[name].(object)
			if !known {
				unknown = append(unknown, at)
				continue
			}
			unknown = append(unknown, unknownFields(schemas, property, value[name], at)...)
		}
	}
	return unknown
}
