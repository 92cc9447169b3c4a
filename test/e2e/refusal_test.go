package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

func TestASaleThatHasNotStartedGivesNoPath(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{StartsIn: 10 * time.Minute})
		alice := s.Buyer(t, "alice")

		a := askPath(alice, activity)
		requireRefusal(t, a, http.StatusConflict, "not_started")
		assert.Positive(t, parsed[client.Problem](a).RefreshAfterMs)
		assert.Equal(t, "upcoming", alice.GetActivity(t, activity).State)
	})
}

// An instance whose clock is ten minutes ahead uses the time of Redis: it opens nothing early.
func TestAnInstanceWithAWrongClockOpensNothingEarly(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ahead := func() time.Time { return time.Now().Add(10 * time.Minute) }
		wrong, right := site.Start(t, stores, site.Idle(), site.Now(ahead)), site.Start(t, stores, site.Idle())
		soon := right.Open(t, site.Sale{StartsIn: 5 * time.Minute})
		alice := wrong.Buyer(t, "alice")

		requireRefusal(t, askPath(alice, soon), http.StatusConflict, "not_started")
		refusal := parsed[client.Problem](askPath(alice, soon))
		assert.True(t, refusal.ServerTime.Before(refusal.StartsAt), "a client counts down by these")
		running := right.Open(t, site.Sale{SKU: "other", EndsIn: 5 * time.Minute})
		must(t, http.StatusAccepted, alice.Buy(t, running, "other", "k1"))
	})
}

// The sale was postponed after buyers had got their paths: the script checks the start time.
func TestSubmitToAPostponedSaleIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		alice := s.Buyer(t, "alice")
		path := alice.Path(t, activity, "sku")
		meta := stores.Keys.Meta(site.Lane(t, stores, activity), activity)
		require.NoError(t, stores.Redis.HSet(t.Context(), meta, "starts_ms",
			time.Now().Add(time.Minute).UnixMilli()).Err())

		requireRefusal(t, alice.Submit(t, path, "k1", one), http.StatusConflict, "not_started")
	})
}

func TestASaleThatHasEndedGivesNoPathAndTakesNoOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		alice := s.Buyer(t, "alice")
		path := alice.Path(t, activity, "sku")
		endNow(t, s, activity)

		requireRefusal(t, askPath(alice, activity), http.StatusConflict, "ended")
		requireRefusal(t, confirm(t, alice, path, one), http.StatusConflict, "ended")
		requireRefusal(t, alice.Submit(t, path, "k1", one), http.StatusConflict, "ended")
		assert.Equal(t, "100", site.Stock(t, stores, activity)["sku"])
	})
}

func TestASaleTakenOfflineGivesNoPathAndTakesNoOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())}
		activity := instances[0].Open(t, site.Sale{})
		alice := instances[0].Buyer(t, "alice")
		path := alice.Path(t, activity, "sku")
		far := alice.At(instances[1])
		far.Path(t, activity, "sku") // the other instance has a copy of the sale now

		instances[0].Operator(t).TakeActivityOffline(t, activity)

		requireRefusal(t, far.Submit(t, path, "k1", one), http.StatusConflict, "offline")
		requireRefusal(t, alice.Submit(t, path, "k2", one), http.StatusConflict, "offline")
		requireRefusal(t, askPath(alice, activity), http.StatusConflict, "offline")
		require.Eventually(t, func() bool { return askPath(far, activity).Code() == "offline" }, eventually, soon)
		assert.Equal(t, "ended",
			alice.GetActivity(t, activity).State)
		assert.Equal(t, "100", site.Stock(t, stores, activity)["sku"])
	})
}

func TestSoldOutReportsWhetherUnitsMayBeReturned(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": 1}})
		alice, bob := s.Buyer(t, "alice"), s.Buyer(t, "bob")
		bobs := bob.Path(t, activity, "sku")
		two := bob.Submit(t, bobs, "two", client.SubmitRequest{Quantity: 2})
		requireRefusal(t, two, http.StatusConflict, "sold_out")
		must(t, http.StatusAccepted, alice.Buy(t, activity, "sku", "k1"))

		pending := bob.Submit(t, bobs, "k1", one)
		requireRefusal(t, pending, http.StatusConflict, "sold_out_unpaid_pending")
		assert.Positive(t, parsed[client.Problem](pending).RefreshAfterMs)
		require.Eventually(t, func() bool {
			return askPath(bob, activity).Code() == "sold_out_unpaid_pending"
		}, eventually, soon)
		requireRefusal(t, confirm(t, bob, bobs, client.ConfirmRequest{Quantity: 1, AddressID: "none"}),
			http.StatusConflict, "sold_out_unpaid_pending") // before the address is looked for

		// Units of paid orders are not returned.
		paid := stores.Keys.Paid(site.Lane(t, stores, activity), activity)
		require.NoError(t, stores.Redis.HSet(t.Context(), paid, "sku~0", 1).Err())
		require.Eventually(t, func() bool { return askPath(bob, activity).Code() == "sold_out" }, eventually, soon)
		requireRefusal(t, bob.Submit(t, bobs, "k2", one), http.StatusConflict, "sold_out")
		assert.True(t, bob.GetActivity(t, activity).Skus[0].SoldOut)
	})
}

func TestSKUThatIsNotOnSaleHasNoPath(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity, draft := s.Open(t, site.Sale{}), s.Open(t, site.Sale{Draft: true})
		alice := s.Buyer(t, "alice")

		for name, body := range map[string]client.PathRequest{
			"an unknown sale":        {ActivityID: "nothing", SKUID: "sku"},
			"a draft":                {ActivityID: draft, SKUID: "sku"},
			"a sku that isn't in it": {ActivityID: activity, SKUID: "other"},
		} {
			a := alice.Call(t, http.MethodPost, "/api/v1/seckill/path", "", body)
			assert.Equal(t, http.StatusNotFound, a.Status, "%s: %s", name, a.Body)
			assert.Equal(t, "not_found", a.Code(), name)
		}
		requireRefusal(t, alice.Call(t, http.MethodGet, "/api/v1/activities/"+draft, "", nil),
			http.StatusNotFound, "not_found")
		requireRefusal(t, s.Stranger().Call(t, http.MethodPost, "/api/v1/seckill/path", "", one),
			http.StatusUnauthorized, "unauthorized")
	})
}
