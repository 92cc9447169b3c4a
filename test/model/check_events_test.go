package model

import (
	"onrush/modules/journal"
	"onrush/modules/order"
	"onrush/test/site"
	"onrush/web/client"
)

// feed is what the shop platform has read.
type feed struct {
	cursor string
	types  map[string][]string // of the events of an order or refund, by its number
}

// checkEvents reads the new events, and requires one for each change, in the order of the changes.
func (m *model) checkEvents(stored stored) {
	s := m.instances[m.checks%len(m.instances)]
	s.Number(m)
	m.read(s)
	for _, o := range m.orders {
		var want []string
		switch now := stored.orders[o.number].Status; now {
		case "":
		case order.Unpaid:
			want = []string{journal.OrderPlaced}
		case order.Failed:
			want = []string{journal.OrderFailed}
		case order.Cancelled:
			want = []string{journal.OrderPlaced, journal.OrderCancelled}
		case order.Paid, order.Refunded:
			want = []string{journal.OrderPlaced, journal.OrderPaid}
			for range o.refunds {
				want = append(want, journal.OrderRefunded)
			}
		}
		m.same("events of order "+o.number, want, m.feed.types[o.number])
	}
	for _, r := range m.storedRefunds() {
		var want []string
		if r.Status == "done" {
			want = []string{journal.RefundDone}
		}
		m.same("events of refund "+r.Number, want, m.feed.types[r.Number])
	}
}

// read follows the feed to its end.
func (m *model) read(s *site.Site) {
	if m.feed.types == nil {
		m.feed = feed{cursor: "0", types: map[string][]string{}}
	}
	operator := s.Operator(m)
	for more := true; more; {
		page := get[client.PlatformEventList](m, operator, operators+"/events?page_size=7&after="+m.feed.cursor)
		for _, e := range page.Items {
			subject := e.Data.Order.OrderNumber
			if e.Type == journal.RefundDone {
				subject = e.Data.Refund.RefundNumber
			}
			m.feed.types[subject] = append(m.feed.types[subject], e.Type)
		}
		m.feed.cursor, more = page.NextCursor, page.More
	}
}
