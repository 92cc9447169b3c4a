package rounds

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/web/client"
)

// beforeFile is the variable with the program of the build before, for changes of the kind Before.
const beforeFile = "ONRUSH_ROUNDS_BEFORE"

// changing are the changes of a round while they happen, and what must hold afterwards.
type changing struct {
	rig    *Rig
	market *market

	mu       sync.Mutex
	done     map[string]int
	problems []string
	stops    []stop
	late     []func(ctx context.Context, o *operators) // checks when all faults have ended
}

// change lets one change happen. A desk is an operator of its own.
func (c *changing) change(ctx context.Context, t testing.TB, what Change, desk *operators) {
	t.Helper()
	between := func() {
		wait(what.For / 2)
		if what.Kill != "" {
			c.rig.restart(t, what.Kill)
		}
		wait(what.For - what.For/2)
	}
	did := true
	switch what.Kind {
	case RotatePath, RotateJWT, RotateSandbox:
		c.rig.rotate(t, what, between)
	case AddLanes:
		between()
		c.rig.addLanes(t, what)
	case Before:
		c.rig.before(t, what, between)
	case Leases:
		first := []Target{A, B}[what.Seed%2]
		c.rig.promote(t, Failover, what.For, func() { c.rig.restart(t, first) })
		c.rig.restart(t, other(first))
	case Cancelled:
		c.rig.promote(t, Failover, what.For, func() { did = desk.cancelSome(ctx) })
	case Row:
		c.rig.lockRow(ctx, what, desk.sale.ActivityID)
	case Price:
		did = c.market.raise(ctx, desk)
		between()
		did = c.market.raise(ctx, desk) || did
	case Gates:
		did = desk.changeGates(ctx)
		between()
		did = desk.changeGates(ctx) || did
	case SalePrice:
		did = c.salePrice(ctx, what, desk, between)
	case Points:
		did = c.points(ctx, what, desk, between)
	case Archive:
		did = c.archive(ctx, what, desk, between)
	case Draft:
		did = c.draft(ctx, what, desk, between)
	case StopSales:
		did = c.stopSales(ctx, desk, between)
	case Erase:
		did = c.erase(ctx, what, desk, between)
	case Revoke:
		did = c.revoke(ctx, what, desk, between)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if did {
		c.done[string(what.Kind)]++
	}
	c.problems = append(c.problems, desk.problems...)
}

func (c *changing) afterwards(check func(ctx context.Context, o *operators)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.late = append(c.late, check)
}

// judge checks what must hold when all faults have ended.
func (c *changing) judge(ctx context.Context, o *operators) []string {
	for _, check := range c.late {
		check(ctx, o)
	}
	if len(c.stops) > 0 {
		c.problems = append(c.problems, brokenStops(c.stops, o.orders(ctx))...)
	}
	return append(c.problems, c.market.judge(ctx)...)
}

func other(t Target) Target {
	if t == A {
		return B
	}
	return A
}

// restart kills an instance and starts it with settings, which stay.
func (r *Rig) restart(t testing.TB, name Target, settings ...string) {
	t.Helper()
	claimed := r.claims[string(name)]
	claimed.Lock()
	defer claimed.Unlock()
	i := r.instances[name]
	i.process.Kill(t)
	i.env = append(i.env, settings...) // the last one of a name counts
	i.start(t)
}

// secrets are the settings that each kind rotates.
var secrets = map[ChangeKind]string{
	RotatePath: "ONRUSH_PATH_SECRET", RotateJWT: "ONRUSH_JWT_SECRET", RotateSandbox: "ONRUSH_SANDBOX_SECRET",
}

// rotate changes a secret in the steps of docs/operating/secrets.md: both instances accept the next secret; then one
// instance after the other signs with it, and accepts the secret before it until the next rotation.
func (r *Rig) rotate(t testing.TB, c Change, between func()) {
	t.Helper()
	name := secrets[c.Kind]
	was, next := r.secrets[name], newSecret(c)
	order := []Target{A, B}
	if c.Seed%2 == 1 {
		order = []Target{B, A}
	}
	for _, i := range order {
		r.restart(t, i, name+"="+was+";"+next)
	}
	between()
	for _, i := range order {
		r.restart(t, i, name+"="+next+";"+was)
	}
	r.secrets[name] = next
}

func newSecret(c Change) string {
	if c.Kind == RotateSandbox {
		return fmt.Sprintf("whsec_%032x", c.Seed) // base64 of 24 bytes
	}
	return fmt.Sprintf("the secret %032x of a round", c.Seed)
}

// addLanes gives an instance more lanes than any has had.
func (r *Rig) addLanes(t testing.TB, c Change) {
	t.Helper()
	const most = 3
	r.lanes += 1 + int(c.Seed%most)
	r.restart(t, []Target{A, B}[c.Seed>>8%2], fmt.Sprint("ONRUSH_LANES=", r.lanes))
}

// before lets an instance be of the build before for a while.
func (r *Rig) before(t testing.TB, c Change, between func()) {
	t.Helper()
	name := []Target{A, B}[c.Seed%2]
	r.instances[name].binary = os.Getenv(beforeFile)
	r.restart(t, name)
	between()
	r.instances[name].binary = ""
	r.restart(t, name)
}

// lockRow locks rows that others wait for: of this sale, or of what all share.
func (r *Rig) lockRow(ctx context.Context, c Change, sale string) {
	locks := []string{
		`SELECT activity_id FROM activity_stock WHERE activity_id = ? FOR UPDATE`,
		`SELECT activity_id FROM activities WHERE activity_id = ? FOR UPDATE`,
		`SELECT id FROM settings WHERE '' <> ? FOR UPDATE`,
		`SELECT number FROM orders WHERE activity_id = ? LIMIT 1 FOR UPDATE`,
	}
	tx, err := r.stores.DB.Write.BeginTxx(ctx, nil)
	if err != nil { // SQL is away
		return
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, locks[c.Seed%uint64(len(locks))], sale); err == nil {
		wait(c.For)
	}
}

// cancelSome cancels unpaid orders of the sale.
func (o *operators) cancelSome(ctx context.Context) (did bool) {
	const most = 20
	var unpaid client.AdminOrderList
	o.call(ctx, http.MethodGet, "/orders?status=unpaid&activity_id="+o.sale.ActivityID, "", nil, &unpaid)
	for _, order := range unpaid.Items[:min(len(unpaid.Items), most)] {
		did = o.call(ctx, http.MethodPost, "/orders/"+order.OrderNumber+"/cancel", o.key(),
			client.ReasonRequest{Reason: "a round"}, nil) || did
	}
	return did
}

func (o *operators) key() string { return fmt.Sprint("round-", o.random.Uint64()) }

// changeGates changes what stands before the paths of the sale. The drill's buyers pass any of these. A human check
// that is turned off would pass forged proofs, which the drill looks for.
func (o *operators) changeGates(ctx context.Context) bool {
	const least = 20
	return o.call(ctx, http.MethodPatch, o.onSale(""), "", []map[string]any{
		{"limits": map[string]any{"user": map[string]any{"requests": least + o.random.IntN(least), "seconds": 1}}},
		{"limits": map[string]any{"item": map[string]any{"requests": 5 * least, "seconds": 1}}},
		{"waiting_room": map[string]any{"paths_per_second": 5 * least}},
	}[o.random.IntN(3)], nil)
}

// erase erases a buyer whose ordinary orders are cancelled. Nothing else of this user must be left, and nobody else's.
func (c *changing) erase(ctx context.Context, what Change, desk *operators, between func()) bool {
	user := fmt.Sprintf("leaver-%x", what.Seed)
	number, ok := c.market.buyAs(ctx, user)
	if !ok || !desk.call(ctx, http.MethodPost, "/orders/"+number+"/cancel", desk.key(),
		client.ReasonRequest{Reason: "a round"}, nil) {
		return false
	}
	between()
	if !desk.call(ctx, http.MethodPost, "/users/"+user+"/erase", desk.key(), map[string]any{"confirm": user}, nil) {
		return false
	}
	c.afterwards(func(ctx context.Context, o *operators) {
		var order client.AdminOrder
		if o.call(ctx, http.MethodGet, "/orders/"+number, "", nil, &order) {
			o.problems = append(o.problems, brokenErasure(order, user)...)
		}
	})
	return true
}

// brokenErasure returns whether an order still names its erased buyer, wherever it stands.
func brokenErasure(order client.AdminOrder, user string) (problems []string) {
	text, err := json.Marshal(order)
	if err != nil || strings.Contains(string(text), user) {
		problems = append(problems, "order "+order.OrderNumber+" still has the id of its erased buyer")
	}
	return problems
}

// revoke makes a key, and revokes it. Both instances refuse it then.
func (c *changing) revoke(ctx context.Context, what Change, desk *operators, between func()) bool {
	var key client.Key
	if !desk.call(ctx, http.MethodPost, "/keys", desk.key(),
		map[string]any{"name": fmt.Sprintf("round-%x", what.Seed), "scope": "read"}, &key) {
		return false
	}
	between()
	if !desk.call(ctx, http.MethodDelete, "/keys/"+key.KeyID, "", nil, nil) {
		return false
	}
	c.afterwards(func(ctx context.Context, o *operators) {
		o.problems = append(o.problems, o.brokenKey(ctx, key.Secret)...)
	})
	return true
}

// brokenKey returns which instances accept a key that was revoked.
func (o *operators) brokenKey(ctx context.Context, secret string) (problems []string) {
	with := o.colleague(0)
	with.token = secret
	for _, url := range o.urls {
		with.urls = [2]string{url, url}
		if with.call(ctx, http.MethodGet, "/settings", "", nil, nil) {
			problems = append(problems, "a revoked key is accepted by "+url)
		}
	}
	return problems
}

// orders returns all orders of the sale.
func (o *operators) orders(ctx context.Context) (all []client.AdminOrder) {
	for before := ""; ctx.Err() == nil; {
		var page client.AdminOrderList
		if !o.call(ctx, http.MethodGet, "/orders?page_size=100&activity_id="+o.sale.ActivityID+before, "", nil, &page) {
			wait(pollEvery)
			continue
		}
		all = append(all, page.Items...)
		if page.NextCursor == "" {
			return all
		}
		before = "&before=" + page.NextCursor
	}
	return all
}

// colleague returns another operator with the same sale, who may work at the same time.
func (o *operators) colleague(seed uint64) *operators {
	another := *o
	another.random, another.problems, another.done = kit.Rand(seed), nil, nil
	another.working, another.stop = nil, nil
	return &another
}

// skipChanges says which changes can't happen here.
func (r *Rig) skipChanges(t testing.TB) {
	t.Helper()
	if file := os.Getenv(beforeFile); file == "" {
		r.SkippedChanges[Before] = beforeFile + " names no program"
	} else {
		_, err := os.Stat(file)
		require.NoError(t, err)
	}
	if only := os.Getenv("ONRUSH_ROUNDS_ONLY"); only != "" {
		for _, k := range ChangeKinds {
			if !slices.Contains(strings.Split(only, ","), string(k.Kind)) {
				r.SkippedChanges[k.Kind] = "ONRUSH_ROUNDS_ONLY"
			}
		}
	}
}
