package faults

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
)

// spoiledKey is a key of one family of lua.Keys.
type spoiledKey struct {
	family string
	key    string
	kind   string // its type
	lane   bool   // it belongs to the whole lane
}

// families are the keys that belong to a sale, one of its buyers, its lane, or to all.
func families(s *site.Site, lane int, sale, sku, user string, n order.Number) []spoiledKey {
	k := s.Stores.Keys
	return []spoiledKey{
		{"Queue", k.Queue(lane), "list", true},
		{"Orders", k.Orders(lane, user), "hash", false},
		{"Written", k.Written(lane), "hash", false},
		{"Dead", k.Dead(lane), "hash", false},
		{"Leases", k.Leases(lane), "hash", true},
		{"Numbers", k.Numbers(lane), "set", true},
		{"MoveLock", k.MoveLock(lane), "string", true},
		{"OrderLock", k.OrderLock(lane, n.String()), "string", false},
		{"Sale", k.Sale(sale), "string", false},
		{"Sales", k.Sales(), "zset", false},
		{"Settings", k.Settings(), "string", false},
		{"Site", k.Site(), "string", false},
		{"JobLock", k.JobLock("audit"), "string", false},
		{"JobDue", k.JobDue("audit", 1), "string", false},
		{"Meta", k.Meta(lane, sale), "hash", false},
		{"Stock", k.Stock(lane, sale), "hash", false},
		{"Paid", k.Paid(lane, sale), "hash", false},
		{"Bought", k.Bought(lane, sale), "hash", false},
		{"Held", k.Held(lane, sale), "hash", false},
		{"Tasks", k.Tasks(lane, sale), "hash", false},
		{"Changes", k.Changes(lane, sale), "hash", false},
		{"Answers", k.Answers(lane, sale), "hash", false},
		{"Rate", k.Rate(lane, sale, time.Now().Unix()), "string", false},
		{"Peak", k.Peak(lane, sale), "zset", false},
		{"Permits", k.Permits(lane, sale, sku), "zset", false},
		{"Window", k.Window(lane, sale, sku), "list", false},
		{"LineEarly", k.LineEarly(lane, sale), "zset", false},
		{"LineLate", k.LineLate(lane, sale), "zset", false},
		{"Waitlist", k.Waitlist(lane, sale), "hash", false},
		{"Buyers", k.Buyers(lane, sale), "set", false},
		{"Instances", k.Instances(), "zset", false},
		{"Instance", k.Instance("spoiled"), "string", false},
		{"Refusals", k.Refusals(time.Now().Unix() / 60), "hash", false},
		{"WriteCheck", k.WriteCheck(lane), "string", true},
		{"RightsCheck", k.RightsCheck(lane), "string", true},
		{"Limit", k.Limit(user), "string", false},
		{"Ticket", k.Ticket("spoiled"), "string", false},
		{"HumanNonce", k.HumanNonce(lane, sale, "spoiled"), "string", false},
	}
}

// notKeys are methods of lua.Keys that name no key of their own.
var notKeys = map[string]bool{"Loaded": true, "TrailQuestions": true, "TrailAnswers": true}

// withWrongType replaces a key by one of another type.
func withWrongType(ctx context.Context, s *site.Site, k spoiledKey) error {
	if err := s.Stores.Redis.Del(ctx, k.key).Err(); err != nil {
		return err
	}
	if k.kind == "string" {
		return s.Stores.Redis.RPush(ctx, k.key, "spoiled").Err()
	}
	return s.Stores.Redis.Set(ctx, k.key, "spoiled", 0).Err()
}

// withGarbage puts something into a key that is none of its values.
func withGarbage(ctx context.Context, s *site.Site, k spoiledKey) error {
	rdb := s.Stores.Redis
	switch k.kind {
	case "string":
		return rdb.Set(ctx, k.key, "\x00spoiled", 0).Err()
	case "list":
		return rdb.LPush(ctx, k.key, "\x00spoiled").Err()
	case "set":
		return rdb.SAdd(ctx, k.key, "\x00spoiled").Err()
	case "zset":
		return rdb.Do(ctx, "ZADD", k.key, 1, "\x00spoiled").Err()
	}
	fields, err := rdb.HKeys(ctx, k.key).Result()
	if err != nil {
		return err
	}
	for _, field := range append(fields, "spoiled") {
		if err := rdb.HSet(ctx, k.key, field, "\x00spoiled").Err(); err != nil {
			return err
		}
	}
	return nil
}

// Somebody writes into the keys of Redis, one family after the other. Buyers of another sale, in the same lane unless
// the key is the lane's, buy, see their list, pay and cancel all the same.
func TestASpoiledKeyOfEachFamilyStopsOnlyItsOwner(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	s := site.Start(t, stores)
	ctx := t.Context()
	owner := s.Buyer(t, "owner")
	buy := func(p *site.Person, sale, sku, key string) order.Number {
		// A sale with a spoiled key is being loaded again.
		a := p.InsistOn(p.Path(t, sale, sku), key, map[string]any{"quantity": 1})
		require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
		n, err := order.ParseNumber(a.JSON(t)["order_number"].(string))
		require.NoError(t, err)
		return n
	}
	plenty := map[string]int64{"0": 100_000}
	spoiled := s.Open(t, site.Sale{SKU: "spoiled", Stock: plenty, PurchaseLimit: 1000})
	lane := buy(owner, spoiled, "spoiled", "first").Lane()
	var beside, elsewhere string // sales in the same lane, and in another one
	for i := 0; beside == "" || elsewhere == ""; i++ {
		sale := s.Open(t, site.Sale{SKU: "healthy", Stock: plenty})
		if buy(owner, sale, "healthy", fmt.Sprintf("find%d", i)).Lane() == lane {
			beside = sale
		} else {
			elsewhere = sale
		}
	}
	s.Drain(t)
	names := map[string]bool{}
	for round, spoil := range []func(context.Context, *site.Site, spoiledKey) error{withWrongType, withGarbage} {
		what := []string{"wrong type", "garbage"}[round]
		n := buy(owner, spoiled, "spoiled", fmt.Sprint("victim-", round))
		for i, k := range families(s, lane, spoiled, "spoiled", "owner", n) {
			names[k.family] = true
			before, dumped := stores.Redis.Dump(ctx, k.key).Result()
			require.NoError(t, spoil(ctx, s, k), k.family)
			sale := beside
			if k.lane {
				sale = elsewhere
			}
			healthy(t, s, sale, fmt.Sprintf("buyer-%d-%d", round, i), k.family+": "+what)
			require.NoError(t, stores.Redis.Del(ctx, k.key).Err())
			if dumped == nil {
				require.NoError(t, stores.Redis.RestoreReplace(ctx, k.key, 0, before).Err())
			}
		}
	}
	keys := reflect.TypeOf(stores.Keys)
	for i := range keys.NumMethod() {
		name := keys.Method(i).Name
		assert.True(t, names[name] || notKeys[name], "keys of %s are not spoiled", name)
	}
}

// healthy lets a buyer of a sale buy, list, pay and cancel.
func healthy(t *testing.T, s *site.Site, sale, user, spoiled string) {
	t.Helper()
	p := s.Buyer(t, user)
	var numbers []string
	for _, key := range []string{"a", "b"} {
		a := p.Buy(t, sale, "healthy", key)
		if !assert.Equal(t, http.StatusAccepted, a.Status, "%s: %s", spoiled, a.Body) {
			return
		}
		numbers = append(numbers, a.JSON(t)["order_number"].(string))
	}
	assert.Eventually(t, func() bool {
		var stored int
		err := s.Stores.DB.Read.GetContext(t.Context(), &stored, `SELECT COUNT(*) FROM orders WHERE user_id = ?`, user)
		return err == nil && stored == len(numbers)
	}, 30*time.Second, 10*time.Millisecond, spoiled+": the orders are stored")
	list := p.Ask(http.MethodGet, "/api/v1/orders", "", nil)
	assert.Equal(t, http.StatusOK, list.Status, "%s: %s", spoiled, list.Body)
	assert.NotEqual(t, true, list.JSON(t)["partial"], spoiled)
	paid := p.Pay(t, "pay", numbers[0])
	assert.Equal(t, http.StatusCreated, paid.Status, "%s: %s", spoiled, paid.Body)
	cancelled := p.Ask(http.MethodPost, "/api/v1/orders/"+numbers[1]+"/cancel", "", nil)
	assert.Equal(t, http.StatusOK, cancelled.Status, "%s: %s", spoiled, cancelled.Body)
	ready := p.Ask(http.MethodGet, "/readyz", "", nil)
	assert.Equal(t, http.StatusOK, ready.Status, "%s: %s", spoiled, ready.Body)
}
