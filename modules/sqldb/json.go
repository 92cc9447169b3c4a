package sqldb

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
)

// ListJSON is the text of a list in a column, which ScanJSON reads. The text of an empty list is empty.
func ListJSON(list []string) (driver.Value, error) {
	if len(list) == 0 {
		return "", nil
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("write a column of JSON: %w", err)
	}
	return string(text), nil
}

// ScanJSON reads a text column, as a driver returns it, into a value. An empty text sets the zero value.
func ScanJSON[T any](column any, into *T) error {
	text, err := ScanText(column)
	if err != nil {
		return err
	}
	var value T
	if text != "" {
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			return fmt.Errorf("read a column of JSON: %w", err)
		}
	}
	*into = value
	return nil
}

// ScanText returns the text of a column, as a Scan of another type gets it.
func ScanText(column any) (string, error) {
	switch v := column.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	default:
		return "", fmt.Errorf("read a column of text: it is a %T", column)
	}
}

// FormatJSON returns a value as a text column has it, or the empty text for the zero value.
func FormatJSON[T comparable](value T) (string, error) {
	var zero T
	if value == zero {
		return "", nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("write a column of JSON: %w", err)
	}
	return string(text), nil
}
