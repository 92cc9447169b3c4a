package order

import (
	"encoding/json"
	"fmt"
	"strings"

	"onrush/modules/problem"
)

// Extras are what a request adds to its orders for the shop: its own fields, and what led to the orders. The requests
// that place orders, in a sale or not, embed them. For their JSON, the same holds as for ClientTexts.
type Extras struct {
	Fields FreeFields `json:"fields,omitempty" validate:"max=20,dive,keys,min=1,max=64,text,endkeys,max=200,text"`

	Room        string `json:"room_id,omitempty" validate:"omitempty,max=64,line"`
	ShareCode   string `json:"share_code,omitempty" validate:"omitempty,max=64,line"`
	ShareSource string `json:"share_source,omitempty" validate:"omitempty,max=64,line"`
	Inviter     string `json:"inviter_id,omitempty" validate:"omitempty,max=64,user"`
}

// maxFieldsBytes bounds the free fields of an order, as JSON.
const maxFieldsBytes = 4096

// PutExtras writes the extras into an order. The error is invalid_request for fields that are too long together.
func (e *Extras) PutExtras(o *Order) error {
	o.Fields, o.Room, o.ShareCode, o.ShareSource, o.Inviter = e.Fields, e.Room, e.ShareCode, e.ShareSource, e.Inviter
	if len(e.Fields) == 0 {
		return nil
	}
	fields, err := json.Marshal(e.Fields)
	if err != nil {
		return fmt.Errorf("encode fields: %w", err)
	}
	if len(fields) > maxFieldsBytes {
		return problem.Invalid("fields", "must have at most %d bytes in all", maxFieldsBytes)
	}
	return nil
}

// RequireFields returns invalid_request with the fields that a sku requires and that are missing or blank.
func (e *Extras) RequireFields(sku string, names []string) error {
	var wrong []problem.Field
	for _, name := range names {
		if strings.TrimSpace(e.Fields[name]) == "" {
			wrong = append(wrong, problem.Field{Name: "fields." + name, Detail: "is required for sku " + sku})
		}
	}
	return problem.InvalidFields(wrong)
}
