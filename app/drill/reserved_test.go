package drill

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/app/buyer"
	"onrush/web/client"
)

// keptReserved returns a drill of wishes in which everything was kept: of four units, two are reserved for a member,
// who has one, and three others have one each, the last of them from the time on from which everybody may buy.
func keptReserved() (*run, *facts) {
	r, f := keptBeside()
	s := r.sales[reservedSale]
	s.StartsAt, s.EndsAt, s.PurchaseLimit = r.sales[0].StartsAt, r.sales[0].EndsAt, 1
	s.ReservedFor = client.ReservedFor{List: true, Until: s.StartsAt.Add(10 * time.Second)}
	s.Skus = []client.AdminActivity_Skus{{
		SKUID: "r", PurchaseLimit: unlimited, Stock: []client.PointStock{{PointID: "0", Quantity: 4}},
		Reserved: client.ReservedUnits{{PointID: "0", Quantity: 2}},
	}}
	f.audits["reserved"].Items = []client.AuditItem{{SKUID: "r", PointID: "0", Total: 4}}
	for i, visitor := range []int{reservedSale, reservedSale + sales, reservedSale + 2*sales, reservedSale + 3*sales} {
		number := fmt.Sprint(20 + i)
		by := &shopper{run: r, sale: s, plan: Visitor{Number: visitor}, Buyer: buyer.Buyer{Name: "user-" + number}}
		r.record.addAttempt(&attempt{
			sale: s, shopper: by, key: "key-" + number, order: number, code: buyer.OK, outcome: "SUCCESS",
			goods: buyer.Goods{SKU: "r", Point: "0", Price: 700},
		})
		f.orders = append(f.orders, client.AdminOrder{
			OrderNumber: number, UserID: by.Name, ClientReference: by.Name, Status: "unpaid", ActivityID: "reserved",
			PointID: "0", PlacedAt: s.StartsAt.Add(time.Duration(i) * 4 * time.Second), TotalAmount: 700,
			Items: []client.Item{{SKUID: "r", Quantity: 1, Price: 700}},
		})
		f.lists[by.Name] = []string{number}
		f.tell("order.placed", number)
	}
	return r, f
}

func TestReservedUnitsThatMembersAndThenEverybodyBuysAreKept(t *testing.T) {
	t.Parallel()
	r, f := keptReserved()
	r.record.count(notReserved, 1)
	v := r.record.seen()
	r.judge(f, v)
	assert.Empty(t, v.problems)
	for _, name := range []string{aReserved, notReserved, givenBack} {
		assert.True(t, v.happened[checkWishes+" "+name], name)
	}
	until := r.sales[reservedSale].ReservedFor.Until
	f.orders[len(f.orders)-1].PlacedAt = until.Add(-time.Millisecond)
	v = r.record.seen()
	r.judge(f, v)
	assert.NotEmpty(t, v.problems[checkWishes], "a third unit of two that were open")
	assert.False(t, v.happened[checkWishes+" "+givenBack])

	r, f = keptReserved()
	f.orders = f.orders[:len(f.orders)-2]
	v = r.record.seen()
	r.judge(f, v)
	assert.False(t, v.happened[checkWishes+" "+aReserved], "the member may have an open unit")
}

// keptBundle returns a drill of wishes in which everything was kept: order 11 is of a bundle.
func keptBundle() (*run, *facts) {
	r, f := keptBeside()
	bundle := r.record.attempts[0]
	bundle.goods = buyer.Goods{SKU: setOf("sale"), Point: "0", Price: bundlePrice}
	o := &f.orders[0]
	o.Bundle = client.OrderBundle{SKUID: setOf("sale"), Quantity: 1, Price: bundlePrice}
	o.Items = []client.Item{
		{SKUID: plentyOf("sale"), Quantity: 2, Price: 480}, {SKUID: giftOf("sale"), Quantity: 1, Price: 540},
	}
	o.TotalAmount, f.payment("p11").Amount = bundlePrice, bundlePrice
	s := r.sales[deskSale]
	s.PurchaseLimit = bundleUnits
	s.Skus = []client.AdminActivity_Skus{{SKUID: setOf("sale"), PurchaseLimit: 1}}
	audit := f.audits["sale"]
	audit.Items[0].Remaining, audit.Items[1].Remaining = 1, 6
	audit.Items = append(audit.Items, client.AuditItem{SKUID: plentyOf("sale"), PointID: "0", Total: 9, Remaining: 7},
		client.AuditItem{SKUID: giftOf("sale"), PointID: "0", Total: 1})
	return r, f
}

func TestEachCheckSeesWhatIsBrokenOfABundle(t *testing.T) {
	t.Parallel()
	r, f := keptBundle()
	v := r.record.seen()
	r.judge(f, v)
	assert.Empty(t, v.problems)
	assert.True(t, v.happened[checkWishes+" "+aBundle])
	for name, c := range map[string]struct {
		check   string
		breakIt func(o *client.AdminOrder, audit *client.Audit)
	}{
		"a unit of a part less": {checkOrders, func(o *client.AdminOrder, _ *client.Audit) { o.Items[0].Quantity = 1 }},
		"a part less":           {checkOrders, func(o *client.AdminOrder, _ *client.Audit) { o.Items = o.Items[:1] }},
		"parts without a bundle": {checkOrders, func(o *client.AdminOrder, _ *client.Audit) {
			o.Bundle = client.OrderBundle{}
		}},
		"shares above its price": {checkOrders, func(o *client.AdminOrder, _ *client.Audit) { o.Items[1].Price++ }},
		"beyond its limit":       {checkLimits, func(o *client.AdminOrder, _ *client.Audit) { o.Bundle.Quantity = 2 }},
		"a part that a cancel lost": {checkDrift, func(_ *client.AdminOrder, audit *client.Audit) {
			audit.Items[2].Remaining--
		}},
		"a part that is sold twice": {checkStock, func(_ *client.AdminOrder, audit *client.Audit) {
			audit.Items[3].Total = 0
		}},
	} {
		r, f := keptBundle()
		c.breakIt(&f.orders[0], f.audits["sale"])
		v := r.record.seen()
		r.judge(f, v)
		assert.NotEmpty(t, v.problems[c.check], name)
	}
}

func TestARefusalIsWhatItsGoodsAreAndItsVisitorIs(t *testing.T) {
	t.Parallel()
	desk, reserved := &sale{}, &sale{}
	desk.ActivityID, reserved.ActivityID = "sale", "reserved"
	reserved.ReservedFor.List = true
	for _, row := range []struct {
		of      *sale
		sku     string
		visitor int
		refused string
		want    string
	}{
		{desk, "sku,other", 1, "sold_out", noBasket},
		{desk, setOf("sale"), 1, "sold_out_unpaid_pending", noBundle},
		{desk, setOf("sale"), 1, "purchase_limit", ""},
		{desk, "sku", 1, "sold_out", ""},
		{reserved, "sku", reservedSale + sales, "sold_out_for_now", notReserved},
		{reserved, "sku", reservedSale + sales, "sold_out", ""},
		{reserved, "sku", reservedSale, "sold_out_for_now", ""},
	} {
		a := &attempt{
			sale: row.of, shopper: &shopper{plan: Visitor{Number: row.visitor}}, goods: buyer.Goods{SKU: row.sku},
			refused: row.refused,
		}
		assert.Equal(t, row.want, a.refusal(), "%+v", row)
	}
}
