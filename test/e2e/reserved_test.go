package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/seckill/gates/eligible"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// forGold reserves units at point 0 for members for half an hour.
func forGold(stock, units int64) site.Sale {
	until := time.Now().Add(30 * time.Minute).UnixMilli()
	return site.Sale{
		Stock: map[string]int64{"0": stock}, Reserved: []lua.Wave{{Point: "0", AtMS: until, Quantity: units}},
		ReservedFor: eligible.ReservedFor{
			Until: api.Millis(until), Claim: &eligible.Claim{Name: "tier", Values: []string{"gold"}},
		},
	}
}

func TestUnitsAreReservedForSomeBuyersUntilATime(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores), site.Start(t, stores)}
		activity := instances[0].Open(t, forGold(5, 3))
		gold := jwt.MapClaims{"tier": "gold"}
		member := func(user string) *site.Person { return holder(t, instances[1], user, gold) }
		other := func(user string) *site.Person { return instances[0].Buyer(t, user) }
		path := pathOf(takePath(t, other("early"), activity))
		for i := range 2 {
			p := other(fmt.Sprint("other", i))
			must(t, http.StatusAccepted, p.Submit(t, pathOf(takePath(t, p, activity)), "key", one))
		}
		refused := other("early").Submit(t, path, "key", one)
		requireRefusal(t, refused, http.StatusConflict, "sold_out_for_now")
		assert.NotZero(t, parsed[client.Problem](refused).NextWaveAt)
		shown := site.Poll(t, other("reader"), "/api/v1/activities/"+activity, func(a client.Activity) bool {
			return a.Skus[0].Reserved == 3 && a.Skus[0].Remaining == 0
		})
		assert.EqualValues(t, 3, shown.Skus[0].Reserved)
		assert.True(t, shown.Skus[0].SoldOut)
		assert.True(t, shown.ReservedFor.Claim)
		requireRefusal(t, takePath(t, other("late"), activity), http.StatusConflict, "sold_out_for_now")

		first := member("first")
		must(t, http.StatusAccepted, first.Submit(t, pathOf(takePath(t, first, activity)), "key", one))
		instances[0].Drain(t)
		first.CancelOrder(t, first.ListOrders(t, "").Items[0].OrderNumber)
		requireRefusal(t, other("early").Submit(t, path, "again", one), http.StatusConflict, "sold_out_for_now")

		// Redis loses all: what is reserved, and for whom it is not, is as before.
		require.NoError(t, stores.Redis.FlushDB(t.Context()).Err())
		instances[0].Job(t, "preheat")
		requireRefusal(t, other("early").Submit(t, path, "third", one), http.StatusConflict, "sold_out_for_now")
		must(t, http.StatusAccepted, first.Submit(t, pathOf(takePath(t, first, activity)), "second", one))

		// What is reserved for others counts beside what was: one unit would keep none.
		instances[0].Drain(t)
		reserve := func(tier string, units int64) site.Answer {
			return instances[0].Operator(t).Call(t, http.MethodPatch, admin+"/activities/"+activity, "", map[string]any{
				"reserved_for": map[string]any{
					"until": time.Now().UTC().Add(10 * time.Minute).Format(time.RFC3339Nano),
					"claim": map[string]any{"name": "tier", "values": []string{tier}},
				},
				"skus": []any{map[string]any{"sku_id": "sku", "reserved": []any{map[string]any{"quantity": units}}}},
			})
		}
		requireRefusal(t, reserve("silver", 1), http.StatusUnprocessableEntity, "invalid_request")
		requireRefusal(t, reserve("gold", 1), http.StatusUnprocessableEntity, "invalid_request")
		must(t, http.StatusOK, reserve("silver", 2))
		must(t, http.StatusOK, reserve("gold", 3))

		// The operator gives the units back before their time.
		must(t, http.StatusOK, instances[0].Operator(t).Call(t, http.MethodPatch, admin+"/activities/"+activity, "",
			map[string]any{"reserved_for": map[string]any{
				"until": time.Now().UTC().Format(time.RFC3339Nano), "claim": map[string]any{
					"name": "tier", "values": []string{"gold"},
				},
			}}))
		for _, key := range []string{"fourth", "fifth"} {
			must(t, http.StatusAccepted, other("early").Submit(t, path, key, one))
		}
		requireRefusal(t, other("early").Submit(t, path, "sixth", one), http.StatusConflict, "sold_out_unpaid_pending")
		instances[0].Drain(t)
		assert.Empty(t, instances[0].Audit(t, activity))
	})
}

func TestRefusalsSayWhatIsOpenBesideReservedUnits(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle())
	detail := func(a site.Answer) string { return parsed[client.Problem](a).Detail }
	ada, bob := s.Buyer(t, "ada"), s.Buyer(t, "bob")
	some := s.Open(t, forGold(5, 3))
	path := pathOf(takePath(t, ada, some))
	three := client.SubmitRequest{Quantity: 3}
	a := ada.Submit(t, path, "key", three)
	requireRefusal(t, a, http.StatusConflict, "sold_out_for_now")
	assert.Contains(t, detail(a), "up to 2")

	// Units that are reserved until the end are never open.
	sale := forGold(2, 1)
	sale.ReservedFor.Until += api.Millis(2 * time.Hour.Milliseconds())
	sale.Reserved[0].AtMS = int64(sale.ReservedFor.Until)
	all := s.Open(t, sale)
	path = pathOf(takePath(t, ada, all))
	must(t, http.StatusAccepted, bob.Submit(t, pathOf(takePath(t, bob, all)), "key", one))
	requireRefusal(t, ada.Submit(t, path, "key", one), http.StatusConflict, "sold_out_unpaid_pending")
	site.Poll(t, ada, "/api/v1/activities/"+all, func(a client.Activity) bool { return a.Skus[0].SoldOut })
	requireRefusal(t, takePath(t, s.Buyer(t, "cid"), all), http.StatusConflict, "sold_out_unpaid_pending")
}

// While nobody can tell who is on the list, the sale goes on with what everybody may buy.
func TestASaleGoesOnWhileTheListOfMembersIsLoaded(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle())
	sale := forGold(2, 1)
	sale.ReservedFor.Claim, sale.ReservedFor.List = nil, true
	activity := s.Open(t, sale)
	must(t, http.StatusOK, s.Operator(t).Call(t, http.MethodPost, admin+"/activities/"+activity+"/buyers", "",
		client.BuyersRequest{UserIds: []string{"ada"}}))
	ada, bob := s.Buyer(t, "ada"), s.Buyer(t, "bob")
	site.Poll(t, bob, "/api/v1/activities/"+activity, func(client.Activity) bool { // until it is loaded
		return bob.Submit(t, pathOf(takePath(t, bob, activity)), "key", one).Status == http.StatusAccepted
	})
	require.Eventually(t, func() bool {
		return takePath(t, ada, activity).Code() == "unavailable"
	}, 10*time.Second, 10*time.Millisecond)
	s.Job(t, "fill_buyers")
	require.Eventually(t, func() bool {
		a := takePath(t, ada, activity)
		return a.Status == http.StatusOK && ada.Submit(t, pathOf(a), "key", one).Status == http.StatusAccepted
	}, 10*time.Second, 10*time.Millisecond)
}

// A crowd of both kinds comes to two instances at once.
func TestACrowdOfStrangersLeavesTheReservedUnits(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores), site.Start(t, stores)}
		activity := instances[0].Open(t, forGold(20, 8))
		buy := func(user string, claims jwt.MapClaims) site.Answer {
			p := holder(t, instances[len(user)%2], user, claims)
			path := p.Insist(http.MethodPost, "/api/v1/seckill/path", "",
				client.PathRequest{ActivityID: activity, SKUID: "sku"})
			if path.Status != http.StatusOK {
				return path
			}
			return p.InsistOn(pathOf(path), "key", one)
		}
		assert.Equal(t, map[string]int{"202 ": 12, "409 sold_out_for_now": 36},
			counts(kit.AtOnce(48, func(i int) site.Answer { return buy(fmt.Sprint("other", i), nil) })))
		members := counts(kit.AtOnce(48, func(i int) site.Answer {
			return buy(fmt.Sprint("member", i), jwt.MapClaims{"tier": "gold"})
		}))
		assert.Equal(t, 8, members["202 "], "%v", members)
		instances[0].Drain(t)
		assert.Empty(t, instances[0].Audit(t, activity))
	})
}
