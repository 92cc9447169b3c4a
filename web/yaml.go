package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// digest identifies a content.
func digest(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:12]
}

// yamlToJSON writes a YAML document as JSON, with the fields in the same order, since the order
// of the routes and fields was chosen for readers.
func yamlToJSON(data []byte) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("read YAML: %w", err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, fmt.Errorf("read YAML: not one document")
	}
	var out bytes.Buffer
	if err := writeNode(&out, doc.Content[0]); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func writeNode(out *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind { //nolint:exhaustive // the others are errors
	case yaml.MappingNode:
		out.WriteByte('{')
		for i := 0; i < len(n.Content); i += 2 {
			separate(out, i)
			name, err := json.Marshal(n.Content[i].Value)
			if err != nil {
				return err
			}
			out.Write(name)
			out.WriteByte(':')
			if err := writeNode(out, n.Content[i+1]); err != nil {
				return err
			}
		}
		out.WriteByte('}')
		return nil
	case yaml.SequenceNode:
		out.WriteByte('[')
		for i, item := range n.Content {
			separate(out, i)
			if err := writeNode(out, item); err != nil {
				return err
			}
		}
		out.WriteByte(']')
		return nil
	case yaml.ScalarNode:
		return writeScalar(out, n)
	}
	return fmt.Errorf("YAML line %d: neither a mapping, a sequence nor a scalar", n.Line)
}

func writeScalar(out *bytes.Buffer, n *yaml.Node) error {
	var value any = n.Value
	if n.Tag != "!!str" && n.Tag != "!!timestamp" {
		if err := n.Decode(&value); err != nil {
			return fmt.Errorf("YAML line %d: %w", n.Line, err)
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("YAML line %d: %w", n.Line, err)
	}
	out.Write(text)
	return nil
}

func separate(out *bytes.Buffer, i int) {
	if i > 0 {
		out.WriteByte(',')
	}
}
