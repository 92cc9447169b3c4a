package operator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"onrush/modules/ids"
)

// object is a JSON object.
type object = map[string]any

// SaleFile is a sale as its file says. What the file doesn't name stays as it is.
type SaleFile struct {
	ID      string
	Publish bool   // its state is "published"
	Fields  object // as PUT /admin/api/v1/activities/{activity_id} takes them
	Version int64  // of the sale from which the file was made; 0: unknown

	lines map[string]int // of the fields by their paths, such as skus[0].flash_price
}

// maxFile is how many bytes a file may have; a sale of 100 skus at 1,000 points has 5 MB.
const maxFile = 16 << 20

// maxDepth is how deep values of a file may be nested.
const maxDepth = 10

// ReadSale reads a sale from YAML or JSON: the fields of an activity, its activity_id, and its state, draft or
// published.
func ReadSale(r io.Reader) (*SaleFile, error) {
	doc, err := readYAML(r)
	if err != nil {
		return nil, err
	}
	value, err := fromYAML(doc, "", maxDepth)
	if err != nil {
		return nil, err
	}
	fields, ok := value.(object)
	if !ok {
		return nil, errors.New("the file must have the fields of a sale, such as title")
	}
	file := &SaleFile{Fields: fields, lines: map[string]int{}}
	linesOf(doc, "", file.lines)
	file.ID, _ = fields["activity_id"].(string)
	if !ids.Valid(file.ID) {
		return nil, errors.New("activity_id " + ids.Rule + "; choose one for a new sale")
	}
	switch state := fields["state"]; state {
	case nil, "draft":
	case "published":
		file.Publish = true
	default:
		return nil, fmt.Errorf("state must be draft or published, not %v; onrush activities close ends a sale", state)
	}
	if version, has := fields["version"]; has {
		n, is := version.(int)
		if !is || n < 1 {
			return nil, errors.New("version must be a number as onrush activities show prints it, or be left out")
		}
		file.Version = int64(n)
	}
	for _, name := range readOnly {
		delete(fields, name)
	}
	return file, nil
}

// readYAML reads the one document of a file.
func readYAML(r io.Reader) (*yaml.Node, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("the file has more than %d bytes", maxFile)
	}
	decoder := yaml.NewDecoder(strings.NewReader(string(data)))
	var doc, more yaml.Node
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty")
	} else if err != nil {
		return nil, err
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("the file must have one document, and nothing after it")
	}
	return doc.Content[0], nil
}

// readOnly are the fields of an activity that only the program writes, or that have a request of their own.
var readOnly = []string{"activity_id", "state", "version", "lane", "created_at", "paused_at"}

// fromYAML returns the value of a node as JSON has it. Ids are texts even where they look like numbers, and so are
// times; key is the name of the field.
func fromYAML(n *yaml.Node, key string, depth int) (any, error) {
	if depth == 0 {
		return nil, fmt.Errorf("line %d: values are nested too deep", n.Line)
	}
	switch n.Kind { //nolint:exhaustive // all other kinds are scalars
	case yaml.AliasNode:
		return fromYAML(n.Alias, key, depth-1)
	case yaml.MappingNode:
		fields := object{}
		for i := 0; i < len(n.Content); i += 2 {
			name := n.Content[i].Value
			if _, twice := fields[name]; twice {
				return nil, fmt.Errorf("line %d: %s is given twice", n.Content[i].Line, name)
			}
			value, err := fromYAML(n.Content[i+1], name, depth-1)
			if err != nil {
				return nil, err
			}
			fields[name] = value
		}
		return fields, nil
	case yaml.SequenceNode:
		items := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			value, err := fromYAML(item, key, depth-1)
			if err != nil {
				return nil, err
			}
			items = append(items, value)
		}
		if id := twice(items); id != "" {
			return nil, fmt.Errorf("line %d: %s has a %s twice", n.Line, key, id)
		}
		return items, nil
	}
	switch {
	case n.Tag == "!!null" && key != "": // a PATCH with null changes nothing, and no quantity is not 0
		return nil, fmt.Errorf("line %d: %s has no value; without the field, the sale keeps its own", n.Line, key)
	case strings.HasSuffix(key, "_id"), key == "segments", key == "limit_key", key == "name", key == "values":
		return n.Value, nil
	case strings.HasSuffix(key, "_at"), key == "until":
		return inUTC(n.Value), nil
	case n.Tag == "!!int": // to YAML, 0100 is 64
		number, err := strconv.Atoi(n.Value)
		if err != nil {
			return nil, fmt.Errorf("line %d: %s is %s, but must be a decimal number", n.Line, key, n.Value)
		}
		return number, nil
	}
	var value any
	if err := n.Decode(&value); err != nil {
		return nil, err
	}
	if _, is := value.(time.Time); is { // a title may look like one
		return n.Value, nil
	}
	return value, nil
}

// twice returns the field that names the items of a list if two of them have the same name, or else "".
func twice(items []any) string {
	for _, id := range []string{"sku_id", "point_id"} {
		names := map[string]bool{}
		for _, item := range items {
			name := idOf(item, id)
			if name != "" && names[name] {
				return id
			}
			names[name] = true
		}
	}
	return ""
}

func idOf(item any, field string) string {
	fields, _ := item.(object)
	id, _ := fields[field].(string)
	return id
}

// linesOf writes the lines of all fields of a node by their paths.
func linesOf(n *yaml.Node, path string, into map[string]int) {
	switch n.Kind { //nolint:exhaustive // all other kinds are scalars
	case yaml.AliasNode:
		linesOf(n.Alias, path, into)
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			field := strings.TrimPrefix(path+"."+n.Content[i].Value, ".")
			into[field] = n.Content[i].Line
			linesOf(n.Content[i+1], field, into)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			linesOf(item, fmt.Sprintf("%s[%d]", path, i), into)
		}
	}
}

// TimeFormat is how the program writes times.
const TimeFormat = "2006-01-02T15:04:05.000Z"

// inUTC returns a time as the program writes it. It returns any other text unchanged, so that the program refuses it.
func inUTC(text string) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return text
	}
	return at.UTC().Format(TimeFormat)
}

// WriteSale writes a sale as YAML that ReadSale reads.
func WriteSale(w io.Writer, sale json.RawMessage) error {
	var fields object
	decoder := json.NewDecoder(strings.NewReader(string(sale)))
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil {
		return fmt.Errorf("read the sale: %w", err)
	}
	first := []string{"activity_id", "state", "version", "title", "shop_id", "starts_at", "ends_at"}
	maps.DeleteFunc(fields, func(name string, value any) bool {
		return value == nil || slices.Contains(readOnly, name) && !slices.Contains(first, name)
	})
	return WriteItem(w, fields, first...)
}

// plain returns a value of JSON with numbers that YAML writes without quotes.
func plain(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case object:
		for name, field := range v {
			v[name] = plain(field)
		}
	case []any:
		for i, item := range v {
			v[i] = plain(item)
		}
	}
	return value
}
