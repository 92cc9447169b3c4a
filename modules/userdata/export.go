package userdata

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"onrush/modules/api"
	"onrush/modules/journal"
	"onrush/modules/order"
	orderadmin "onrush/modules/order/admin"
	"onrush/modules/order/complete"
	payadmin "onrush/modules/pay/admin"
	"onrush/modules/seckill/draw"
	"onrush/modules/seckill/remind"
	"onrush/modules/seckill/waitlist"
	"onrush/modules/sqldb"
)

// exportPage is how many orders or payments one page of an export has.
const exportPage = 100

// exportedOrder is an order with the operators' notes on it, and the addresses that it had before.
type exportedOrder struct {
	orderadmin.View
	Notes  []orderadmin.Note        `json:"notes"`
	Former []complete.FormerAddress `json:"former_addresses,omitempty"`
}

// exportedEvent is an event of the feed that belongs to the user.
type exportedEvent struct {
	Type    string          `json:"type"`
	Subject string          `json:"subject"`
	At      api.Millis      `json:"at"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// exportedBlock is why and until when the user is refused in sales.
type exportedBlock struct {
	Reason string     `json:"reason" db:"reason"`
	Since  api.Millis `json:"updated_at" db:"updated_ms"`
	Until  api.Millis `json:"until,omitzero" db:"until_ms"`
}

// Export returns the data of a user as one JSON object: each call of the function returns the next part, and nothing at
// the end. A value that changes meanwhile may be in the export as it was before or as it is after.
func (s *Service) Export(user string, at time.Time) func(context.Context) ([]byte, error) {
	x := &export{Service: s, user: user, text: []byte(`{"user_id":` + quote(user) + `,"exported_at":` +
		quote(at.UTC().Format("2006-01-02T15:04:05.000Z")))}
	x.sections = []section{
		{name: "refusals", page: x.refusalList, short: true},
		// Before the orders: an order that is stored meanwhile is in both lists, not in none.
		{name: "waiting_orders", page: x.waitingOrders, short: true},
		{name: "addresses", page: x.addressList, short: true},
		{name: "waitlist", page: x.waitlistEntries, short: true},
		{name: "reminders", page: x.reminderList, short: true},
		{name: "draws", page: x.drawEntries, short: true},
		{name: "orders", page: x.orderList},
		{name: "invited_orders", page: x.invitedOrders},
		{name: "payments", page: x.paymentList},
		{name: "events", page: x.eventList},
		{name: "blocks", page: x.blockList},
		{name: "eligible_sales", page: x.eligibleSales},
	}
	return func(ctx context.Context) ([]byte, error) {
		part, err := x.next(ctx)
		return part, unavailable(err)
	}
}

// section is a list of an export. page appends the next items and returns whether there are more.
type section struct {
	name string
	page func(ctx context.Context) (more bool, err error)
	// short sections are in one part with the next one: so the first part needs both stores, and if one is
	// unavailable, the caller gets a problem rather than an incomplete file.
	short bool
}

// export is one export that is being written.
type export struct {
	*Service

	user     string
	sections []section // the rest of them
	inside   bool      // the first section has begun
	items    int       // of the section
	text     []byte    // of the page
	cursor   int64     // of the section
	done     bool
}

func (x *export) next(ctx context.Context) ([]byte, error) {
	if x.done {
		return nil, nil
	}
	if len(x.sections) == 0 {
		x.done = true
		return []byte("}\n"), nil
	}
	now := x.sections[0]
	if !x.inside {
		x.text = append(x.text, `,"`+now.name+`":[`...)
		x.inside, x.items, x.cursor = true, 0, 0
	}
	more, err := now.page(ctx)
	if err != nil {
		return nil, fmt.Errorf("export %s: %w", now.name, err)
	}
	if !more {
		x.text = append(x.text, ']')
		x.inside, x.sections = false, x.sections[1:]
	}
	if now.short || len(x.text) == 0 { // the latter is a page of events of others
		return x.next(ctx)
	}
	part := x.text
	x.text = nil
	return part, nil
}

// add appends an item to the section.
func (x *export) add(item any) error {
	text, err := json.Marshal(item)
	if err != nil {
		return err
	}
	if x.items > 0 {
		x.text = append(x.text, ',')
	}
	x.items++
	x.text = append(x.text, text...)
	return nil
}

func addAll[T any](x *export, items []T) error {
	for i := range items {
		if err := x.add(items[i]); err != nil {
			return err
		}
	}
	return nil
}

func (x *export) addressList(ctx context.Context) (more bool, err error) {
	list, err := x.addresses.List(ctx, x.user, api.Page{Page: 1, Size: exportPage}) // more than a user may have
	if err != nil {
		return false, err
	}
	return false, addAll(x, list.Items)
}

func (x *export) waitingOrders(ctx context.Context) (more bool, err error) {
	orders, err := x.cachedOrders(ctx, x.user)
	if err != nil {
		return false, err
	}
	for _, o := range orders {
		if err := x.add(order.NewView(o, nil)); err != nil {
			return false, err
		}
	}
	return false, nil
}

// waitlistEntries lists what the user waits for in sales; a user has few entries.
func (x *export) waitlistEntries(ctx context.Context) (more bool, err error) {
	entries, err := waitlist.Of(ctx, x.db.Read, x.user)
	if err != nil {
		return false, err
	}
	return false, addAll(x, entries)
}

// reminderList lists the reminders that the user has asked for; a user has few.
func (x *export) reminderList(ctx context.Context) (more bool, err error) {
	reminders, err := remind.Of(ctx, x.db.Read, x.user)
	if err != nil {
		return false, err
	}
	return false, addAll(x, reminders)
}

// drawEntries lists the entries of the user in draws; a user has few.
func (x *export) drawEntries(ctx context.Context) (more bool, err error) {
	entries, err := draw.Of(ctx, x.db.Read, x.user)
	if err != nil {
		return false, err
	}
	return false, addAll(x, entries)
}

// newest returns the cursor of the next page of a list, which begins with the newest.
func (x *export) newest() api.Page {
	if x.cursor == 0 {
		x.cursor = math.MaxInt64
	}
	return api.Page{Before: x.cursor, Size: exportPage}
}

// follow keeps the cursor of the next page and reports whether there is one.
func (x *export) follow(cursor string) (more bool, err error) {
	if cursor == "" {
		return false, nil
	}
	x.cursor, err = strconv.ParseInt(cursor, 10, 64)
	return true, err
}

func (x *export) orderList(ctx context.Context) (more bool, err error) {
	list, err := x.orders.List(ctx, orderadmin.Filter{User: x.user}, x.newest())
	if err != nil {
		return false, err
	}
	for i := range list.Items {
		notes, err := x.notes.Of(ctx, list.Items[i].Number)
		if err != nil {
			return false, err
		}
		former, err := complete.FormerAddresses(ctx, x.db.Read, list.Items[i].Number)
		if err != nil {
			return false, err
		}
		if err := x.add(exportedOrder{list.Items[i], notes, former}); err != nil {
			return false, err
		}
	}
	return x.follow(list.NextCursor)
}

// invitedOrders lists the numbers of others' orders that name the user as their inviter.
func (x *export) invitedOrders(ctx context.Context) (more bool, err error) {
	var numbers []order.Number
	query := `SELECT number FROM order_labels WHERE name = 'inviter_id' AND ` + sqldb.Exactly("value") +
		` AND number > ? ORDER BY number LIMIT ?`
	if err := x.db.Read.SelectContext(ctx, &numbers, query, x.user, x.user, x.cursor, exportPage); err != nil {
		return false, fmt.Errorf("select invited orders: %w", err)
	}
	if len(numbers) > 0 {
		x.cursor = int64(numbers[len(numbers)-1])
	}
	return len(numbers) == exportPage, addAll(x, numbers)
}

func (x *export) paymentList(ctx context.Context) (more bool, err error) {
	list, err := x.payments.Payments(ctx, payadmin.PaymentFilter{User: x.user}, x.newest())
	if err != nil {
		return false, err
	}
	for i := range list.Items {
		payment, err := x.payments.Payment(ctx, list.Items[i].Number)
		if err != nil {
			return false, err
		}
		if err := x.add(payment); err != nil {
			return false, err
		}
	}
	return x.follow(list.NextCursor)
}

func (x *export) eventList(ctx context.Context) (more bool, err error) {
	rows, next, err := selectEvents(ctx, x.db.Read, x.user, x.cursor)
	if err != nil || next == 0 {
		return false, err
	}
	x.cursor = next
	for _, r := range rows {
		if err := x.eventsOf(&r); err != nil {
			return false, err
		}
	}
	return true, nil
}

// eventsOf adds the user's events of a row.
func (x *export) eventsOf(r *eventRow) error {
	if r.Type == journal.ReminderDue {
		data, found, err := remind.OnlyOf(r.Data, x.user)
		if err != nil || !found {
			return err
		}
		return x.add(exportedEvent{r.Type, r.Subject, api.Millis(r.AtMS), json.RawMessage(data)})
	}
	if r.Events == 1 {
		if r.User != x.user {
			return nil
		}
		return x.add(exportedEvent{r.Type, r.Subject, api.Millis(r.AtMS), json.RawMessage(r.Data)})
	}
	events, err := journal.Unpack(r.Data, r.Events)
	if err != nil {
		return err
	}
	for _, e := range events {
		if e.User != x.user {
			continue
		}
		if err := x.add(exportedEvent{Type: r.Type, Subject: e.Subject, At: api.Millis(e.AtMS)}); err != nil {
			return err
		}
	}
	return nil
}

// refusalList adds what the instances remember. Without an answer of each, the file would be incomplete.
func (x *export) refusalList(ctx context.Context) (more bool, err error) {
	found := x.trails.OfUser(ctx, x.user)
	if found.Partial {
		return false, errors.New("an instance did not say what the user was refused")
	}
	return false, addAll(x, found.Refusals)
}

func (x *export) blockList(ctx context.Context) (more bool, err error) {
	var blocks []exportedBlock
	const query = `SELECT reason, updated_ms, until_ms FROM blocked
		WHERE kind = 'user' AND subject = ? AND deleted = 0`
	if err := x.db.Read.SelectContext(ctx, &blocks, query, x.user); err != nil {
		return false, fmt.Errorf("select blocks: %w", err)
	}
	return false, addAll(x, blocks)
}

// exportedSale is a sale for some buyers, of whom the user is one.
type exportedSale struct {
	Activity string `db:"activity_id" json:"activity_id"`
	By       string `db:"kind" json:"by"`
}

func (x *export) eligibleSales(ctx context.Context) (more bool, err error) {
	var sales []exportedSale
	const query = `SELECT activity_id, 'list' AS kind FROM sale_buyers WHERE user_id = ?
		UNION ALL SELECT activity_id, 'code' AS kind FROM sale_code_uses WHERE user_id = ?`
	if err := x.db.Read.SelectContext(ctx, &sales, query, x.user, x.user); err != nil {
		return false, fmt.Errorf("select the sales for some buyers: %w", err)
	}
	return false, addAll(x, sales)
}

// quote returns a text as JSON.
func quote(text string) string {
	quoted, _ := json.Marshal(text) // texts have a JSON form
	return string(quoted)
}
