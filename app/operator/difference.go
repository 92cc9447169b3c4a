package operator

import (
	"encoding/json"
	"fmt"

	"onrush/web/client"
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

// DifferenceOf returns a difference that the program found.
func DifferenceOf(field client.ChangedField) Difference {
	return Difference{Field: field.Field, From: textOf(field.From), To: textOf(field.To)}
}

// textOf returns a value as JSON, "" for none.
func textOf(value any) string {
	if value == nil {
		return ""
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
