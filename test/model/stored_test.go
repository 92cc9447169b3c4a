package model

import (
	"slices"

	"onrush/lua"
	"onrush/modules/order"
)

// stored is what SQL has, read without the program.
type stored struct {
	orders  map[string]storedOrder
	totals  map[string]map[string]total // by activity, and sku and point
	changes []storedChange
}

type storedOrder struct {
	Number   string       `db:"number"`
	User     string       `db:"user_id"`
	Activity string       `db:"activity_id"`
	Point    string       `db:"point_id"`
	Status   order.Status `db:"status"`
	Quantity int64        `db:"quantity"`
	Refunded int64        `db:"refunded_amount"`
}

type total struct{ total, sold, epoch int64 }

type storedChange struct {
	ID       string `db:"outbox_id"`
	State    string `db:"state"`
	Activity string `db:"activity_id"`
	SKU      string `db:"sku_id"`
	Point    string `db:"point_id"`
	Delta    int64  `db:"quantity"`
}

// field returns the sku and the point whose stock it changes.
func (c storedChange) field() string { return lua.StockField(c.SKU, c.Point) }

// stands reports whether the change is, or will be, carried out. The key of another one may be used again.
func (c storedChange) stands() bool { return c.State == "pending" || c.State == "done" }

// sql reads rows.
func (m *model) sql(into any, query string, args ...any) {
	m.faults.ours(func() { m.ok(m.stores.DB.Read.SelectContext(m.background(), into, query, args...), query) })
}

// stored reads the orders, the stock and its changes from SQL.
func (m *model) stored() stored {
	var orders []storedOrder
	m.sql(&orders, `SELECT number, user_id, activity_id, point_id, status, quantity, refunded_amount FROM orders`)
	found := stored{orders: map[string]storedOrder{}, totals: map[string]map[string]total{}}
	for _, o := range orders {
		found.orders[o.Number] = o
	}
	var stock []struct {
		Activity string `db:"activity_id"`
		SKU      string `db:"sku_id"`
		Point    string `db:"point_id"`
		Total    int64  `db:"total"`
		Sold     int64  `db:"sold"`
		Epoch    int64  `db:"epoch"`
	}
	m.sql(&stock, `SELECT activity_id, sku_id, point_id, total, sold, epoch FROM activity_stock`)
	for _, at := range stock {
		if found.totals[at.Activity] == nil {
			found.totals[at.Activity] = map[string]total{}
		}
		found.totals[at.Activity][lua.StockField(at.SKU, at.Point)] = total{at.Total, at.Sold, at.Epoch}
	}
	m.sql(&found.changes, `SELECT outbox_id, state, activity_id, sku_id, point_id, quantity FROM stock_outbox
		WHERE kind = 'change'`)
	return found
}

// statusOf returns the status of an order in SQL; "" if SQL doesn't have it.
func (m *model) statusOf(o *placed) order.Status {
	var found []order.Status
	m.sql(&found, `SELECT status FROM orders WHERE number = ?`, o.number)
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

func (m *model) laneOf(activity string) int {
	var lanes []int
	m.sql(&lanes, `SELECT lane FROM activities WHERE activity_id = ?`, activity)
	return lanes[0]
}

// retired reports whether a sale has ended and was removed from Redis.
func (m *model) retired(of *sale) bool {
	var retired []int64
	m.sql(&retired, `SELECT retired_ms FROM activities WHERE activity_id = ?`, of.id)
	return retired[0] > 0
}

// cached is what Redis has of a sale, read without the program.
type cached struct {
	meta, stock, held, changes map[string]string
	waiting                    []string // the numbers of queue and dead entries of the sale
	dead                       map[string]bool
}

func (m *model) hash(key string) map[string]string {
	values, err := m.stores.Redis.HGetAll(m.background(), key).Result()
	m.ok(err, "read "+key)
	return values
}

// cached reads a sale from Redis.
func (m *model) cached(of *sale) cached {
	keys := m.stores.Keys
	c := cached{
		meta: m.hash(keys.Meta(of.lane, of.id)), stock: m.hash(keys.Stock(of.lane, of.id)),
		held: m.hash(keys.Held(of.lane, of.id)), changes: m.hash(keys.Changes(of.lane, of.id)), dead: map[string]bool{},
	}
	entries, err := m.stores.Redis.LRange(m.background(), keys.Queue(of.lane), 0, -1).Result()
	m.ok(err, "read the queue")
	for _, raw := range entries {
		e, err := lua.ParseEntry(raw)
		m.ok(err, "read an entry")
		if e.Activity == of.id {
			c.waiting = append(c.waiting, e.Number)
		}
	}
	for number := range m.hash(keys.Dead(of.lane)) {
		if o := m.find(number); o != nil && o.sale == of {
			c.waiting, c.dead[number] = append(c.waiting, number), true
		}
	}
	return c
}

// loaded reports whether Redis has a sale.
func (m *model) loaded(of *sale) bool {
	meta := m.stores.Keys.Meta(of.lane, of.id)
	state, _ := m.stores.Redis.HGet(m.background(), meta, "state").Result() // "" without it
	return lua.ActivityState(state).Loaded()
}

// left returns the units that Redis has left.
func (m *model) left(of *sale) map[string]int64 { return m.counts(m.stores.Keys.Stock(of.lane, of.id)) }

// counts reads a hash of numbers.
func (m *model) counts(key string) map[string]int64 {
	counts, err := lua.ParseCounts(m.hash(key))
	m.ok(err, "read "+key)
	return counts
}

// bought returns the units that count under the limit: of orders that hold units, until they are back in Redis.
func (m *model) bought(of *sale, user string) (units int64) {
	for _, o := range m.holding(of) {
		if o.user == user {
			units += o.quantity()
		}
	}
	return units
}

// holding returns the orders of a sale that hold units, until these are back in Redis.
func (m *model) holding(of *sale) (all []*placed) {
	held, stored := m.hash(m.stores.Keys.Held(of.lane, of.id)), m.stored()
	for _, o := range m.orders {
		_, holds := held[o.number]
		if status := stored.orders[o.number].Status; o.sale == of && (holds || counts(status)) {
			all = append(all, o)
		}
	}
	return all
}

// counts reports whether an order with a status in SQL holds units.
func counts(status order.Status) bool {
	return status == order.Unpaid || status == order.Paid || status == order.Refunded
}

// isLost reports whether an order was lost with Redis.
func (m *model) isLost(o *placed) bool { return slices.Contains(m.lost, o) }

// find returns the accepted order with a number, or nil.
func (m *model) find(number string) *placed {
	for _, o := range m.orders {
		if o.number == number {
			return o
		}
	}
	return nil
}
