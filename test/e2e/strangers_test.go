package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

const activities = "/api/v1/activities"

func TestStrangersSeePublishedSalesAndNoDrafts(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		sale := s.Open(t, site.Sale{})
		coming := s.Open(t, site.Sale{SKU: "later", StartsIn: time.Hour, EndsIn: 2 * time.Hour})
		draft := s.Open(t, site.Sale{SKU: "secret", Draft: true})
		nobody, alice := s.Stranger(), s.Buyer(t, "alice")
		ids, total := salesOf(t, nobody, "")
		assert.Equal(t, []string{sale, coming}, ids)
		assert.EqualValues(t, 2, total)
		same := func(path string) {
			a, b := nobody.Call(t, http.MethodGet, path, "", nil), alice.Call(t, http.MethodGet, path, "", nil)
			must(t, http.StatusOK, a)
			must(t, http.StatusOK, b)
			shown, seen := a.JSON(t), b.JSON(t)
			delete(shown, "server_time")
			delete(seen, "server_time")
			assert.Equal(t, seen, shown, path)
		}
		same(activities + "/" + sale)
		for _, p := range []*site.Person{nobody, alice} {
			requireRefusal(t, p.Call(t, http.MethodGet, activities+"/"+draft, "", nil), http.StatusNotFound,
				"not_found")
			for _, query := range []string{"state=upcoming", "state=ended", "state=running", "page_size=100"} {
				ids, _ := salesOf(t, p, query)
				assert.NotContains(t, ids, draft, query)
			}
		}
		for _, path := range []string{"/api/v1/orders", "/api/v1/activitiesx", activities + "/" + sale + "/x"} {
			requireRefusal(t, nobody.Call(t, http.MethodGet, path, "", nil), http.StatusUnauthorized, "unauthorized")
		}
		for path, body := range map[string]any{
			"/api/v1/seckill/path": client.PathRequest{ActivityID: sale, SKUID: "sku"}, activities: nil,
		} {
			a := nobody.Call(t, http.MethodPost, path, "", body)
			requireRefusal(t, a, http.StatusUnauthorized, "unauthorized")
		}
	})
}

func TestSalesNeedATokenWhereTheyAreNotPublic(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle(), site.Configured(func(cfg *server.Config) {
		cfg.PublicActivities = false
	}))
	sale := s.Open(t, site.Sale{})
	for _, path := range []string{activities, activities + "/" + sale} {
		requireRefusal(t, s.Stranger().Call(t, http.MethodGet, path, "", nil), http.StatusUnauthorized, "unauthorized")
		must(t, http.StatusOK, s.Buyer(t, "alice").Call(t, http.MethodGet, path, "", nil))
	}
}

// All strangers get the same copy: while it is fresh, no request reaches a store, and when it is not, they share
// the reads of one.
func TestACrowdOfStrangersReadsNoStore(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t, kit.Breakable())
	clock := kit.NewClock(time.Now())
	s := site.Start(t, stores, site.Idle(), site.Time(clock.Now))
	sale := s.Open(t, site.Sale{})
	paths := []string{activities, activities + "?state=running&page_size=5", activities + "/" + sale}
	crowd := func(n int) {
		t.Helper()
		for i, a := range kit.AtOnce(n, func(i int) site.Answer {
			return s.Stranger().Ask(http.MethodGet, paths[i%len(paths)], "", nil)
		}) {
			require.Equal(t, http.StatusOK, a.Status, "%d: %s", i, a.Body)
		}
	}
	crowd(len(paths))
	commands := kit.CountCommands(stores.Redis)
	before := stores.SQLCalls(t)
	crowd(1500)
	assert.Equal(t, before, stores.SQLCalls(t), "calls of SQL by 1,500 requests")
	assert.Empty(t, commands.Take())

	clock.Advance(time.Second)
	crowd(1500)
	// A read of the activity and one of each of the two lists, each in a transaction; if they wait for each other,
	// each list is read twice.
	assert.LessOrEqual(t, stores.SQLCalls(t)-before, int64(20))
	for name, n := range commands.Take() {
		assert.LessOrEqual(t, n, 2, "%s: the counts of one activity", name)
	}
}

func TestAFloodOfUnknownSalesOfStrangersDelaysNoKnownOne(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t, kit.Breakable())
	s := site.Start(t, stores, site.Idle())
	sale := s.Open(t, site.Sale{})
	must(t, http.StatusOK, s.Stranger().Call(t, http.MethodGet, activities+"/"+sale, "", nil))
	before := stores.SQLCalls(t)
	for i, a := range kit.AtOnce(1000, func(i int) site.Answer {
		id := sale
		if i%10 > 0 {
			id = fmt.Sprint("unknown-", i)
		}
		return s.Stranger().Ask(http.MethodGet, activities+"/"+id, "", nil)
	}) {
		if i%10 == 0 {
			require.Equal(t, http.StatusOK, a.Status, string(a.Body))
		} else {
			require.Contains(t, []int{http.StatusNotFound, http.StatusServiceUnavailable}, a.Status, string(a.Body))
		}
	}
	assert.Less(t, stores.SQLCalls(t)-before, int64(450), "unknown ids share reads")
}

func TestPagesOfTheShopMayCallAndOthersMayNot(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle())
	ask := func(method, path, origin string) (status int, header http.Header) {
		req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, http.NoBody)
		require.NoError(t, err)
		req.Header.Set("Origin", origin)
		if method == http.MethodOptions {
			req.Header.Set("Access-Control-Request-Method", http.MethodPost)
			req.Header.Set("Access-Control-Request-Headers", "authorization,content-type,idempotency-key")
		}
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.StatusCode, res.Header
	}
	const allow = "Access-Control-Allow-Origin"
	for _, path := range []string{activities, "/api/v1/payments", "/api/v1/orders/confirm"} {
		status, header := ask(http.MethodOptions, path, site.ShopOrigin)
		assert.Equal(t, http.StatusNoContent, status, path)
		assert.Equal(t, site.ShopOrigin, header.Get(allow), path)
		for _, method := range []string{http.MethodOptions, http.MethodGet} {
			_, header := ask(method, path, "https://evil.example")
			assert.Empty(t, header.Get(allow), path)
			assert.Contains(t, header.Get("Vary"), "Origin", path)
		}
	}
	status, header := ask(http.MethodGet, activities, site.ShopOrigin)
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, site.ShopOrigin, header.Get(allow))
	for _, path := range []string{"/admin/api/v1/orders", "/webhooks/pay/sandbox"} {
		for _, method := range []string{http.MethodOptions, http.MethodPost} {
			_, header := ask(method, path, site.ShopOrigin)
			assert.Empty(t, header.Get(allow), path)
		}
	}
}
