package myorders

import (
	"bytes"
	"cmp"
	"strconv"

	"onrush/modules/order"
	"onrush/web/api"
)

// Row is one order of a list. It has what may change, and its content as JSON.
type Row struct {
	Number order.Number
	Status order.Status
	Cached bool // in Redis, not yet in SQL

	paidMS, cancelledMS int64
	refunded            int64 // amount
	reason              string
	content             []byte       // the JSON of order.Content; nil until it is read
	voucher             string       // the first voucher code
	order               *order.Order // of a cached order, until content is made of it
}

func newestFirst(a, b Row) int { return cmp.Compare(b.Number, a.Number) }

// MarshalJSON writes the order as GET /orders/{order_number} shows it, without its log.
func (r Row) MarshalJSON() ([]byte, error) { return r.appendTo(nil), nil }

// appendTo appends the JSON of a View without events.
func (r *Row) appendTo(b []byte) []byte {
	b = append(b, `{"order_number":"`...)
	b = strconv.AppendInt(b, int64(r.Number), 10)
	b = append(b, `","status":"`...)
	b = append(b, r.Status...)
	if r.Cached {
		b = append(b, `","source":"`+order.FromCache+`"`...)
	} else {
		b = append(b, `","source":"`+order.FromSQL+`"`...)
	}
	if inner := bytes.TrimSuffix(r.content, []byte("}")); len(inner) > 1 {
		b = append(b, ',')
		b = append(b, inner[1:]...) // without its {
	}
	b = api.AppendTime(b, `,"paid_at":`, api.Millis(r.paidMS))
	cancelled, reason := order.Cancellation(r.Status, r.cancelledMS, r.reason)
	b = api.AppendTime(b, `,"cancelled_at":`, cancelled)
	b = api.AppendText(b, `,"cancel_reason":`, reason)
	b = api.AppendText(b, `,"voucher_code":`, r.voucher)
	if r.refunded != 0 {
		b = strconv.AppendInt(append(b, `,"refunded_amount":`...), r.refunded, 10)
	}
	return append(b, '}')
}

// appendList appends the JSON of a page, as api.List writes it. It copies the contents of the orders, which
// encoding/json would read again.
func appendList(b []byte, list *api.List[Row]) []byte {
	b = append(b, `{"items":[`...)
	for i := range list.Items {
		if i > 0 {
			b = append(b, ',')
		}
		b = list.Items[i].appendTo(b)
	}
	b = append(b, ']')
	if list.Page != 0 {
		b = strconv.AppendInt(append(b, `,"page":`...), int64(list.Page), 10)
	}
	b = strconv.AppendInt(append(b, `,"page_size":`...), int64(list.PageSize), 10)
	if list.Total != nil {
		b = strconv.AppendInt(append(b, `,"total":`...), *list.Total, 10)
	}
	b = api.AppendText(b, `,"next_cursor":`, list.NextCursor)
	b = strconv.AppendBool(append(b, `,"partial":`...), list.Partial)
	return append(b, '}')
}
