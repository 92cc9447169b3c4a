package operator

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Difference is one field that is not what the file says. From is empty if there is none, To if there will be none.
type Difference struct {
	Field string `json:"field"` // such as skus[lamp].stock[0].quantity
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
}

func (d Difference) String() string {
	switch {
	case d.From == "":
		return fmt.Sprintf("+ %s: %s", d.Field, d.To)
	case d.To == "":
		return fmt.Sprintf("- %s: %s", d.Field, d.From)
	}
	return fmt.Sprintf("~ %s: %s -> %s", d.Field, d.From, d.To)
}

// differences compares two sales field by field.
func differences(from, to object) []Difference {
	before, after := map[string]string{}, map[string]string{}
	flatten(from, "", before)
	flatten(to, "", after)
	var found []Difference
	names := maps.Clone(before)
	maps.Copy(names, after)
	for _, field := range slices.Sorted(maps.Keys(names)) {
		if before[field] != after[field] {
			found = append(found, Difference{Field: field, From: before[field], To: after[field]})
		}
	}
	return found
}

// flatten writes the fields of a value by their paths. Items of lists are named by their ids. Fields that say "none"
// are left out, as the program leaves them out.
func flatten(value any, path string, into map[string]string) {
	switch v := value.(type) {
	case object:
		for name, field := range v {
			inner := name
			if path != "" {
				inner = path + "." + name
			}
			flatten(field, inner, into)
		}
		return
	case []any:
		if id := idField(v); id != "" {
			for _, item := range v {
				fields, _ := item.(object)
				name := fmt.Sprint(fields[id])
				for field, value := range fields {
					if field != id {
						flatten(value, fmt.Sprintf("%s[%s].%s", path, name, field), into)
					}
				}
			}
			return
		}
	}
	switch text := scalar(value); text {
	case `""`, "-1", "[]", "{}", "null":
	default:
		into[path] = text
	}
}

// idField returns the field that names the items of a list, or "" if they have no names.
func idField(items []any) string {
	for _, id := range []string{"sku_id", "point_id"} {
		named := len(items) > 0
		for _, item := range items {
			fields, _ := item.(object)
			_, has := fields[id].(string)
			named = named && has
		}
		if named {
			return id
		}
	}
	return ""
}

// scalar returns a value as JSON, numbers without needless digits.
func scalar(value any) string {
	if number, is := value.(json.Number); is {
		if f, err := number.Float64(); err == nil {
			value = f
		}
	}
	switch v := value.(type) {
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// overlay returns a value with the fields of another one over its own. Items of lists are matched by their ids; a list
// has only the items of the upper one.
func overlay(lower, upper any) any {
	switch up := upper.(type) {
	case object:
		low, _ := lower.(object)
		merged := maps.Clone(low)
		if merged == nil {
			merged = object{}
		}
		for name, field := range up {
			merged[name] = overlay(merged[name], field)
		}
		return merged
	case []any:
		id := idField(up)
		if id == "" {
			return upper
		}
		low, _ := lower.([]any)
		named := byID(low, id)
		merged := make([]any, len(up))
		for i, item := range up {
			fields, _ := item.(object)
			name, _ := fields[id].(string)
			merged[i] = overlay(any(named[name]), item)
		}
		return merged
	}
	return upper
}

// byID returns the objects of a list by the values of a field.
func byID(items []any, id string) map[string]object {
	named := map[string]object{}
	for _, item := range items {
		fields, _ := item.(object)
		if name, is := fields[id].(string); is {
			named[name] = fields
		}
	}
	return named
}
