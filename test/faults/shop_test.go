package faults

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web"
)

const (
	// patience bounds each wait; a busy machine is slow.
	patience = 60 * time.Second
	// pollEvery is the interval between two checks of a condition.
	pollEvery = 20 * time.Millisecond
)

// row is an order in SQL.
type row struct {
	Number   order.Number `db:"number"`
	User     string       `db:"user_id"`
	Status   order.Status `db:"status"`
	Reason   string       `db:"reason"`
	Point    string       `db:"point_id"`
	Quantity int64        `db:"quantity"`
}

// rows reads the orders of an activity from SQL, by number.
func rows(t testing.TB, s *kit.Stores, activity string) map[string]row {
	t.Helper()
	var list []row
	const query = `SELECT o.number, o.user_id, o.status, o.reason, o.point_id, o.quantity
		FROM orders o WHERE o.activity_id = ?`
	require.NoError(t, s.DB.Write.SelectContext(context.WithoutCancel(t.Context()), &list, query, activity))
	byNumber := make(map[string]row, len(list))
	for _, r := range list {
		byNumber[r.Number.String()] = r
	}
	require.Len(t, byNumber, len(list), "each order has one item")
	return byNumber
}

// point has SQL's counts of a sku at a point.
type point struct {
	Point string `db:"point_id"`
	Total int64  `db:"total"`
	Sold  int64  `db:"sold"`
}

// points reads the counters of an activity with one sku.
func points(t testing.TB, s *kit.Stores, activity string) map[string]point {
	t.Helper()
	var list []point
	const query = `SELECT point_id, total, sold FROM activity_stock WHERE activity_id = ?`
	require.NoError(t, s.DB.Write.SelectContext(context.WithoutCancel(t.Context()), &list, query, activity))
	byPoint := make(map[string]point, len(list))
	for _, p := range list {
		byPoint[p.Point] = p
	}
	return byPoint
}

// requireSound compares SQL's counters with its orders, and requires that no more is sold than the total.
func requireSound(t testing.TB, s *kit.Stores, activity string) {
	t.Helper()
	sold := map[string]int64{}
	for _, r := range rows(t, s, activity) {
		if r.Status == order.Unpaid {
			sold[r.Point] += r.Quantity
		}
	}
	for name, p := range points(t, s, activity) {
		assert.Equal(t, sold[name], p.Sold, "units in orders, and the counter of point %s", name)
		assert.LessOrEqual(t, p.Sold, p.Total, "sold at point %s", name)
	}
}

// remaining returns the stock in Redis of the sku of a Sale: in total, and by point.
func remaining(t testing.TB, s *site.Site, activity string) map[string]string {
	t.Helper()
	return site.Stock(t, s.Stores, activity)
}

// reconnect returns the same stores with connections of their own, for a second instance.
func reconnect(t testing.TB, s *kit.Stores) *kit.Stores {
	t.Helper()
	other := *s
	other.DB, other.Redis = s.ConnectSQL(t), s.ConnectRedis(t)
	return &other
}

// ownRedis gives a test embedded SQL and a redis-server of its own.
func ownRedis(t testing.TB, opts ...kit.Option) (*kit.Stores, *kit.Server) {
	t.Helper()
	own := kit.Own(t, append(opts, kit.RedisOnly())...)
	stores := *kit.OnEmbedded(t, opts...)
	stores.Name, stores.Mini = kit.OwnStores, nil
	stores.Redis, stores.RedisURL, stores.RedisAddr, stores.Keys = own.Redis, own.RedisURL, own.RedisAddr, own.Keys
	return &stores, own.RedisServer
}

// flush empties the test's Redis.
func flush(t testing.TB, s *kit.Stores) {
	t.Helper()
	require.NoError(t, s.Redis.FlushDB(context.WithoutCancel(t.Context())).Err())
}

// waitFor waits until ok says so.
func waitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, patience, pollEvery, what)
}

// get calls a route that must answer 200, and returns the body.
func get(t testing.TB, p *site.Person, path string) map[string]any {
	t.Helper()
	a := p.Call(t, http.MethodGet, path, "", nil)
	require.Equal(t, http.StatusOK, a.Status, string(a.Body))
	return a.JSON(t)
}

// list returns my orders, number → source, and whether the list is partial.
func list(t testing.TB, p *site.Person) (sources map[string]string, partial bool) {
	t.Helper()
	body := get(t, p, "/api/v1/orders?page_size=100")
	sources = map[string]string{}
	for _, it := range body["items"].([]any) {
		o := it.(map[string]any)
		sources[o["order_number"].(string)] = o["source"].(string)
	}
	return sources, body["partial"].(bool)
}

// placed returns the order number of a 202.
func placed(t testing.TB, a site.Answer) string {
	t.Helper()
	require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
	return a.JSON(t)["order_number"].(string)
}

// ready returns whether /readyz of an instance reports all stores as available, and for each store "ok"
// or "down".
func ready(t testing.TB, s *site.Site) (bool, map[string]any) {
	t.Helper()
	a := s.Stranger().Call(t, http.MethodGet, "/readyz", "", nil)
	var answer web.Ready
	a.Into(t, &answer)
	stores := map[string]any{"redis": "ok", "sql": "ok"}
	for _, text := range answer.Unavailable {
		name, _, _ := strings.Cut(text, ":")
		stores[name] = "down"
	}
	require.Equal(t, len(answer.Unavailable) < len(stores), a.Status == http.StatusOK, string(a.Body))
	return answer.Status == "ok", stores
}

// inParallel runs work(0) to work(n-1), at most atOnce side by side, and waits for all.
func inParallel(n, atOnce int, work func(i int)) {
	next := make(chan int)
	var all sync.WaitGroup
	for range min(n, atOnce) {
		all.Go(func() {
			for i := range next {
				work(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
}
