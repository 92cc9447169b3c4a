package model

import (
	"net/http"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"pgregory.net/rapid"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/eligible"
	"onrush/test/site"
	"onrush/web/client"
)

// kind is what a sale has beside one sku that everybody may buy.
type kind string

// The kinds of sales. A sale can't have bundles and reserved units.
const (
	plain    kind = "plain"
	bundles  kind = "bundles"
	reserves kind = "reserves"
)

const (
	tea    = "tea" // of a sale with bundles, beside the sku
	bundle = "set"
	// bundled is how many units a bundle has.
	bundled = 3
	// runs is how long a sale runs: longer than all actions take.
	runs = 30 * 24 * time.Hour
	// member is the user for whom units are reserved.
	member = "ann"
)

// parts are the parts of the bundle.
var parts = seckill.Parts{{SKU: sku, Quantity: 2}, {SKU: tea, Quantity: 1}}

// gold is the claim of those for whom units are reserved.
var gold = eligible.Claim{Name: "tier", Values: []string{"gold"}}

// skus returns the skus that have a stock.
func (k kind) skus() []string {
	if k == bundles {
		return []string{sku, tea}
	}
	return []string{sku}
}

// goods returns what buyers may order, bundles as often as all skus.
func (k kind) goods() []string {
	if k == bundles {
		return []string{sku, tea, bundle, bundle}
	}
	return []string{sku}
}

// takes returns the units of each sku that a number of goods takes.
func takes(goods string, count int64) map[string]int64 {
	if goods != bundle {
		return map[string]int64{goods: count}
	}
	units := map[string]int64{}
	for _, p := range parts {
		units[p.SKU] = count * p.Quantity
	}
	return units
}

// fields returns the skus and points of a sale.
func (of *sale) fields() (fields []string) {
	for _, goods := range of.kind.skus() {
		for _, point := range points {
			fields = append(fields, lua.StockField(goods, point))
		}
	}
	return fields
}

// makesAt reports whether a point has all units that a number of goods takes, of those that are left.
func (of *sale) makesAt(goods string, count int64, point string, left map[string]int64) bool {
	for of, units := range takes(goods, count) {
		if left[of] < units || left[lua.StockField(of, point)] < units {
			return false
		}
	}
	return true
}

// makes reports whether any point has them.
func (of *sale) makes(goods string, count int64, left map[string]int64) bool {
	for _, point := range points {
		if of.makesAt(goods, count, point, left) {
			return true
		}
	}
	return false
}

// open publishes the first sale.
func (m *model) open(t *rapid.T) {
	of := &sale{kind: pick(t, "kind", []kind{plain, bundles, reserves}, every), totals: map[string]int64{}}
	most, least := int64(4), int64(1)
	s := site.Sale{
		SKU: sku, Kind: catalogue.Physical, Price: price, Stock: map[string]int64{}, PayWithinS: payWithinS,
		EndsIn: runs,
	}
	if of.kind == bundles {
		least, most = bundled, 2*bundled
		s.Others, s.Parts = []string{tea}, parts
	}
	of.limit = rapid.Int64Range(least, most).Draw(t, "limit")
	s.PurchaseLimit = of.limit
	if of.kind == reserves {
		of.reserved = map[string]int64{}
		until := m.clock.Now().Add(runs - time.Hour).UnixMilli() // the script has another clock than the model
		s.ReservedFor = eligible.ReservedFor{Until: api.Millis(until), Claim: &gold}
		for _, point := range points {
			units := rapid.Int64Range(1, 2).Draw(t, "reserved at "+point)
			s.Reserved = append(s.Reserved, lua.Wave{Point: point, AtMS: until, Quantity: units})
			of.reserved[point] = units
		}
	}
	for _, point := range points {
		units := rapid.Int64Range(max(least, of.reserved[point]), most).Draw(t, "stock at "+point)
		s.Stock[point] = units
		for _, goods := range of.kind.skus() {
			of.totals[lua.StockField(goods, point)] = units
		}
	}
	of.id = m.instances[0].Open(m, s)
	of.lane = m.laneOf(of.id)
	m.sales = []*sale{of}
	m.seen.count("sale " + string(of.kind))
}

// buyer returns a buyer who may prove to be the member.
func (m *model) buyer(s *site.Site, user string) *site.Person {
	if user != member {
		return s.Buyer(m, user)
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"sub": user, "role": "user", gold.Name: gold.Values[0], "exp": m.clock.Now().Add(24 * time.Hour).Unix(),
	}).SignedString([]byte(site.JWTSecret))
	m.ok(err, "sign a token")
	p := s.Holder(token)
	p.Name = user
	return p
}

// kept returns how many units at a point are reserved: those that the member has not ordered yet.
func (m *model) kept(of *sale, point string) int64 {
	units := of.reserved[point]
	for _, o := range m.holding(of) {
		if o.member && o.point == point {
			units -= o.count
		}
	}
	return max(units, 0)
}

// openTo returns how many units at a point the buyer of an order may have.
func (m *model) openTo(o *placed, point string) int64 {
	m.require(!o.member, "units are reserved for %s, who is told that they are not", o.user)
	return m.left(o.sale)[lua.StockField(o.goods, point)] - m.kept(o.sale, point)
}

// leaves requires that an order that was just placed took no unit that is reserved for another buyer.
func (m *model) leaves(o *placed) {
	if o.sale.reserved == nil || o.member {
		return
	}
	m.seen.count("placed beside reserved units")
	left, kept := m.left(o.sale)[lua.StockField(o.goods, o.point)], m.kept(o.sale, o.point)
	m.require(left >= kept, "order %s left %d units at %s, of %d that are reserved", o.number, left, o.point, kept)
}

// GiveBack ends the time for which units of a sale are reserved.
func (m *model) GiveBack(t *rapid.T) {
	of := pick(t, "sale", m.sales, func(of *sale) bool { return of.reserved != nil && !of.ended })
	s := m.act(t)
	body := map[string]any{"reserved_for": client.ReservedFor{
		Until: time.Now(), Claim: client.EligibleClaim{Name: gold.Name, Values: gold.Values},
	}}
	path := operators + "/activities/" + of.id
	m.settled(m.call(s.Operator(m), http.MethodPatch, path, "", body), of, "give reserved units back")
	of.reserved = nil
}

// hasUnits reports whether a sale has a unit at any point, sold ones too.
func (m *model) hasUnits(of *sale) bool {
	var sum int64
	for _, at := range m.stored().totals[of.id] {
		sum += at.total
	}
	return sum > 0
}

// cloneReserved takes what a clone reserves, which is no more than its stock has.
func (m *model) cloneReserved(from, to *sale, draft client.AdminActivity) {
	m.require(draft.ReservedFor.Until.IsZero() == (from.kind != reserves), "the clone reserves %+v", draft.ReservedFor)
	if from.reserved == nil {
		return
	}
	to.reserved = map[string]int64{}
	for _, of := range draft.Skus[0].Reserved {
		to.reserved[of.PointID] = of.Quantity
	}
	for _, point := range points {
		want := min(from.reserved[point], to.totals[lua.StockField(sku, point)])
		m.require(to.reserved[point] == want, "the clone reserves %v, not %d at %s", to.reserved, want, point)
	}
}
