package drill

import (
	"maps"
	"slices"
	"strconv"

	"onrush/web/client"
)

// judgeEvents compares the events of each order with what became of it, and the feed as it was followed with the feed
// as it is.
func judgeEvents(f *facts, v *verdicts) {
	byOrder := map[string][]event{}
	refunds, again := map[string]int{}, map[string]bool{}
	last := int64(0)
	for _, e := range f.feed {
		again[e.id] = true
		id, _ := strconv.ParseInt(e.id, 10, 64)
		if id <= last {
			v.problem(checkEvents, "event %s comes after %d", e.id, last)
		}
		last = id
		byOrder[e.order] = append(byOrder[e.order], e)
		if e.kind == "refund.done" {
			refunds[e.refund]++
		}
		if _, got := f.followed[e.id]; !got {
			v.problem(checkEvents, "a reader with a cursor did not get event %s %s", e.id, e.kind)
		}
	}
	if f.missed {
		v.problem(checkEvents, "the feed says that a reader has missed events")
	}
	for id, e := range f.followed { // later ones came after the feed was read again
		if n, _ := strconv.ParseInt(id, 10, 64); n <= last && !again[id] {
			v.problem(checkEvents, "event %s %s is gone, which a reader with a cursor got", id, e.kind)
		}
	}
	operators := map[string]int{} // refunds by order that operators asked for
	for _, r := range f.refunds {
		if r.Reason == "operator" {
			operators[r.OrderNumber]++
		}
		if _, ours := f.payments[r.PayNumber]; ours && r.Status == "done" && refunds[r.RefundNumber] != 1 {
			v.problem(checkEvents, "refund %s is done and has %d events", r.RefundNumber, refunds[r.RefundNumber])
		}
	}
	for _, o := range f.orders {
		judgeEventsOf(o, byOrder[o.OrderNumber], operators[o.OrderNumber], v)
	}
}

// rank is the place of an event among the events of its order.
var rank = map[string]int{
	"order.placed": 1, "order.pay_extended": 2, "order.failed": 3, "order.paid": 3, "order.cancelled": 3,
	"order.vouchers_given": 4, "order.refunded": 5,
}

func judgeEventsOf(o client.AdminOrder, events []event, refunds int, v *verdicts) {
	count := map[string]int{}
	for i, e := range events {
		v.checked[checkEvents]++
		count[e.kind]++
		if i > 0 && rank[e.kind] < rank[events[i-1].kind] {
			v.problem(checkEvents, "%s of order %s comes after %s", e.kind, o.OrderNumber, events[i-1].kind)
		}
	}
	want := map[string]int{"order.placed": 1}
	switch o.Status {
	case "paid", "refunded":
		want["order.paid"] = 1
	case "cancelled":
		want["order.cancelled"] = 1
	case "failed":
		want = map[string]int{"order.failed": 1}
	}
	if refunds > 0 {
		want["order.refunded"] = refunds
	}
	if count["order.pay_extended"] == 1 { // or not at all
		want["order.pay_extended"] = 1
	}
	for _, kind := range slices.Sorted(maps.Keys(rank)) {
		if kind != "order.vouchers_given" && count[kind] != want[kind] {
			v.problem(checkEvents, "order %s, which is %s, has %d events %s, not %d", o.OrderNumber, o.Status,
				count[kind], kind, want[kind])
		}
	}
}
