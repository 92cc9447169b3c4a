package drill

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/buyer"
	"onrush/app/drill/meter"
	"onrush/web/client"
)

// kept returns a drill of two orders in which everything was kept: the first is paid, the second cancelled after its
// money had come.
func kept() (*run, *facts) {
	starts := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := &sale{AdminActivity: client.AdminActivity{
		ActivityID: "sale", StartsAt: starts, EndsAt: starts.Add(time.Hour), PayWithinS: 10, PurchaseLimit: 1,
		PermitRatio: unlimited,
	}}
	r := &run{
		cfg: Config{Scenario: Trickle}, sales: []*sale{s}, plan: &Plan{}, record: newRecord(nil, starts),
		began: starts.Add(1),
		meter: meter.New(starts), gates: newGates(),
	}
	f := &facts{
		lists: map[string][]string{}, payments: map[string]*client.SandboxState{}, followed: map[string]event{},
		audits: map[string]*client.Audit{"sale": {}}, sales: map[string]*client.AdminActivity{"sale": &s.AdminActivity},
	}
	f.audits["sale"].Items = []client.AuditItem{{SKUID: "sku", PointID: "0", Total: 1}}
	for i, status := range []string{"paid", "cancelled"} {
		number := []string{"11", "12"}[i]
		user := &shopper{run: r, sale: s, Buyer: buyer.Buyer{Name: "user-" + number}}
		r.record.addAttempt(&attempt{
			sale: s, shopper: user, key: "key-" + number, goods: buyer.Goods{SKU: "sku", Point: "0", Price: 100},
			code: buyer.OK, order: number, outcome: "SUCCESS",
		})
		r.record.addPayment(&payment{shopper: user, number: "p" + number, orders: []string{number}})
		f.orders = append(f.orders, client.AdminOrder{
			OrderNumber: number, UserID: user.Name, ClientReference: user.Name, Status: status, ActivityID: "sale",
			PointID: "0", PlacedAt: starts, TotalAmount: 100,
			Items: []client.Item{{SKUID: "sku", Quantity: 1, Price: 100}},
		})
		f.lists[user.Name] = []string{number}
		state := &client.SandboxState{}
		paid := client.SandboxState_Notifications{Type: "payment.succeeded", Amount: 100}
		paid.RefundedAmount = []int64{0, 100}[i]
		state.Notifications = []client.SandboxState_Notifications{paid}
		f.payments["p"+number] = state
		f.tell("order.placed", number)
		f.tell("order."+status, number)
	}
	back := client.Refund{
		RefundNumber: "r1", PayNumber: "p12", OrderNumber: "12", Amount: 100,
		Reason: "order_not_unpaid", Status: "done",
	}
	r.record.owners = map[string]string{"11": "user-11", "12": "user-12"}
	f.refunds = []client.Refund{back}
	f.tell("refund.done", "r1")
	return r, f
}

func (f *facts) payment(number string) *client.SandboxState_Notifications {
	return &f.payments[number].Notifications[0]
}

// tell adds an event about an order or a refund.
func (f *facts) tell(kind, subject string) {
	e := event{id: strconv.Itoa(len(f.feed) + 1), kind: kind, order: subject}
	if kind == "refund.done" {
		e.order, e.refund = "", subject
	}
	f.feed = append(f.feed, e)
	f.followed[e.id] = e
}

func TestNothingIsBrokenInADrillInWhichEverythingWasKept(t *testing.T) {
	t.Parallel()
	r, f := kept()
	v := r.record.seen()
	r.judge(f, v)
	assert.Empty(t, v.problems)
}

// broken are the ways in which a drill may be broken, by name.
var broken = map[string]struct {
	check   string
	breakIt func(r *run, f *facts)
}{
	"lost":                {checkOrders, func(_ *run, f *facts) { f.orders = f.orders[:1] }},
	"stored twice":        {checkOrders, func(_ *run, f *facts) { f.orders = append(f.orders, f.orders[0]) }},
	"not seen":            {checkOrders, func(_ *run, f *facts) { f.lists["user-11"] = nil }},
	"seen twice":          {checkOrders, func(_ *run, f *facts) { f.lists["user-11"] = []string{"11", "11"} }},
	"of another":          {checkOrders, func(_ *run, f *facts) { f.orders[0].UserID = "eve" }},
	"another's in a list": {checkOrders, func(_ *run, f *facts) { f.lists["user-11"] = []string{"12", "11"} }},
	"another price": {checkOrders, func(_ *run, f *facts) {
		f.orders[0].Items[0].Price, f.orders[0].TotalAmount = 90, 90
	}},
	"another stock point": {checkOrders, func(_ *run, f *facts) { f.orders[0].PointID = "north" }},
	"another reference":   {checkOrders, func(_ *run, f *facts) { f.orders[0].ClientReference = "" }},
	"another total than confirmed": {checkMoney, func(r *run, _ *facts) {
		r.record.attempts[0].quoted = new(int64)
	}},
	"paid in time and cancelled": {checkMoney, func(r *run, _ *facts) {
		r.record.attempts[1].paid = r.sales[0].StartsAt.Add(time.Second)
	}},
	"a cancel that did nothing": {checkOrders, func(r *run, f *facts) {
		r.record.attempts[1].cancelled = r.sales[0].StartsAt.Add(time.Second)
		f.orders[1].CancelledAt = r.sales[0].StartsAt.Add(10 * time.Second)
	}},
	"an operator's refund is lost": {checkMoney, func(r *run, _ *facts) {
		r.record.addRefund(client.Refund{RefundNumber: "r2", OrderNumber: "11", Amount: 30})
	}},
	"an operator's refund is of another amount": {checkMoney, func(r *run, _ *facts) {
		r.record.addRefund(client.Refund{RefundNumber: "r1", OrderNumber: "12", Amount: 30})
	}},
	"sold twice for a while": {checkStock, func(r *run, f *facts) {
		f.orders[1].CancelledAt = r.sales[0].StartsAt.Add(10 * time.Second)
	}},
	"over the limit for a while": {checkLimits, func(r *run, f *facts) {
		f.orders[1].UserID, f.orders[1].CancelledAt = "user-11", r.sales[0].StartsAt.Add(10*time.Second)
	}},
	"a unit went elsewhere":  {checkDrift, func(_ *run, f *facts) { f.audits["sale"].Items[0].Remaining = 1 }},
	"a refund is told twice": {checkEvents, func(_ *run, f *facts) { f.tell("refund.done", "r1") }},
	"never submitted": {checkOrders, func(_ *run, f *facts) {
		f.orders = append(f.orders, client.AdminOrder{OrderNumber: "13"})
	}},
	"two orders for a key": {checkOrders, func(r *run, _ *facts) { r.record.attempts[0].others = []string{"13"} }},
	"two keys for an order": {checkOrders, func(r *run, _ *facts) {
		a := *r.record.attempts[0]
		r.record.addAttempt(&a)
	}},
	"no outcome": {checkOrders, func(r *run, _ *facts) { r.record.attempts[0].outcome = "" }},
	"failed after its acceptance": {checkStock, func(r *run, f *facts) {
		r.record.attempts[1].outcome, f.orders[1].Status = "FAILED", "failed"
	}},
	"sold twice": {checkStock, func(_ *run, f *facts) { f.orders[1].Status = "paid" }},
	"below zero": {checkStock, func(_ *run, f *facts) { f.audits["sale"].Items[0].Remaining = -1 }},
	"over the limit": {checkLimits, func(_ *run, f *facts) {
		f.orders[1].Status, f.orders[1].UserID = "paid", "user-11"
	}},
	"before the start":     {checkGates, func(r *run, _ *facts) { r.sales[0].StartsAt = r.began }},
	"money is kept":        {checkMoney, func(_ *run, f *facts) { f.payment("p12").RefundedAmount = 99 }},
	"money is paid twice":  {checkMoney, func(_ *run, f *facts) { f.payment("p11").RefundedAmount = 100 }},
	"goods without money":  {checkMoney, func(_ *run, f *facts) { f.payment("p11").Type = "payment.failed" }},
	"an untold refund":     {checkEvents, func(_ *run, f *facts) { f.feed = f.feed[:4] }},
	"an event is gone":     {checkEvents, func(_ *run, f *facts) { f.feed = append(f.feed[:1:1], f.feed[2:]...) }},
	"an event comes twice": {checkEvents, func(_ *run, f *facts) { f.tell("order.paid", "11") }},
	"events out of order": {checkEvents, func(_ *run, f *facts) {
		f.feed[0].kind, f.feed[1].kind = f.feed[1].kind, f.feed[0].kind
	}},
	"an order is extended twice": {checkEvents, func(_ *run, f *facts) {
		f.tell("order.pay_extended", "11")
		f.tell("order.pay_extended", "11")
	}},
	"offered in another order": {checkWishes, func(r *run, _ *facts) {
		r.record.wishes = waiting(r, 4*time.Second, offered, offered)
	}},
	"offered to who came later": {checkWishes, func(r *run, _ *facts) {
		r.record.wishes = waiting(r, 0, waits, offered)
		r.record.wishes[0].lastSeen = r.sales[0].StartsAt.Add(10 * time.Second)
	}},
	"sold before its wave": {checkWishes, func(r *run, _ *facts) {
		r.sales[0].Skus = []client.AdminActivity_Skus{{SKUID: "sku", Waves: client.Waves{
			{PointID: "0", At: r.sales[0].StartsAt.Add(time.Second), Quantity: 1},
		}}}
	}},
	"bought by who is not on the list": {checkWishes, func(r *run, _ *facts) {
		r.cfg.Scenario, r.sales[0].Eligibility.List = Wishes, true
		r.record.attempts[0].shopper.plan.Number = 49
	}},
	"a cursor passed one": {checkEvents, func(_ *run, f *facts) { delete(f.followed, "2") }},
	"drift":               {checkDrift, func(_ *run, f *facts) { f.audits["sale"].Items[0].Drift = -1 }},
	"counts are wrong":    {checkDrift, func(_ *run, f *facts) { f.audits["sale"].BoughtWrong = 1 }},
}

// waiting returns entries in a waiting list, of which each joined two seconds after the one before. The first offer is
// made so much later than the second, which is made five seconds after the start.
func waiting(r *run, later time.Duration, states ...string) (all []*wished) {
	starts := r.sales[0].StartsAt
	for i, state := range states {
		w := &wished{user: "user-1" + string(rune('1'+i))}
		w.State, w.JoinedAt = state, starts.Add(time.Duration(2*i)*time.Second)
		w.OfferedUntil = starts.Add(5 * time.Second).Add(offerWithin)
		if i == 0 {
			w.OfferedUntil = w.OfferedUntil.Add(later)
		}
		all = append(all, w)
	}
	return all
}

func TestOffersInTheOrderOfTheListAreHeld(t *testing.T) {
	t.Parallel()
	r, f := kept()
	r.record.wishes = append(waiting(r, 0, offered, offered, waits), waiting(r, 4*time.Second, offered)...)
	r.record.wishes[3].left = true // late, and it has left
	v := r.record.seen()
	r.judge(f, v)
	assert.Empty(t, v.problems)
	assert.Equal(t, 4, v.checked[checkWishes])
}

func TestEachCheckSeesWhatIsBroken(t *testing.T) {
	t.Parallel()
	for name, c := range broken {
		r, f := kept()
		c.breakIt(r, f)
		v := r.record.seen()
		r.judge(f, v)
		assert.NotEmpty(t, v.problems[c.check], name)
	}
}

// TestMoneyIsNotBrokenWhereNoNotificationComes has an ONRUSH_PUBLIC_URL that doesn't lead to the program.
func TestMoneyIsNotBrokenWhereNoNotificationComes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		state     string
		answers   [2]int
		unreached bool
	}{
		{"waiting", [2]int{}, true},
		{"given_up", [2]int{0, 404}, true},
		{"waiting", [2]int{301, 502}, true},
		{"waiting", [2]int{0, 500}, false}, // a fault of the program
		{"waiting", [2]int{0, 401}, false}, // the instances have different secrets
		{"acknowledged", [2]int{}, false},
		{"unheard", [2]int{0, 503}, false},
	} {
		r, f := kept()
		f.orders[0].Status, f.orders[1].Status = "cancelled", "cancelled"
		for i, number := range []string{"p11", "p12"} {
			n := f.payment(number)
			n.State, n.Answer, n.Attempts, n.RefundedAmount = row.state, row.answers[i], 3, 0
		}
		f.refunds, f.feed = nil, nil
		f.unreached = unreached(f.payments)
		require.Equal(t, row.unreached, f.unreached, "%+v", row)
		v := newVerdicts()
		r.judge(f, v)
		money := v.list()[4]
		require.Equal(t, checkMoney, money.Name)
		if !row.unreached {
			assert.Equal(t, Broken, money.Verdict, "%+v", row)
			continue
		}
		assert.Equal(t, NotExercised, money.Verdict, "%v", money.Problems)
		assert.Contains(t, strings.Join(money.Missing, " "), "onrush doctor")
		for _, p := range f.payments {
			p.Notifications[0].State = "waiting"
		}
		f.stats = map[string]*client.Stats{"sale": {}}
		assert.Empty(t, r.waiting(f), "no notification is waited for")
		f.unreached = false
		assert.NotEmpty(t, r.waiting(f))
	}
	assert.False(t, unreached(map[string]*client.SandboxState{"p": {}}), "nobody has paid")
}

func TestWhatNeverHappenedIsNotHeld(t *testing.T) {
	t.Parallel()
	v := newVerdicts()
	v.checked[checkStock] = 1
	v.want(checkStock, "sold out")
	for _, c := range v.list() {
		assert.Equal(t, NotExercised, c.Verdict, c.Name)
	}
	assert.Equal(t, 3, ExitCode(v.list()))
	v.problem(checkMoney, "lost")
	assert.Equal(t, 1, ExitCode(v.list()))
	v = newVerdicts()
	for _, p := range promises {
		v.checked[p.check] = 1
	}
	assert.Zero(t, ExitCode(v.list()))
}

func TestMorePermitsThanAllowedAreSeen(t *testing.T) {
	t.Parallel()
	r, _ := kept()
	s := r.sales[0]
	s.PermitRatio = 1
	s.Skus = []client.AdminActivity_Skus{{SKUID: "sku", Stock: []client.PointStock{{Quantity: 1}}}}
	v := newVerdicts()
	r.gates.granted(r.record.attempts[0], s.StartsAt)
	r.gates.used(r.record.attempts[0])
	r.gates.granted(r.record.attempts[1], s.StartsAt)
	r.gates.check(r.sales, v)
	assert.Empty(t, v.problems)
	r.gates.granted(r.record.attempts[0], s.StartsAt)
	r.gates.check(r.sales, v)
	assert.NotEmpty(t, v.problems[checkGates])
}

func TestWhoIsAdmittedBeforeThoseWhoCameEarlierIsSeen(t *testing.T) {
	t.Parallel()
	r, _ := kept()
	starts := r.sales[0].StartsAt
	at := func(s float64) time.Time { return starts.Add(time.Duration(s * float64(time.Second))) }
	visitor := func() *shopper { return &shopper{run: r, sale: r.sales[0]} }
	waits := func(s *shopper, text string, turn, when float64) string {
		return r.gates.placed(s, client.Place{Place: text, Status: "waiting", AdmittedAt: at(turn)}, 0, at(when))
	}
	admitted := func(s *shopper, text string, when float64) string {
		return r.gates.placed(s, client.Place{Place: text, Status: "admitted"}, 0, at(when))
	}
	early, late := visitor(), visitor()
	assert.Empty(t, r.gates.placed(early, client.Place{Place: "early", Status: "waiting"}, 0, at(-1)))
	assert.Empty(t, waits(late, "9", 9, 1))
	assert.Empty(t, waits(early, "2", 2, 1.5), "it came before the start, and its place has a number now")
	assert.Empty(t, admitted(early, "2", 2))
	assert.Empty(t, admitted(early, "2", 2.5), "it asks again")
	assert.Len(t, r.gates.places[r.sales[0]], 1)
	again := func(text string, expires, when float64) string {
		return r.gates.placed(early, client.Place{Place: text, Status: "admitted", ExpiresAt: at(expires)}, 0, at(when))
	}
	assert.Empty(t, again("2", 8, 2.6))
	assert.Empty(t, again("2 under the next secret", 8, 2.7), "it is the same place (seed 41128122)")
	assert.NotEmpty(t, again("6", 20, 7.2), "the one before has expired, and others waited")
	assert.Empty(t, waits(visitor(), "8", 8.5, 3), "clocks may differ")
	assert.NotEmpty(t, waits(visitor(), "7", 7.5, 3))
	assert.NotEmpty(t, admitted(visitor(), "3", 3))
	unheard := visitor()
	assert.Empty(t, r.gates.placed(unheard, client.Place{}, 0, at(0.9)))
	assert.Empty(t, waits(unheard, "1", 1.1, 3), "it came before, without hearing of its place (seed 700203)")
}

func TestAFaultThatDidNotHappenIsNotExercised(t *testing.T) {
	t.Parallel()
	r, f := kept()
	r.cfg.Faults = []string{"kill redis", "freeze sql", "full redis"}
	for _, name := range []string{"kill redis", "full redis"} {
		r.record.count(name, 1)
	}
	missing := func() []string {
		v := r.record.seen()
		r.judge(f, v)
		return v.list()[0].Missing
	}
	assert.Equal(t, []string{"freeze sql", "full redis"}, missing(), "a full Redis that nobody met")
	r.meter = meter.New(time.Now())
	r.meter.Count(true)
	r.meter.Add("submit", buyer.Answer{Code: "overloaded"})
	assert.Equal(t, []string{"freeze sql"}, missing())
}

func TestASaleWithoutPurchaseLimitsShowsNoneAndAFloodThatWasNotLimitedIsNone(t *testing.T) {
	t.Parallel()
	r, f := kept()
	limits := func() Check {
		v := r.record.seen()
		r.judge(f, v)
		return v.list()[1]
	}
	assert.Equal(t, Held, limits().Verdict)
	assert.Equal(t, 2, limits().Checked, "two buyers, once each")
	other := *r.sales[0]
	other.ActivityID = "later"
	r.sales, f.audits["later"] = append(r.sales, &other), &client.Audit{}
	f.sales["later"] = &other.AdminActivity
	f.stats = map[string]*client.Stats{}
	assert.Equal(t, 2, limits().Checked, "nobody bought in the later sale")
	r.sales[0].PurchaseLimit = unlimited
	assert.Equal(t, NotExercised, limits().Verdict)

	r.cfg.Flood = true
	v := r.record.seen()
	r.judge(f, v)
	assert.Contains(t, v.list()[6].Missing, "a flood")
}

func TestManyDroppedVisitorsLeaveTheOrdersNotExercised(t *testing.T) {
	t.Parallel()
	for dropped, missing := range map[int]int{1: 0, 2: 1} {
		r, f := kept()
		r.plan.Visitors, r.meter = make([]Visitor, 100), meter.New(time.Now())
		for range dropped {
			r.meter.Arrive(true)
		}
		v := r.record.seen()
		r.judge(f, v)
		assert.Len(t, v.list()[0].Missing, missing, dropped)
	}
}

func TestASkuMayHaveAnyNameInACopiedSale(t *testing.T) {
	t.Parallel()
	s := sale{goods: []buyer.Goods{{SKU: "shirt-l", Units: 1}}}
	s.ActivityID = "sale"
	greedy := Visitor{Orders: make([]Intent, ownLimit+1)}
	assert.Equal(t, "shirt-l", s.choose(greedy).SKU)
	assert.Equal(t, "shirt-l", s.choose(Visitor{}).SKU)
	s.goods = append(s.goods, buyer.Goods{SKU: plentyOf("sale"), Units: 1})
	assert.Equal(t, plentyOf("sale"), s.choose(greedy).SKU)
	assert.Equal(t, "shirt-l", s.choose(Visitor{Choice: 1}).SKU)
}
