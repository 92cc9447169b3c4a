package operator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Item is one of the things that a file has, such as a sku.
type Item struct {
	ID     string
	Line   int // in the file
	fields object
}

// ReadItems reads the items of a file, YAML or JSON: one item, or a list of items, each with its id in the field id.
func ReadItems(r io.Reader, id string) ([]Item, error) {
	doc, err := readYAML(r)
	if err != nil {
		return nil, err
	}
	nodes := []*yaml.Node{doc}
	if doc.Kind == yaml.SequenceNode {
		nodes = doc.Content
	}
	if len(nodes) == 0 {
		return nil, errors.New("the file has no items")
	}
	items := make([]Item, len(nodes))
	for i, n := range nodes {
		value, err := fromYAML(n, "", maxDepth)
		if err != nil {
			return nil, err
		}
		fields, _ := value.(object)
		items[i] = Item{ID: idOf(fields, id), Line: n.Line, fields: fields}
		if items[i].ID == "" {
			return nil, fmt.Errorf("line %d: the item has no %s", n.Line, id)
		}
	}
	return items, nil
}

// itemsPerCall is how many items one request has, as the program takes them.
const itemsPerCall = 1000

// PutItems stores items by a route that stores all items of a request or none, and returns them as they are stored. A
// list that is longer than a request takes several, one after the other: after an error the items of the earlier
// requests are stored.
func (c *Client) PutItems(ctx context.Context, path string, items []Item) (stored []json.RawMessage, err error) {
	for some := range slices.Chunk(items, itemsPerCall) {
		fields := make([]object, len(some))
		for i, item := range some {
			fields[i] = item.fields
		}
		var answer struct {
			Items []json.RawMessage `json:"items"`
		}
		err := WithLines(c.Call(ctx, http.MethodPut, path, "", object{"items": fields}, &answer), "items",
			func(i int) string { return fmt.Sprintf("line %d, %s: ", some[i].Line, some[i].ID) }, len(some))
		if err != nil && len(stored) > 0 {
			err = fmt.Errorf("stored before: %d: %w", len(stored), err)
		}
		if err != nil {
			return stored, err
		}
		stored = append(stored, answer.Items...)
	}
	return stored, nil
}

// itemIndex matches how a problem names an item of a request.
var itemIndex = regexp.MustCompile(`\b(\w+)\[(\d+)\](\.|: | )?`)

// WithLines returns the error of a request with a list of n items, with line(i) in place of the index of item i.
func WithLines(err error, list string, line func(i int) string, n int) error {
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	refusal.detail = itemIndex.ReplaceAllStringFunc(refusal.detail, func(match string) string {
		found := itemIndex.FindStringSubmatch(match)
		i, failed := strconv.Atoi(found[2])
		if failed != nil || found[1] != list || i >= n {
			return match
		}
		return line(i)
	})
	return err
}

// WriteItem writes an item as YAML that ReadItems reads, some fields first.
func WriteItem(w io.Writer, item map[string]any, first ...string) error {
	doc := &yaml.Node{Kind: yaml.MappingNode}
	rest := slices.DeleteFunc(slices.Sorted(maps.Keys(item)),
		func(name string) bool { return slices.Contains(first, name) })
	for _, name := range slices.Concat(first, rest) {
		field, has := item[name]
		if !has {
			continue
		}
		var value yaml.Node
		if err := value.Encode(plain(field)); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		doc.Content = append(doc.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, &value)
	}
	enc := yaml.NewEncoder(w)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		return err
	}
	return enc.Close()
}
