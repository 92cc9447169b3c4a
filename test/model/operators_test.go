package model

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"pgregory.net/rapid"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/test/site"
	"onrush/web/client"
)

// ChangeSale raises the limit of a sale, or pauses or resumes it.
func (m *model) ChangeSale(t *rapid.T) {
	of := pick(t, "sale", m.sales, func(of *sale) bool { return !of.ended })
	raise := !of.paused && uniform(4).Draw(t, "pause") > 0
	s := m.act(t)
	path := operators + "/activities/" + of.id
	if raise {
		body := client.ActivityChange{PurchaseLimit: of.limit + 1}
		m.settled(m.call(s.Operator(m), http.MethodPatch, path, "", body), of, "raise the limit")
		of.limit++
		return
	}
	act := "/pause"
	if of.paused {
		act = "/resume"
	}
	m.settled(m.post(s.Operator(m), path+act, "", nil), of, act)
	of.paused = !of.paused
}

// End ends the first sale, once there is a second one.
func (m *model) End(t *rapid.T) {
	if len(m.sales) < maxSales || m.sales[0].ended {
		panic(nothing{})
	}
	of, operator := m.sales[0], m.act(t).Operator(m)
	end := client.ActivityChange{EndsAt: m.clock.Now()}
	m.call(operator, http.MethodPatch, operators+"/activities/"+of.id, "", end) // the second one is refused
	ends := operator.GetAdminActivity(m, of.id).EndsAt
	m.require(!ends.After(m.clock.Now()), "the sale ends at %s", ends)
	of.ended = true
}

// settled requires that a change of a sale is in SQL: Redis may lack it only while it lacks the sale.
func (m *model) settled(a site.Answer, of *sale, doing string) {
	m.require(a.Status == http.StatusOK || a.Status == http.StatusServiceUnavailable && !m.loaded(of),
		"%s: %d %s", doing, a.Status, a.Body)
}

// change is a change of a sale's stock that was accepted, or is pending.
type change struct {
	of   *sale
	key  string
	body map[string]any
	id   string // "" until it was answered
}

// ChangeStock adds units to a sale, or takes some away.
func (m *model) ChangeStock(t *rapid.T) {
	of := pick(t, "sale", m.sales, every)
	point, goods := pick(t, "point", points, every), pick(t, "sku", of.kind.skus(), every)
	delta := pick(t, "delta", []int64{1, -1, 2, -2}, every)
	s := m.act(t)
	c := &change{of: of, key: m.key(), body: map[string]any{"sku_id": goods, "point_id": point, "delta": delta}}
	m.changes = append(m.changes, c)
	m.change(s, c)
}

// ChangeStockAgain repeats a change.
func (m *model) ChangeStockAgain(t *rapid.T) {
	c := pick(t, "change", m.changes, every)
	m.change(m.act(t), c)
}

func (m *model) change(s *site.Site, c *change) {
	a := m.post(s.Operator(m), operators+"/activities/"+c.of.id+"/stock", c.key, c.body)
	switch a.Status {
	case http.StatusOK:
		got := site.Read[client.StockChange](m, http.StatusOK, a)
		for _, ch := range m.stored().changes { // after a refused change, its key makes another one
			m.require(ch.ID != c.id || c.id == got.ChangeID || !ch.stands(), "the key of the %s change %s got %s",
				ch.State, c.id, got.ChangeID)
		}
		c.id = got.ChangeID
	case http.StatusConflict: // fewer units are left, or it is too late
		m.require(c.body["delta"].(int64) < 0 || m.retired(c.of), "raise the stock: %s", a.Body)
	default:
		m.require(a.Status == http.StatusServiceUnavailable && !m.loaded(c.of), "change the stock: %d %s", a.Status,
			a.Body)
	}
}

// claimed is more than the time for which a request that ended without an answer keeps its key.
const claimed = 2 * time.Minute

// Clone makes a second sale from the first.
func (m *model) Clone(t *rapid.T) {
	if len(m.sales) == maxSales {
		panic(nothing{})
	}
	from := m.sales[0]
	if from.kind == reserves && !m.hasUnits(from) { // of which a clone could reserve some
		panic(nothing{})
	}
	s := m.act(t)
	operator, path := s.Operator(m), operators+"/activities/"
	key := m.key()
	a := operator.Ask(http.MethodPost, path+from.id+"/clone", key, map[string]any{})
	if a.Status != http.StatusCreated { // its key may be claimed for a while
		m.faults.disarm()
		m.clock.Advance(claimed)
		a = m.post(operator, path+from.id+"/clone", key, map[string]any{})
	}
	draft := site.Read[client.AdminActivity](m, http.StatusCreated, a)
	var sales []string
	m.sql(&sales, `SELECT activity_id FROM activities`)
	m.require(len(sales) == maxSales, "there are %d sales after a clone", len(sales))
	to := &sale{
		id: draft.ActivityID, kind: from.kind, limit: draft.PurchaseLimit, totals: map[string]int64{},
	}
	for _, g := range draft.Skus {
		for _, at := range g.Stock {
			to.totals[lua.StockField(g.SKUID, at.PointID)] = at.Quantity
		}
	}
	m.cloneReserved(from, to, draft)
	m.require(to.limit == from.limit, "the clone has the limit %d, not %d", to.limit, from.limit)
	for field, total := range m.stored().totals[from.id] {
		m.require(to.totals[field] == total.total, "the clone has %v", to.totals)
	}
	a = m.post(operator, path+to.id+"/publish", "", nil)
	m.require(a.Status == http.StatusOK, "publish the clone: %d %s", a.Status, a.Body)
	to.lane = m.laneOf(to.id)
	m.sales = append(m.sales, to)
}

// Spoil makes the record of an order unreadable, and moves it: its entry is dead.
func (m *model) Spoil(t *rapid.T) {
	o := pick(t, "order", m.orders, func(o *placed) bool {
		return o.status == "" && o.record == "" && m.loaded(o.sale)
	})
	s := m.act(t)
	key, field := m.recordOf(o)
	record, err := m.stores.Redis.HGet(m.background(), key, field).Result()
	m.ok(err, "read a record")
	m.ok(m.stores.Redis.HSet(m.background(), key, field, "{").Err(), "spoil a record")
	o.record = record
	_, _ = s.Server.Mover.RunOnce(m.background()) // a fault may end it
}

func (m *model) recordOf(o *placed) (key, field string) {
	return m.stores.Keys.Orders(o.sale.lane, o.user), lua.OrderField(o.number)
}

// Mend repairs the record of an order, and replays its entry.
func (m *model) Mend(t *rapid.T) {
	o := pick(t, "order", m.orders, func(o *placed) bool { return o.record != "" })
	m.mend(m.act(t), o)
}

func (m *model) mend(s *site.Site, o *placed) {
	key, field := m.recordOf(o)
	m.ok(m.stores.Redis.HSet(m.background(), key, field, o.record).Err(), "mend a record")
	o.record = ""
	if id := m.deadID(o); id != "" {
		a := m.post(s.Operator(m), operators+"/queue/dead/"+id+"/replay", "", nil)
		m.require(a.Status == http.StatusOK || a.Status == http.StatusNotFound, "replay %s: %d %s", id, a.Status,
			a.Body)
	}
}

// Discard discards a dead entry.
func (m *model) Discard(t *rapid.T) {
	o := pick(t, "order", m.orders, func(o *placed) bool {
		return o.record != "" && m.loaded(o.sale) && m.deadID(o) != ""
	})
	s := m.act(t)
	o.discarded = true
	id := m.deadID(o)
	a := m.post(s.Operator(m), operators+"/queue/dead/"+id+"/discard", "", nil)
	m.require(a.Status == http.StatusOK || a.Status == http.StatusNotFound, "discard %s: %d %s", id, a.Status, a.Body)
	status := m.statusOf(o)
	if m.isLost(o) {
		return
	}
	m.require(status == order.Failed, "the discarded order %s is %q", o.number, status)
	o.record = ""
}

// deadID returns the id of the dead entry of an order, or "".
func (m *model) deadID(o *placed) string {
	if !m.cached(o.sale).dead[o.number] {
		return ""
	}
	return fmt.Sprintf("%d-%s", o.sale.lane, o.number)
}

// Reload loads a sale that Redis lacks.
func (m *model) Reload(t *rapid.T) {
	of := pick(t, "sale", m.sales, func(of *sale) bool { return !m.loaded(of) && !m.retired(of) })
	m.reload(m.act(t), of)
}

func (m *model) reload(s *site.Site, of *sale) {
	before := m.losses
	a := m.post(s.Operator(m), operators+"/activities/"+of.id+"/reload", "", nil)
	m.require(a.Status == http.StatusOK || a.Status == http.StatusConflict, "reload: %d %s", a.Status, a.Body)
	m.require(m.loaded(of) || m.losses > before, "the sale is not loaded")
}

// LoseRedis empties Redis. Orders that were not moved are lost.
func (m *model) LoseRedis(*rapid.T) {
	m.empty()
}

// empty empties Redis, and takes note of the losses.
func (m *model) empty() {
	m.losses++
	m.ok(m.stores.Redis.FlushDB(m.background()).Err(), "empty Redis")
	stored := m.stored()
	var kept []*placed
	for _, o := range m.orders {
		o.record = ""
		if _, ok := stored.orders[o.number]; ok {
			kept = append(kept, o)
		} else {
			m.lost = append(m.lost, o)
		}
	}
	m.orders = kept
}

// found adds those lost orders that an instance stores nevertheless, since it had read them before.
func (m *model) found(stored stored) {
	m.lost = slices.DeleteFunc(m.lost, func(o *placed) bool {
		_, ok := stored.orders[o.number]
		if ok {
			m.orders = append(m.orders, o)
		}
		return ok
	})
}
