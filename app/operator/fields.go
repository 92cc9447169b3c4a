package operator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// checkFields refuses a file with a field that the running program doesn't take, by the description of its interface.
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
	if schemas["ActivityRequest"] == nil {
		return errors.New("the program doesn't say which fields a sale has")
	}
	return checkValue(schemas, schemas["ActivityRequest"], file.Fields, "")
}

// checkValue compares a value, at a path, with its schema. The limits of values are left to the program.
func checkValue(schemas map[string]object, schema object, value any, path string) error {
	if to, ok := schema["$ref"].(string); ok {
		schema = schemas[strings.TrimPrefix(to, "#/components/schemas/")]
	}
	switch value := value.(type) {
	case []any:
		items, _ := schema["items"].(object)
		for i, item := range value {
			if err := checkValue(schemas, items, item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case object:
		properties, _ := schema["properties"].(object)
		for _, name := range slices.Sorted(maps.Keys(value)) {
			at := strings.TrimPrefix(path+"."+name, ".")
			property, known := properties[name].(object)
			if !known {
				return fmt.Errorf("%s is not a field of a sale", at)
			}
			if err := checkValue(schemas, property, value[name], at); err != nil {
				return err
			}
		}
	}
	return nil
}
