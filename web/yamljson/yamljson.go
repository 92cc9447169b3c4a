// Package yamljson writes YAML as JSON, for the description of the interface.
package yamljson

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// Convert writes a YAML document as JSON, with the fields in the same order, since the order of the routes and
// fields was chosen for readers. Libraries that convert YAML into values first, such as github.com/oasdiff/yaml, sort
// them.
func Convert(data []byte) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("read YAML: %w", err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, errors.New("read YAML: not one document")
	}
	var out bytes.Buffer
	if err := writeNode(jsontext.NewEncoder(&out), doc.Content[0]); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func writeNode(enc *jsontext.Encoder, n *yaml.Node) error {
	var err error
	switch n.Kind {
	case yaml.MappingNode:
		err = enc.WriteToken(jsontext.BeginObject)
		for i := 0; i < len(n.Content) && err == nil; i += 2 {
			if err = enc.WriteToken(jsontext.String(n.Content[i].Value)); err == nil {
				err = writeNode(enc, n.Content[i+1])
			}
		}
		return cmp.Or(err, enc.WriteToken(jsontext.EndObject))
	case yaml.SequenceNode:
		err = enc.WriteToken(jsontext.BeginArray)
		for i := 0; i < len(n.Content) && err == nil; i++ {
			err = writeNode(enc, n.Content[i])
		}
		return cmp.Or(err, enc.WriteToken(jsontext.EndArray))
	case yaml.ScalarNode:
		var value any = n.Value
		if n.Tag != "!!str" && n.Tag != "!!timestamp" {
			err = n.Decode(&value)
		}
		if err == nil {
			err = json.MarshalEncode(enc, value)
		}
	default:
		err = errors.New("neither a mapping, a sequence nor a scalar")
	}
	if err != nil {
		return fmt.Errorf("YAML line %d: %w", n.Line, err)
	}
	return nil
}
