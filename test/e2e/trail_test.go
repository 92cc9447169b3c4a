package e2e

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

func trailOf(user string) string { return admin + "/users/" + url.PathEscape(user) + "/trail" }

// A buyer says "at noon it told me to try again": an operator finds the refusals at all instances beside the orders.
func TestOperatorsSeeWhatHappenedToABuyer(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		here, there := site.Start(t, stores), site.Start(t, stores)
		op, ada := here.Operator(t), here.Buyer(t, "ada/li")
		activity := here.Open(t, site.Sale{})
		placed := ada.Submit(t, ada.Path(t, activity, "sku"), "k-1", map[string]any{"quantity": 1}).Placed(t)
		awaitInstances(t, op, 2)
		var refused []site.Answer
		for _, p := range []*site.Person{ada, ada.At(there), ada.At(there)} {
			a := p.Call(t, http.MethodPost, "/api/v1/seckill/path", "", map[string]any{
				"activity_id": activity, "sku_id": "lamp",
			})
			require.GreaterOrEqual(t, a.Status, 400, "%s", a.Body)
			refused = append(refused, a)
		}
		late := ada.At(there).Call(t, http.MethodPost, "/api/v1/orders", "k-late", map[string]any{"items": []any{}})
		requireRefusal(t, late, http.StatusUnprocessableEntity, "invalid_request")
		requireRefusal(t, there.Stranger().Ask(http.MethodGet, "/api/v1/orders", "", nil), 401, "unauthorized")
		requireRefusal(t, op.Ask(http.MethodGet, admin+"/orders/7", "", nil), 404, "not_found")

		trail := site.Read[client.Trail](t, http.StatusOK, op.Ask(http.MethodGet, trailOf(ada.Name), "", nil))
		assert.False(t, trail.Partial)
		require.Len(t, trail.Orders, 1)
		assert.Equal(t, placed.OrderNumber, trail.Orders[0].OrderNumber)
		require.Len(t, trail.Refusals, 3, "one of here, two alike and one of there")
		counts := map[string]int64{} // two may be of the same millisecond
		for _, r := range trail.Refusals {
			counts[r.Code+" at "+r.Instance] = r.Count
			if r.Code == "invalid_request" {
				assert.Equal(t, "k-late", r.IdempotencyKey)
				assert.Equal(t, late.Header.Get("X-Request-Id"), r.LastRequestID)
				continue
			}
			assert.Equal(t, "/api/v1/seckill/path", r.Path)
			assert.Equal(t, activity, r.ActivityID)
			assert.Equal(t, "lamp", r.SKUID)
			assert.Equal(t, refused[0].JSON(t)["detail"], r.Detail)
		}
		assert.Len(t, counts, 3)
		assert.ElementsMatch(t, []int64{1, 1, 2}, slices.Collect(maps.Values(counts)))

		for _, text := range []string{
			"k-late", refused[1].Header.Get("X-Request-Id"), refused[2].Header.Get("X-Request-Id"),
		} {
			hits := search(t, op, text)
			require.Len(t, hits, 1, text)
			assert.Equal(t, client.Hit{
				Kind: "refusal", ID: text, Link: trailOf(ada.Name), UserID: ada.Name,
			}, hits[0])
		}
		assert.Equal(t, "user", search(t, op, ada.Name)[0].Kind)

		// What an order path is for is not in the request.
		path := ada.Path(t, activity, "sku")
		requireRefusal(t, ada.Submit(t, path, "k-2", map[string]any{"quantity": 1000}), 409, "sold_out_unpaid_pending")
		trail = site.Read[client.Trail](t, http.StatusOK, op.Ask(http.MethodGet, trailOf(ada.Name), "", nil))
		assert.Equal(t, []string{"sold_out_unpaid_pending", activity, "sku"},
			[]string{trail.Refusals[0].Code, trail.Refusals[0].ActivityID, trail.Refusals[0].SKUID})
		requireRefusal(t, ada.Ask(http.MethodGet, trailOf(ada.Name), "", nil), http.StatusForbidden, "forbidden")
	})
}

func awaitInstances(t *testing.T, op *site.Person, running int) {
	t.Helper()
	site.Poll(t, op, admin+"/instances", func(l client.InstanceList) bool { return len(l.Items) == running })
}

func search(t *testing.T, op *site.Person, text string) []client.Hit {
	t.Helper()
	a := op.Ask(http.MethodGet, admin+"/search?q="+url.QueryEscape(text), "", nil)
	return site.Read[client.SearchResult](t, http.StatusOK, a).Items
}

func TestATrailSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		here := site.Start(t, stores)
		op := here.Operator(t)
		read := func() client.Trail {
			return site.Read[client.Trail](t, http.StatusOK, op.Ask(http.MethodGet, trailOf("ada"), "", nil))
		}
		assert.False(t, read().Partial)

		// An instance that runs, as Redis says, does not answer.
		keys, ctx := stores.Keys, t.Context()
		require.NoError(t, stores.Redis.Set(ctx, keys.Instance("frozen"), `{"status":"ok"}`, time.Minute).Err())
		at, err := stores.Redis.Time(ctx).Result()
		require.NoError(t, err)
		frozen := redis.Z{Score: float64(at.Add(time.Minute).UnixMilli()), Member: "frozen"}
		require.NoError(t, stores.Redis.ZAdd(ctx, keys.Instances(), frozen).Err())
		assert.True(t, read().Partial)
	})
}

// A buyer's refusals end with the buyer's data, at all instances.
func TestAnErasedBuyerHasNoTrail(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		here, there := site.Start(t, stores), site.Start(t, stores)
		op := here.Operator(t)
		awaitInstances(t, op, 2)
		for _, s := range []*site.Site{here, there} {
			for _, name := range []string{"ada", "bob"} {
				a := s.Buyer(t, name).Ask(http.MethodGet, "/api/v1/orders/7", "", nil)
				requireRefusal(t, a, http.StatusNotFound, "not_found")
			}
		}
		of := func(name string) client.Trail {
			return site.Read[client.Trail](t, http.StatusOK, op.Ask(http.MethodGet, trailOf(name), "", nil))
		}
		require.Len(t, of("ada").Refusals, 2)
		x := site.Read[client.UserExport](t, http.StatusOK, op.Ask(http.MethodGet, admin+"/users/ada/export", "", nil))
		assert.Len(t, x.Refusals, 2)
		erased := site.Read[client.Erased](t, http.StatusOK,
			op.Ask(http.MethodPost, admin+"/users/ada/erase", "", map[string]any{"confirm": "ada"}))
		assert.False(t, erased.Partial)
		assert.Empty(t, of("ada").Refusals)
		assert.Len(t, of("bob").Refusals, 2)
	})
}

// Without stores, what an instance remembers tells that they were away.
func TestATrailIsReadWithoutStores(t *testing.T) {
	t.Parallel()
	s := kit.OnEmbedded(t, kit.Breakable())
	here := site.Start(t, s)
	op, ada := here.Operator(t), here.Buyer(t, "ada")
	awaitInstances(t, op, 1)
	s.RedisAway(t)
	s.SQLAway(t)
	defer s.RedisBack(t)
	defer s.SQLBack(t)
	a := ada.Ask(http.MethodGet, "/api/v1/orders", "", nil)
	require.Equal(t, http.StatusServiceUnavailable, a.Status)
	trail := site.Read[client.Trail](t, http.StatusOK, op.Ask(http.MethodGet, trailOf("ada"), "", nil))
	assert.True(t, trail.Partial)
	require.Len(t, trail.Refusals, 1)
	assert.Equal(t, "unavailable", trail.Refusals[0].Code)
}
