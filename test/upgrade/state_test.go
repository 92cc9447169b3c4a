package upgrade

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/schema"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// versions are the folders of the frozen versions.
func versions(t *testing.T) (names []string) {
	t.Helper()
	paths, err := filepath.Glob("[0-9]*.[0-9]*")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	return paths
}

// eachVersion runs a test on the state of each frozen version, which is loaded and upgraded.
func eachVersion(t *testing.T, test func(t *testing.T, old *upgraded)) {
	t.Helper()
	for _, version := range versions(t) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, s *kit.Stores) {
				load(t, s, version)
				require.NoError(t, schema.Up(t.Context(), s.DB))
				old := &upgraded{Stores: s, dir: version}
				for _, line := range read(t, version, answersFile) {
					var a answer
					require.NoError(t, json.Unmarshal([]byte(line), &a))
					old.answers = append(old.answers, a)
				}
				test(t, old)
			}, kit.NoSchema())
		})
	}
}

// upgraded is the state of an older version, under the schema of this one.
type upgraded struct {
	*kit.Stores

	dir     string
	answers []answer
}

// answered returns what the older version answered to whoever asked for a path that begins so.
func (u *upgraded) answered(t *testing.T, path string) (found []answer) {
	t.Helper()
	for _, a := range u.answers {
		if strings.HasPrefix(a.Path, path) {
			found = append(found, a)
		}
	}
	require.NotEmpty(t, found, path)
	return found
}

// lists returns the buyers' orders as the older version listed them, by user.
func (u *upgraded) lists(t *testing.T) map[string][]client.Order {
	t.Helper()
	lists := map[string][]client.Order{}
	for _, a := range u.answered(t, "/api/v1/orders?") {
		var list client.OrderList
		require.NoError(t, json.Unmarshal(a.Body, &list))
		lists[a.User] = list.Items
	}
	return lists
}

// sale returns the id of the sale that sells a sku.
func (u *upgraded) sale(t *testing.T, sku string) (id string) {
	t.Helper()
	require.NoError(t, u.DB.Read.GetContext(t.Context(), &id,
		`SELECT activity_id FROM activity_skus WHERE sku_id = ?`, sku))
	return id
}

// changing are the fields of answers that depend on the moment, or on where an order is.
var changing = []string{
	"now", "source", "refresh_after_ms", "updated_at", "used_at", "last_used_at", "paid_at", "version", "warnings",
	"next",
}

// lacks returns what an answer has no more, or has otherwise, of what it had. It may have more.
func lacks(path string, had, has any) (missing []string) {
	switch had := had.(type) {
	case map[string]any:
		now, ok := has.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s is %v", path, has)}
		}
		for name, value := range had {
			if !slices.Contains(changing, name) {
				missing = append(missing, lacks(path+"."+name, value, now[name])...)
			}
		}
	case []any:
		now, ok := has.([]any)
		if !ok || len(now) < len(had) {
			return []string{fmt.Sprintf("%s has %d entries, not %d", path, len(now), len(had))}
		}
		for i, value := range had {
			missing = append(missing, lacks(fmt.Sprintf("%s[%d]", path, i), value, now[i])...)
		}
	default:
		if had != has {
			missing = append(missing, fmt.Sprintf("%s was %v and is %v", path, had, has))
		}
	}
	return missing
}

// requireAnswers asks again what the older version was asked.
func (u *upgraded) requireAnswers(t *testing.T, s *site.Site, prefixes ...string) {
	t.Helper()
	asked := 0
	for _, a := range u.answers {
		if len(prefixes) > 0 && !slices.ContainsFunc(prefixes, func(p string) bool {
			return strings.HasPrefix(a.Path, p)
		}) {
			continue
		}
		p := s.Operator(t)
		if a.User != "" {
			p = s.Buyer(t, a.User)
		}
		now := p.Call(t, http.MethodGet, a.Path, "", nil)
		require.Equal(t, http.StatusOK, now.Status, "%s: %s", a.Path, now.Body)
		var had, has any
		require.NoError(t, json.Unmarshal(a.Body, &had))
		require.NoError(t, json.Unmarshal(now.Body, &has))
		assert.Empty(t, lacks("", had, has), "%s of %q", a.Path, a.User)
		asked++
	}
	require.Positive(t, asked)
}

// requireNoDrift audits all sales that are in Redis.
func (u *upgraded) requireNoDrift(t *testing.T, s *site.Site) {
	t.Helper()
	var ids []string
	require.NoError(t, u.DB.Read.SelectContext(t.Context(), &ids,
		`SELECT activity_id FROM activities WHERE state = 'published' AND retired_ms = 0`))
	require.NotEmpty(t, ids)
	for _, id := range ids {
		assert.Empty(t, s.Audit(t, id), id)
	}
}

// Nothing is lost, and everything is answered as before, whether the orders are in Redis or in SQL.
func TestAnOlderStateIsAnsweredAsBefore(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, old *upgraded) {
		s := site.Start(t, old.Stores, site.Idle(), configured())
		old.requireAnswers(t, s)
		old.requireNoDrift(t, s)
		var waiting int64
		for lane := 1; lane <= 4; lane++ {
			waiting += old.Redis.LLen(t.Context(), old.Keys.Queue(lane)).Val()
		}
		require.Positive(t, waiting, "the queues have orders")

		s.Drain(t)
		old.requireAnswers(t, s, "/api/v1/", admin+"/activities/", admin+"/keys", admin+"/settings",
			admin+"/queue/dead")
		old.requireNoDrift(t, s)
		var stored int
		numbers := 0
		for _, list := range old.lists(t) {
			numbers += len(list)
		}
		require.NoError(t, old.DB.Read.GetContext(t.Context(), &stored, `SELECT COUNT(*) FROM (SELECT number FROM orders
			UNION SELECT number FROM orders_archive) AS o`))
		assert.Equal(t, numbers, stored-1, "the dead entry has no row, and the lists lack two orders that were erased")
		state, err := schema.Read(t.Context(), old.DB)
		require.NoError(t, err)
		assert.Equal(t, []int{0, 0}, []int{state.Lacks, state.Newer})
	})
}

// What older instances left under way is finished: payments, refunds, returns, cancels, dead entries, deadlines.
func TestWhatAnOlderVersionBeganIsFinished(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, old *upgraded) {
		s := site.Start(t, old.Stores, site.Idle(), configured())
		op := s.Operator(t)
		byStatus := map[string][]client.Order{}
		owner := map[string]string{}
		for user, list := range old.lists(t) {
			for _, o := range list {
				byStatus[o.Status] = append(byStatus[o.Status], o)
				owner[o.OrderNumber] = user
			}
		}
		require.Greater(t, len(byStatus["unpaid"]), 5)
		old.requirePaid(t, s, byStatus["unpaid"], owner)
		for _, o := range byStatus["paid"] {
			if o.TotalAmount > o.RefundedAmount {
				op.RefundOrder(t, o.OrderNumber, "back-"+o.OrderNumber, client.RefundRequest{Force: true})
			}
		}
		dead := op.ListDead(t)
		require.Len(t, dead, 1)
		a := op.Call(t, http.MethodPost, admin+"/queue/dead/"+dead[0].DeadID+"/discard", "", nil)
		require.Equal(t, http.StatusOK, a.Status, string(a.Body))
		s.Drain(t)
		s.Job(t, "settle_stock")
		s.Job(t, "send_refunds")
		for _, o := range byStatus["paid"] {
			if o.TotalAmount > 0 {
				assert.Equal(t, "refunded", s.Buyer(t, owner[o.OrderNumber]).GetOrder(t, o.OrderNumber).Status,
					o.OrderNumber)
			}
		}
		var waiting int
		require.NoError(t, old.DB.Read.GetContext(t.Context(), &waiting,
			`SELECT (SELECT COUNT(*) FROM refunds WHERE status = 'pending') +
				(SELECT COUNT(*) FROM stock_outbox WHERE state = 'pending')`))
		assert.Zero(t, waiting, "refunds and returns")
		old.requireNoDrift(t, s)
	})
}

// requirePaid pays the first half of unpaid orders, one of them by a payment that the older version began, cancels the
// second half, and lets the deadline of one pass.
func (u *upgraded) requirePaid(t *testing.T, s *site.Site, unpaid []client.Order, owner map[string]string) {
	t.Helper()
	var begun, late int
	late += s.Job(t, "cancel_unpaid")
	for i, o := range unpaid {
		buyer := s.Buyer(t, owner[o.OrderNumber])
		if buyer.GetOrder(t, o.OrderNumber).Status == "cancelled" { // its deadline has passed
			continue
		}
		pending := buyer.ListPayments(t, o.OrderNumber)
		if i%2 == 1 && len(pending) == 0 {
			assert.Equal(t, "cancelled", buyer.CancelOrder(t, o.OrderNumber).Status)
			continue
		}
		var m client.Payment
		if len(pending) > 0 {
			begun++
			m = pending[0]
		} else {
			m = buyer.BeginPayment(t, "new-"+o.OrderNumber, o.OrderNumber)
		}
		if m.Amount > 0 {
			p := site.Payment{
				Number: m.PayNumber, Transaction: "new-" + m.PayNumber, Amount: m.Amount,
				Currency: m.Currency,
			}
			s.Money(t, p)
			a, err := s.Notify(t.Context(), p)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, a.Status, string(a.Body))
		}
		assert.Equal(t, "paid", buyer.GetOrder(t, o.OrderNumber).Status, o.OrderNumber)
	}
	assert.Equal(t, []int{1, 1}, []int{begun, late}, "a payment that was begun, an order that was late")
}

// A crowd buys what is left on two instances that run as always, and the feed goes on where it was.
func TestACrowdBuysTheRestOfAnOlderSale(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, old *upgraded) {
		var delivered atomic.Int64
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			delivered.Add(1)
			w.WriteHeader(http.StatusNoContent)
		}))
		t.Cleanup(receiver.Close)
		_, err := old.DB.Write.ExecContext(t.Context(), `UPDATE endpoints SET url = ?`, receiver.URL)
		require.NoError(t, err)
		instances := []*site.Site{
			site.Start(t, old.Stores, configured()), site.Start(t, old.Stores, configured()),
		}
		activity := old.sale(t, "sku")
		var left int64
		require.NoError(t, json.Unmarshal([]byte(site.Stock(t, old.Stores, activity)["sku"]), &left))
		require.Greater(t, left, int64(20))
		var mu sync.Mutex
		bought := map[string]string{} // order → user
		kit.Crowd(int(2*left), func(i int) {
			user := fmt.Sprint("new-", i)
			buyer := instances[i%2].Buyer(t, user)
			path := buyer.Insist(http.MethodPost, "/api/v1/seckill/path", "",
				client.PathRequest{ActivityID: activity, SKUID: "sku"})
			var given struct{ Path string }
			if path.Status != http.StatusOK || json.Unmarshal(path.Body, &given) != nil {
				return
			}
			a := buyer.InsistOn(given.Path, "key", client.SubmitRequest{Quantity: 1})
			var placed client.Submitted
			if a.Status == http.StatusAccepted && json.Unmarshal(a.Body, &placed) == nil {
				mu.Lock()
				defer mu.Unlock()
				bought[placed.OrderNumber] = user
			}
		})
		assert.Len(t, bought, int(left), "each unit that was left is sold once")
		old.requireMoved(t, bought)
		old.requireNoDrift(t, instances[0])
		old.requireFeed(t, instances[1].Operator(t), bought)
		require.Eventually(t, func() bool { return delivered.Load() > left }, 30*time.Second, 20*time.Millisecond)
		for _, list := range old.lists(t) {
			for _, o := range list {
				a := instances[0].Operator(t).GetAdminOrder(t, o.OrderNumber)
				assert.Equal(t, o.TotalAmount, a.TotalAmount)
			}
		}
	})
}

// requireMoved waits until the orders of the older version and of a crowd are stored.
func (u *upgraded) requireMoved(t *testing.T, bought map[string]string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	numbers := map[order.Number]bool{}
	require.Eventually(t, func() bool {
		var stored []order.Number
		if u.DB.Read.SelectContext(ctx, &stored, `SELECT number FROM orders`) != nil {
			return false
		}
		for _, n := range stored {
			numbers[n] = true
		}
		for number := range bought {
			n, err := order.ParseNumber(number)
			if err != nil || !numbers[n] {
				return false
			}
		}
		return true
	}, 60*time.Second, 50*time.Millisecond, "the crowd's orders are stored")
	for lane := 1; lane <= 4; lane++ {
		require.Eventually(t, func() bool { return u.Redis.LLen(ctx, u.Keys.Queue(lane)).Val() == 0 },
			60*time.Second, 50*time.Millisecond, "lane %d", lane)
	}
}

// requireFeed reads the feed from where readers of the older version had come.
func (u *upgraded) requireFeed(t *testing.T, op *site.Person, bought map[string]string) {
	t.Helper()
	var had client.PlatformEventList
	require.NoError(t, json.Unmarshal(u.answered(t, admin+"/events?")[0].Body, &had))
	require.NotEmpty(t, had.NextCursor)
	placed := map[string]bool{}
	require.Eventually(t, func() bool {
		for _, e := range op.ListEvents(t, "types=order.placed") {
			placed[e.Data.Order.OrderNumber] = true
		}
		return !slices.ContainsFunc(slices.Collect(maps.Keys(bought)), func(n string) bool { return !placed[n] })
	}, 30*time.Second, 100*time.Millisecond, "each order of the crowd has its event")
	next := site.Read[client.PlatformEventList](t, http.StatusOK,
		op.Call(t, http.MethodGet, admin+"/events?page_size=1&after="+had.NextCursor, "", nil))
	require.Len(t, next.Items, 1)
	assert.False(t, next.Missed, "the reader goes on at its cursor")
	assert.False(t, slices.ContainsFunc(had.Items, func(e client.PlatformEvent) bool {
		return e.EventID == next.Items[0].EventID
	}), "an event comes again")
}
