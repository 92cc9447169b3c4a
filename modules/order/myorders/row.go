package myorders

import (
	"cmp"
	"encoding/json"

	"onrush/modules/api"
	"onrush/modules/order"
)

// Row is one order of a list. It has what may change, and its content as JSON.
type Row struct {
	order.State
	content []byte       // the JSON of order.Content; nil until it is read
	order   *order.Order // of a cached order, until content is made of it
}

func newestFirst(a, b Row) int { return cmp.Compare(b.Number, a.Number) }

func (r *Row) cached() bool { return r.Source == order.FromCache }

// MarshalJSON writes the order as GET /orders/{order_number} shows it, without its log.
func (r Row) MarshalJSON() ([]byte, error) { return r.append(nil) }

// append appends the JSON of the order to data.
func (r *Row) append(data []byte) ([]byte, error) {
	state, err := json.Marshal(r.State)
	if err != nil || len(r.content) <= len("{}") {
		return append(data, state...), err
	}
	data = append(data, state[:len(state)-1]...) // without }
	data = append(data, ',')
	return append(data, r.content[1:]...), nil // without {
}

// rowSize is more than the JSON of most orders has, in bytes.
const rowSize = 1024

// encodeList returns the JSON of a page. It copies the contents of the orders, which encoding/json would read again.
func encodeList(list api.List[Row]) ([]byte, error) {
	rows := list.Items
	list.Items = nil
	around, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	begin := len(`{"items":[`)
	data := make([]byte, 0, rowSize*(len(rows)+1))
	data = append(data, around[:begin]...)
	for i := range rows {
		if i > 0 {
			data = append(data, ',')
		}
		if data, err = rows[i].append(data); err != nil {
			return nil, err
		}
	}
	return append(data, around[begin:]...), nil
}
