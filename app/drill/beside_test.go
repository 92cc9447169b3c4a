package drill

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/app/buyer"
	"onrush/web/client"
)

// keptBeside returns a drill of wishes in which everything was kept: order 11 is of a basket, 12 of a buyer who was
// drawn first of four, and 13 of one of two units set aside.
func keptBeside() (*run, *facts) {
	r, f := kept()
	r.cfg.Scenario = Wishes
	first := *r.sales[0]
	first.ActivityID = "first"
	draw := first
	draw.ActivityID = "draw"
	reserved := &sale{AdminActivity: client.AdminActivity{ActivityID: "reserved"}}
	r.sales = []*sale{&first, r.sales[0], reserved, &draw}
	f.sales["first"], f.audits["first"] = &first.AdminActivity, &client.Audit{}
	f.sales["reserved"], f.audits["reserved"] = &reserved.AdminActivity, &client.Audit{}
	f.sales["draw"], f.audits["draw"] = &draw.AdminActivity, &client.Audit{}
	f.audits["draw"].Items = []client.AuditItem{{SKUID: "sku", PointID: "0", Total: 1, Remaining: 1}}
	r.record.attempts[1].sale, f.orders[1].ActivityID = &draw, "draw"
	basket := r.record.attempts[0]
	basket.goods.SKU, basket.goods.Price = "sku,other", 150
	f.orders[0].Items = append(f.orders[0].Items, client.Item{SKUID: "other", Quantity: 1, Price: 50})
	f.orders[0].TotalAmount, f.payment("p11").Amount = 150, 150
	r.sales[deskSale].PurchaseLimit = ownLimit

	f.drawn = &drawn{}
	f.drawn.Seed, f.drawn.SeedHash, f.drawn.Entries = "seed", sum("seed"), 4
	r.record.promised = sum("seed")
	var ids []string
	for i := range 4 {
		ids = append(ids, fmt.Sprint("entry-", i))
	}
	slices.SortFunc(ids, func(a, b string) int { return strings.Compare(sum("seed\n"+a), sum("seed\n"+b)) })
	for i, id := range ids {
		lot := client.Lot{Rank: int64(i + 1), EntryID: id, PointID: "0", Quantity: 1, Drawn: i < 2}
		f.drawn.lots = append(f.drawn.lots, lot)
		e := &entrant{user: fmt.Sprint("user-", 12-i)}
		e.EntryID, e.Rank = id, lot.Rank
		r.record.entrants = append(r.record.entrants, e)
	}

	buys := &shopper{run: r, sale: r.sales[deskSale], Buyer: buyer.Buyer{Name: "user-13"}}
	r.record.addAttempt(&attempt{
		sale: r.sales[deskSale], shopper: buys, key: "hold 1", code: buyer.OK, order: "13", held: true,
		goods: buyer.Goods{SKU: "other", Point: "0", Price: 50},
	})
	r.record.owners["13"] = "user-13"
	for i, a := range []aside{{order: "13"}, {released: true}, {}} {
		a.HoldID, a.SKUID, a.Quantity = fmt.Sprint(i), "other", 2
		r.record.asides = append(r.record.asides, &a)
		if i == 2 {
			f.holds = append(f.holds, a.UnitHold)
		}
	}
	o := f.orders[0]
	o.OrderNumber, o.UserID, o.ClientReference, o.TotalAmount, o.Status = "13", "user-13", "user-13", 50, "unpaid"
	o.Items = f.orders[0].Items[1:]
	f.orders = append(f.orders, o)
	f.lists["user-13"] = []string{"13"}
	f.tell("order.placed", "13")
	audit := f.audits["sale"]
	other := client.AuditItem{SKUID: "other", PointID: "0", Total: 9, Remaining: 5, Offered: 2}
	audit.Items = append(audit.Items, other)
	return r, f
}

func TestWhatWasKeptBesideTheFirstSaleIsHeld(t *testing.T) {
	t.Parallel()
	r, f := keptBeside()
	f.orders[0].UserID, f.orders[0].ClientReference = "user-11", "user-11"
	v := r.record.seen()
	r.judge(f, v)
	assert.Empty(t, v.problems)
	for _, name := range []string{aBasket, aDraw, anAside} {
		assert.True(t, v.happened[checkWishes+" "+name], name)
	}
	assert.False(t, v.happened[checkWishes+" "+noBasket])
}

func TestEachCheckSeesWhatIsBrokenBesideTheFirstSale(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		check   string
		breakIt func(r *run, f *facts)
	}{
		"a part of a basket is sold": {checkOrders, func(_ *run, f *facts) {
			f.orders[0].Items, f.orders[0].TotalAmount = f.orders[0].Items[:1], 100
		}},
		"a sku twice":            {checkOrders, func(_ *run, f *facts) { f.orders[0].Items[1].SKUID = "sku" }},
		"two of a sku":           {checkOrders, func(_ *run, f *facts) { f.orders[0].Items[1].Quantity = 2 }},
		"cheaper than its lines": {checkOrders, func(_ *run, f *facts) { f.orders[0].TotalAmount = 149 }},
		"a part of a refusal is kept": {checkDrift, func(_ *run, f *facts) {
			f.audits["sale"].Items[1].Remaining--
		}},
		"another seed":      {checkWishes, func(r *run, _ *facts) { r.record.promised = sum("other") }},
		"another seed hash": {checkWishes, func(_ *run, f *facts) { f.drawn.SeedHash = sum("other") }},
		"another order": {checkWishes, func(_ *run, f *facts) {
			lots := f.drawn.lots
			lots[2].EntryID, lots[3].EntryID = lots[3].EntryID, lots[2].EntryID
		}},
		"in the draw twice": {checkWishes, func(_ *run, f *facts) { f.drawn.lots[3] = f.drawn.lots[2] }},
		"not in the draw": {checkWishes, func(_ *run, f *facts) {
			f.drawn.lots, f.drawn.Entries = f.drawn.lots[:3], 3
		}},
		"an entry is not shown":      {checkWishes, func(_ *run, f *facts) { f.drawn.Entries = 5 }},
		"passed":                     {checkWishes, func(_ *run, f *facts) { f.drawn.lots[0].Drawn = false }},
		"left and in the draw":       {checkWishes, func(r *run, _ *facts) { r.record.entrants[3].left = true }},
		"told another rank":          {checkWishes, func(r *run, _ *facts) { r.record.entrants[3].Rank = 1 }},
		"bought without being drawn": {checkWishes, func(r *run, _ *facts) { r.record.entrants[0].user = "eve" }},
		"released and listed": {checkWishes, func(r *run, f *facts) {
			f.holds = append(f.holds, r.record.asides[1].UnitHold)
		}},
		"ordered and listed": {checkWishes, func(r *run, f *facts) {
			f.holds = append(f.holds, r.record.asides[0].UnitHold)
		}},
		"set aside and gone":  {checkWishes, func(_ *run, f *facts) { f.holds = nil }},
		"fewer are set aside": {checkWishes, func(_ *run, f *facts) { f.holds[0].Quantity = 1 }},
		"fewer are kept": {checkWishes, func(_ *run, f *facts) {
			f.audits["sale"].Items[1].Offered, f.audits["sale"].Items[1].Remaining = 1, 6
		}},
	} {
		r, f := keptBeside()
		c.breakIt(r, f)
		v := r.record.seen()
		r.judge(f, v)
		assert.NotEmpty(t, v.problems[c.check], name)
	}
}

func TestUnitsAreSetAsideOnceEvenIfAFailoverMayLoseThem(t *testing.T) {
	t.Parallel()
	r, f := keptBeside()
	r.cfg.AllowFailed, f.holds = true, nil
	f.audits["sale"].Items[1].Offered, f.audits["sale"].Items[1].Remaining = 0, 7
	v := r.record.seen()
	r.judge(f, v)
	assert.NotContains(t, strings.Join(v.problems[checkWishes], " "), "set aside")
	r.record.asides[2].unknown = true
	f.holds = []client.UnitHold{{HoldID: "2", SKUID: "other", Quantity: 2}}
	v = newVerdicts()
	r.judge(f, v)
	assert.Contains(t, strings.Join(v.problems[checkWishes], " "), "2 units of other are set aside, and 0 are kept")
}

func TestAWaveCountsUnitsInBaskets(t *testing.T) {
	t.Parallel()
	r, f := keptBeside()
	v := newVerdicts()
	wave := client.Wave{PointID: "0", At: r.sales[deskSale].StartsAt.Add(time.Second), Quantity: 8}
	judgeWave(f, r.sales[deskSale], "other", wave, v)
	assert.NotEmpty(t, v.problems[checkWishes], "two of one that was open")
}
