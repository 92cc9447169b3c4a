package model

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"onrush/modules/order"
	"onrush/test/site"
	"onrush/web/client"
)

// maxPageSize is the largest size of pages that Check reads, beside one that has all orders.
const maxPageSize = 5

// Check holds the state of the program against the model. It runs after each action.
func (m *model) Check(*rapid.T) {
	m.faults.disarm()
	m.checks++
	m.seen.count("step")
	stored := m.stored()
	m.found(stored)
	m.checkStatuses(stored)
	for _, of := range m.sales {
		m.checkStock(of, stored)
	}
	m.checkMoney(stored)
	m.checkEvents(stored)
	s := m.instances[m.checks%len(m.instances)]
	user := users[m.checks%len(users)]
	m.checkList(s, user, 1+m.checks/len(users)%maxPageSize, stored)
	if len(m.orders) > 0 {
		m.checkOrder(s, m.orders[m.checks%len(m.orders)], stored)
	}
}

// after has the statuses that may follow a status of an order; "" is in Redis only.
var after = map[order.Status][]order.Status{
	"":              {order.Unpaid, order.Paid, order.Cancelled, order.Failed},
	order.Unpaid:    {order.Paid, order.Cancelled},
	order.Paid:      {order.Refunded},
	order.Cancelled: {}, order.Refunded: {}, order.Failed: {},
}

// checkStatuses holds the orders in SQL against the accepted ones: each status may follow the last one, for a reason.
func (m *model) checkStatuses(stored stored) {
	known := 0
	for _, o := range m.orders {
		now, ok := stored.orders[o.number]
		if !ok {
			m.require(o.status == "", "order %s is gone from SQL", o.number)
			continue
		}
		known++
		m.require(now.User == o.user && now.Activity == o.sale.id && now.Point == o.point &&
			now.Quantity == o.quantity(), "order %s is stored as %+v", o.number, now)
		m.require(now.Refunded == o.refunded, "of order %s, %d went back, not %d", o.number, now.Refunded, o.refunded)
		if now.Status == o.status {
			continue
		}
		m.require(slices.Contains(after[o.status], now.Status), "order %s was %q and is %q", o.number, o.status,
			now.Status)
		switch now.Status {
		case order.Paid:
			m.require(o.paid, "order %s is paid without money", o.number)
		case order.Cancelled:
			m.require(o.cancelled || !m.clock.Now().Before(o.due), "order %s is cancelled early", o.number)
		case order.Failed:
			m.require(o.discarded, "order %s has failed", o.number)
		case order.Refunded:
			m.require(o.refunded == o.total(), "order %s is refunded, of %d only %d", o.number, o.total(), o.refunded)
		case order.Unpaid:
		}
		o.status = now.Status
	}
	m.require(known == len(stored.orders), "SQL has %d orders, %d of them were accepted", len(stored.orders), known)
}

// shown is the status that a buyer sees.
func (o *placed) shown(stored stored) order.Status {
	if now, ok := stored.orders[o.number]; ok {
		return now.Status
	}
	return order.Unpaid
}

// visible returns a buyer's orders, newest first, without those that can't be read.
func (m *model) visible(user string, stored stored) (want []*placed) {
	for _, o := range m.orders {
		if _, ok := stored.orders[o.number]; o.user == user && (ok || o.record == "") {
			want = append(want, o)
		}
	}
	slices.SortFunc(want, func(a, b *placed) int { // the numbers have the same length
		return strings.Compare(b.number, a.number)
	})
	return want
}

// checkList reads my orders in pages of a size, by number and by cursor, and by status.
func (m *model) checkList(s *site.Site, user string, size int, stored stored) {
	want := m.visible(user, stored)
	lines := func(all []*placed) (lines []string) {
		for _, o := range all {
			lines = append(lines, o.number+" "+string(o.shown(stored)))
		}
		return lines
	}
	buyer := s.Buyer(m, user)
	var paged []string
	for page := 1; ; page++ {
		list := m.list(buyer, fmt.Sprintf("page=%d&page_size=%d", page, size))
		m.require(list.Total >= int64(len(want)) && list.Total <= int64(len(want)+m.spoilt(user)),
			"%s has %d orders, the list says %d", user, len(want), list.Total)
		if paged = append(paged, linesOf(list)...); int64(page*size) >= list.Total {
			break
		}
	}
	m.same("pages of "+user, lines(want), paged)
	var followed []string
	for query := fmt.Sprintf("page_size=%d", size); query != ""; {
		list := m.list(buyer, query)
		followed, query = append(followed, linesOf(list)...), ""
		if list.NextCursor != "" {
			query = fmt.Sprintf("page_size=%d&before=%s", size, list.NextCursor)
		}
	}
	m.same("list by cursor of "+user, lines(want), followed)
	status := []order.Status{order.Unpaid, order.Paid, order.Cancelled, order.Refunded}[m.checks%4]
	filtered := slices.DeleteFunc(slices.Clone(want), func(o *placed) bool { return o.shown(stored) != status })
	m.same(fmt.Sprintf("%s orders of %s", status, user), lines(filtered),
		linesOf(m.list(buyer, fmt.Sprintf("page_size=100&status=%s", status))))
}

// list reads a page, and again if Redis took too long, as on a busy machine. A list without an order whose record is
// spoilt is partial.
func (m *model) list(buyer *site.Person, query string) (page client.OrderList) {
	for range 20 {
		if page = get[client.OrderList](m, buyer, "/api/v1/orders?"+query); !page.Partial || m.spoilt(buyer.Name) > 0 {
			return page
		}
	}
	m.Fatalf("the list of %s is partial", buyer.Name)
	return page
}

// spoilt returns how many orders of a buyer have a record that can't be read. A list counts them, and shows none.
func (m *model) spoilt(user string) (n int) {
	for _, o := range m.orders {
		if o.user == user && o.record != "" {
			n++
		}
	}
	return n
}

func linesOf(list client.OrderList) (lines []string) {
	for _, o := range list.Items {
		lines = append(lines, o.OrderNumber+" "+o.Status)
	}
	return lines
}

// same requires that two lists are equal.
func (m *model) same(what string, want, got []string) {
	m.require(slices.Equal(want, got), "%s:\n want %v\n  got %v", what, want, got)
}

// checkOrder reads an order.
func (m *model) checkOrder(s *site.Site, o *placed, stored stored) {
	buyer := s.Buyer(m, o.user)
	if _, ok := stored.orders[o.number]; ok || o.record == "" {
		got, want := get[client.Order](m, buyer, "/api/v1/orders/"+o.number).Status, string(o.shown(stored))
		m.require(got == want, "order %s is %s, not %s", o.number, got, want)
	}
}
