package order

import "encoding/json"

// RecordItem is the item of a record.
var RecordItem = recordItem{}

// MarshalRecord is EncodeRecord by encoding/json.
func MarshalRecord(o *Order) ([]byte, error) {
	return json.Marshal(record{Version: versionOf(o), Order: o, Item: recordItem(o.Items[0])})
}
