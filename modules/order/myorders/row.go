package myorders

import (
	"cmp"

	"github.com/mailru/easyjson/jwriter"

	"onrush/modules/api"
	"onrush/modules/order"
)

//go:generate go tool easyjson -no_std_marshalers $GOFILE

// Row is one order of a list. It has what may change, and its content as JSON.
type Row struct {
	order.State
	content []byte       // the JSON of order.Content; nil until it is read
	order   *order.Order // of a cached order, until content is made of it
}

func newestFirst(a, b Row) int { return cmp.Compare(b.Number, a.Number) }

func (r *Row) cached() bool { return r.Source == order.FromCache }

// MarshalEasyJSON writes the order as GET /orders/{order_number} shows it, without its log.
func (r Row) MarshalEasyJSON(w *jwriter.Writer) {
	r.State.MarshalEasyJSON(w)
	if len(r.content) > len("{}") {
		w.Buffer.Buf[len(w.Buffer.Buf)-1] = ',' // instead of }
		w.Raw(r.content[1:], nil)               // without {
	}
}

// MarshalJSON is MarshalEasyJSON for encoding/json.
func (r Row) MarshalJSON() ([]byte, error) {
	w := api.NewWriter(rowSize)
	r.MarshalEasyJSON(&w)
	return w.BuildBytes()
}

// rowSize is more than the JSON of most orders has, in bytes.
const rowSize = 1024

// rows is api.List[Row], for which no code can be generated.
//
//easyjson:json
type rows struct {
	Items      []Row  `json:"items"`
	Page       int    `json:"page,omitempty"`
	PageSize   int    `json:"page_size"`
	Total      *int64 `json:"total,omitempty"`
	NextCursor string `json:"next_cursor,omitempty"`
	Partial    bool   `json:"partial"`
}

// encodeList returns the JSON of a page. It copies the contents of the orders, which encoding/json would read again.
func encodeList(list api.List[Row]) ([]byte, error) {
	if list.Items == nil {
		list.Items = []Row{}
	}
	w := api.NewWriter(rowSize * (len(list.Items) + 1))
	rows(list).MarshalEasyJSON(&w)
	return w.BuildBytes()
}
