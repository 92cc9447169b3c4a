package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/seckill/gates/eligible"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// holder is a buyer whose token has further claims.
func holder(t *testing.T, s *site.Site, user string, claims jwt.MapClaims) *site.Person {
	t.Helper()
	all := jwt.MapClaims{"sub": user, "role": "user", "exp": time.Now().Add(time.Hour).Unix()}
	for name, value := range claims {
		all[name] = value
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, all).SignedString([]byte(site.JWTSecret))
	require.NoError(t, err)
	return s.Holder(token)
}

func inHouse(house any) jwt.MapClaims { return jwt.MapClaims{"household": house} }

// pathWithCode asks for a path with a code.
func pathWithCode(p *site.Person, activity, code string) site.Answer {
	return p.Insist(http.MethodPost, "/api/v1/seckill/path", "",
		client.PathRequest{ActivityID: activity, SKUID: "sku", Code: code})
}

// counts returns how many answers have each status and code.
func counts(answers []site.Answer) map[string]int {
	codes := map[string]int{}
	for _, a := range answers {
		codes[fmt.Sprintf("%d %s", a.Status, a.Code())]++
	}
	return codes
}

func TestTheAccountsOfAHouseholdShareTheLimitOfASale(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores), site.Start(t, stores)}
		activity := instances[0].Open(t, site.Sale{PurchaseLimit: 2, LimitKey: "household"})
		assert.Equal(t, "household", instances[0].Buyer(t, "ann").GetActivity(t, activity).LimitKey)
		buy := func(user, house string) site.Answer {
			p := holder(t, instances[len(user)%2], user, inHouse(house))
			path := p.Insist(http.MethodPost, "/api/v1/seckill/path", "",
				client.PathRequest{ActivityID: activity, SKUID: "sku"})
			return p.InsistOn(pathOf(path), "key", one)
		}
		assert.Equal(t, map[string]int{"202 ": 2, "409 purchase_limit": 46},
			counts(kit.AtOnce(48, func(i int) site.Answer { return buy(fmt.Sprint("account", i), "home") })))
		must(t, http.StatusAccepted, buy("neighbour", "next door"))
		instances[0].Drain(t)
		assert.Empty(t, instances[0].Audit(t, activity))
		owners := ownersInSQL(t, stores, activity)
		require.Len(t, owners, 3)

		// Another account of the household gets what one gives back, also after Redis lost the sale.
		var gone string
		for _, owner := range owners {
			if owner != "neighbour" {
				gone = owner
			}
		}
		first := holder(t, instances[1], gone, inHouse("home"))
		first.CancelOrder(t, first.ListOrders(t, "").Items[0].OrderNumber)
		must(t, http.StatusAccepted, buy("late", "home"))
		requireRefusal(t, buy("later", "home"), http.StatusConflict, "purchase_limit")
		instances[0].Drain(t)
		stores.LoseRedis(t)
		instances[0].Job(t, "preheat")
		requireRefusal(t, buy("latest", "home"), http.StatusConflict, "purchase_limit")
		must(t, http.StatusAccepted, buy("other", "next door"))
		instances[0].Drain(t)
		assert.Empty(t, instances[0].Audit(t, activity))
	})
}

// A value that is no short text has no limit of its own: it is refused.
func TestATokenWithoutTheClaimOfALimitBuysNothing(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle())
	activity := s.Open(t, site.Sale{PurchaseLimit: 1, LimitKey: "household"})
	for _, claims := range []jwt.MapClaims{
		{},
		inHouse(7), inHouse(true), inHouse(nil), inHouse(""), inHouse([]string{"a", "b"}),
		inHouse(map[string]string{"a": "b"}), inHouse([]int{1}), inHouse(strings.Repeat("x", 257)), inHouse("a\nb"),
	} {
		requireRefusal(t, takePath(t, holder(t, s, "ann", claims), activity), http.StatusForbidden, "limit_key_missing")
	}
	must(t, http.StatusOK, takePath(t, holder(t, s, "ann", inHouse(strings.Repeat("x", 256))), activity))
	tooLong := holder(t, s, "ann", inHouse(strings.Repeat("x", 10<<10)))
	requireRefusal(t, takePath(t, tooLong, activity), http.StatusUnauthorized, "unauthorized")
	requireRefusal(t, s.Operator(t).Call(t, http.MethodPatch, admin+"/activities/"+activity, "",
		map[string]any{"limit_key": ""}), http.StatusUnprocessableEntity, "invalid_request")
}

func TestOnlyTheBuyersOfASaleGetAPathToIt(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())}
		gold := &eligible.Claim{Name: "tier", Values: []string{"gold", "platinum"}}
		activity := instances[0].Open(t, site.Sale{Eligible: eligible.Settings{List: true, Code: true, Claim: gold}})
		shown := instances[0].Buyer(t, "ann").GetActivity(t, activity).Eligibility
		assert.Equal(t, client.BuyerEligibility{List: true, Code: true, Claim: true}, shown)
		op := instances[0].Operator(t)
		buyers := admin + "/activities/" + activity + "/buyers"
		codes := parsed[client.MadeCodes](op.Call(t, http.MethodPost, admin+"/activities/"+activity+"/codes", "",
			client.CodesRequest{Count: 2, Uses: 3})).Codes
		require.Len(t, codes, 2)

		requireRefusal(t, takePath(t, instances[1].Buyer(t, "stranger"), activity), http.StatusForbidden,
			"not_eligible")
		for _, claims := range []jwt.MapClaims{{"tier": "gold"}, {"tier": []string{"new", "platinum"}}} {
			must(t, http.StatusOK, takePath(t, holder(t, instances[1], "member", claims), activity))
		}
		for _, claims := range []jwt.MapClaims{{"tier": "GOLD"}, {"tier": 1}, {"Tier": "gold"}} {
			requireRefusal(t, takePath(t, holder(t, instances[1], "member", claims), activity), http.StatusForbidden,
				"not_eligible")
		}

		must(t, http.StatusOK, op.Call(t, http.MethodPost, buyers, "",
			client.BuyersRequest{UserIds: []string{"ada", "bob"}}))
		instances[1].Job(t, "fill_buyers")
		for _, s := range instances {
			site.Poll(t, s.Buyer(t, "reader"), "/api/v1/activities/"+activity, func(client.Activity) bool {
				return takePath(t, s.Buyer(t, "ada"), activity).Status == http.StatusOK
			})
		}

		// Many use a code at once: as many buyers as it has uses get a path, and keep it.
		answers := kit.AtOnce(48, func(i int) site.Answer {
			return pathWithCode(instances[i%2].Buyer(t, fmt.Sprint("guest", i%24)), activity, strings.ToLower(codes[0]))
		})
		assert.Equal(t, map[string]int{"200 ": 6, "403 code_invalid": 42}, counts(answers))
		assert.Equal(t, client.BuyersSummary{Buyers: 2, Codes: 2, Uses: 6, Used: 3},
			parsed[client.BuyersSummary](op.Call(t, http.MethodGet, buyers, "", nil)))
		for i, a := range answers {
			if a.Status == http.StatusOK {
				again := instances[(i+1)%2].Buyer(t, fmt.Sprint("guest", i%24))
				must(t, http.StatusOK, pathWithCode(again, activity, codes[1]))
			}
		}
		assert.EqualValues(t, 3, parsed[client.BuyersSummary](op.Call(t, http.MethodGet, buyers, "", nil)).Used)
		requireRefusal(t, pathWithCode(instances[0].Buyer(t, "guesser"), activity, "0000-0000-0000-0000"),
			http.StatusForbidden, "code_invalid")

		// Redis loses the list: nobody who is on it is refused.
		stores.LoseRedis(t)
		instances[0].Job(t, "preheat")
		requireRefusal(t, takePath(t, instances[0].Buyer(t, "bob"), activity), http.StatusServiceUnavailable,
			"unavailable")
		instances[0].Job(t, "fill_buyers")
		site.Poll(t, instances[0].Buyer(t, "reader"), "/api/v1/activities/"+activity, func(client.Activity) bool {
			return takePath(t, instances[0].Buyer(t, "bob"), activity).Status == http.StatusOK
		})

		must(t, http.StatusNoContent, op.Call(t, http.MethodDelete, buyers, "", nil))
		instances[0].Job(t, "fill_buyers")
		requireRefusal(t, takePath(t, instances[0].Buyer(t, "bob"), activity), http.StatusForbidden, "not_eligible")
		must(t, http.StatusOK, op.Call(t, http.MethodPatch, admin+"/activities/"+activity, "",
			map[string]any{"eligibility": map[string]any{}}))
		must(t, http.StatusOK, takePath(t, instances[0].Buyer(t, "bob"), activity))
	})
}

// Who comes with a code when all is sold out becomes one of the sale's buyers, and may wait.
func TestWhoHasACodeMayWaitForUnitsThatAreSoldOut(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t))
	activity := s.Open(t, site.Sale{
		Stock: map[string]int64{"0": 1}, OfferWithinS: 60, Eligible: eligible.Settings{Code: true},
	})
	code := parsed[client.MadeCodes](s.Operator(t).Call(t, http.MethodPost, admin+"/activities/"+activity+"/codes",
		"", client.CodesRequest{Count: 1, Uses: 2})).Codes[0]
	ann, bob := s.Buyer(t, "ann"), s.Buyer(t, "bob")
	path := parsed[client.Path](pathWithCode(ann, activity, code)).Path
	must(t, http.StatusAccepted, ann.Submit(t, path, "key", map[string]any{"quantity": 1}))
	require.Eventually(t, func() bool { // the copies of the sale and of its counts are a moment old
		return strings.HasPrefix(pathWithCode(bob, activity, code).Code(), "sold_out")
	}, 10*time.Second, 20*time.Millisecond)
	wait := func(p *site.Person) site.Answer {
		return p.Call(t, http.MethodPost, "/api/v1/seckill/waitlist", "",
			client.WaitlistRequest{ActivityID: activity, SKUID: "sku", Quantity: 1})
	}
	requireRefusal(t, wait(s.Buyer(t, "eve")), http.StatusForbidden, "not_eligible")
	must(t, http.StatusOK, wait(bob))
	requireRefusal(t, pathWithCode(s.Buyer(t, "eve"), activity, "0000-0000-0000-0000"), http.StatusForbidden,
		"code_invalid")
}

// An offer to a buyer who can't take it would keep units from the others.
func TestOnlyTheBuyersOfASaleWaitForUnits(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t))
	activity := s.Open(t, site.Sale{LimitKey: "household", Eligible: eligible.Settings{
		Claim: &eligible.Claim{Name: "tier", Values: []string{"gold"}},
	}})
	must(t, http.StatusOK, s.Operator(t).Call(t, http.MethodPatch, admin+"/activities/"+activity, "",
		map[string]any{"offer_within_s": 60}))
	wait := func(user string, claims jwt.MapClaims) string {
		var a site.Answer
		require.Eventually(t, func() bool { // until the instance knows that the sale has a list
			a = holder(t, s, user, claims).Call(t, http.MethodPost, "/api/v1/seckill/waitlist", "",
				client.WaitlistRequest{ActivityID: activity, SKUID: "sku", Quantity: 1})
			return a.Code() != "no_waitlist"
		}, 10*time.Second, 20*time.Millisecond)
		return a.Code()
	}
	assert.Equal(t, "not_eligible", wait("ann", inHouse("home")))
	assert.Equal(t, "limit_key_missing", wait("bob", jwt.MapClaims{"tier": "gold"}))
	assert.Equal(t, "not_sold_out", wait("cid", jwt.MapClaims{"tier": "gold", "household": "home"}))
}

func TestSomeBuyEarlierAndFromTheStartEverybody(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())}
		early := eligible.Settings{Claim: &eligible.Claim{Name: "tier", Values: []string{"gold"}}, EarlyS: 3600}
		activity := instances[0].Open(t, site.Sale{Eligible: early, StartsIn: time.Minute * 30, PathsPerSecond: 1})
		later := instances[0].Open(t, site.Sale{Eligible: early, StartsIn: time.Hour * 2, EndsIn: 3 * time.Hour})
		member := holder(t, instances[1], "member", jwt.MapClaims{"tier": "gold"})
		nobody := instances[1].Buyer(t, "nobody")
		requireRefusal(t, takePath(t, nobody, activity), http.StatusConflict, "not_started")
		requireRefusal(t, takePath(t, member, later), http.StatusConflict, "not_started")
		path := pathOf(takePath(t, member, activity))
		must(t, http.StatusAccepted, member.Submit(t, path, "first", one))
		must(t, http.StatusAccepted, member.At(instances[0]).Submit(t, path, "second", one))

		// The operator takes the early access away: a path that was given for it waits for the start.
		must(t, http.StatusOK, instances[0].Operator(t).Call(t, http.MethodPatch, admin+"/activities/"+activity, "",
			map[string]any{"eligibility": map[string]any{}}))
		for _, s := range instances {
			requireRefusal(t, member.At(s).Submit(t, path, "third", one), http.StatusConflict, "not_started")
		}
		must(t, http.StatusOK, instances[0].Operator(t).Call(t, http.MethodPatch, admin+"/activities/"+activity, "",
			map[string]any{
				"starts_at":    time.Now().Add(-time.Second).UTC().Format(time.RFC3339Nano),
				"waiting_room": map[string]any{"paths_per_second": -1},
			}))
		site.Poll(t, nobody, "/api/v1/activities/"+activity, func(client.Activity) bool {
			return takePath(t, nobody, activity).Status == http.StatusOK
		})
		instances[0].Drain(t)
		assert.Empty(t, instances[0].Audit(t, activity))
	})
}
