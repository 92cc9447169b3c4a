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

// forSegments changes for whom a sale is, and waits until all instances know it.
func forSegments(t *testing.T, instances []*site.Site, activity string, names ...string) {
	t.Helper()
	change := map[string]any{"segments": append([]string{}, names...)}
	must(t, http.StatusOK,
		instances[0].Operator(t).Call(t, http.MethodPatch, admin+"/activities/"+activity, "", change))
	for _, s := range instances {
		site.Poll(t, s.Buyer(t, "reader"), "/api/v1/activities/"+activity, func(a client.Activity) bool {
			return assert.ObjectsAreEqual(names, a.Segments)
		})
	}
}

func TestOnlyBuyersOfTheSegmentsOfASaleGetAPathToIt(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())}
		activity := instances[0].Open(t, site.Sale{Segments: "members vip", PurchaseLimit: 5})
		member, vip := instances[0].Buyer(t, "member", "members", "new"), instances[1].Buyer(t, "vip", "vip")
		stranger := instances[0].Buyer(t, "stranger", "new", "member")
		nobody := instances[1].Buyer(t, "nobody")
		assert.Equal(t, []string{"members", "vip"}, nobody.GetActivity(t, activity).Segments)
		for _, p := range []*site.Person{stranger, nobody} {
			requireRefusal(t, takePath(t, p, activity), http.StatusForbidden, "not_in_segment")
		}
		assert.Contains(t, instances[0].Metrics(t), `onrush_refusals_total{code="not_in_segment",gate="segments"} 1`)
		before := pathOf(takePath(t, member, activity))
		placed := member.Submit(t, before, "first", one)
		must(t, http.StatusAccepted, placed)
		must(t, http.StatusAccepted, vip.Submit(t, pathOf(takePath(t, vip, activity)), "k", one))

		// While the sale runs it becomes one for others, and both instances follow.
		forSegments(t, instances, activity, "vip")
		for _, s := range instances {
			requireRefusal(t, takePath(t, member.At(s), activity), http.StatusForbidden, "not_in_segment")
			must(t, http.StatusOK, takePath(t, vip.At(s), activity))
		}
		// A path that was given before stays valid, and a placed order is answered again.
		again := member.At(instances[1]).Submit(t, before, "first", one)
		must(t, http.StatusAccepted, again)
		assert.Equal(t, placed.Placed(t).OrderNumber, again.Placed(t).OrderNumber)
		must(t, http.StatusAccepted, member.Submit(t, before, "second", one))

		forSegments(t, instances, activity)
		for _, s := range instances {
			must(t, http.StatusOK, takePath(t, nobody.At(s), activity))
		}
		instances[0].Drain(t)
		assert.Len(t, member.ListOrders(t, "").Items, 2)
		assert.Empty(t, instances[0].Audit(t, activity))
	})
}

func TestATokenForDevelopmentNamesSegments(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle())
	activity := s.Open(t, site.Sale{Segments: "vip"})
	ask := func(names ...string) site.Answer {
		return s.Stranger().Call(t, http.MethodPost, "/dev/token", "",
			client.TokenRequest{UserID: "ada", Segments: names})
	}
	must(t, http.StatusOK, takePath(t, s.Holder(parsed[client.Token](ask("new", "vip")).Token), activity))
	requireRefusal(t, takePath(t, s.Holder(parsed[client.Token](ask()).Token), activity), http.StatusForbidden,
		"not_in_segment")
	requireRefusal(t, ask("VIP"), http.StatusUnprocessableEntity, "invalid_request")
}

func TestOnlyBuyersOfTheSegmentsOfASaleWaitForIt(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())}
		activity := instances[0].Open(t, site.Sale{PathsPerSecond: 0.02, Segments: "members"})
		joinLine := func(p *site.Person) site.Answer {
			return p.Call(t, http.MethodPost, "/api/v1/seckill/line", "", client.LineRequest{ActivityID: activity})
		}
		stranger := instances[0].Buyer(t, "stranger", "new")
		requireRefusal(t, joinLine(stranger), http.StatusForbidden, "not_in_segment")
		requireRefusal(t, takePath(t, stranger, activity), http.StatusForbidden, "not_in_segment")
		first := instances[0].Buyer(t, "first", "members")
		admitted := join(t, first, activity)
		require.Equal(t, "admitted", admitted.Status, "the stranger took no place")
		waits := instances[1].Buyer(t, "waits", "members")
		place := join(t, waits, activity)
		require.Equal(t, "waiting", place.Status)
		_, followed, more := site.Next[client.Place](t,
			waits.Follow(t, "/api/v1/seckill/line/"+place.Place+"/events"))
		assert.True(t, more)
		assert.Equal(t, "waiting", followed.Status)

		where := "/api/v1/seckill/line/" + place.Place
		left := instances[0].Buyer(t, "waits", "new") // the same buyer, who is no member any more
		requireRefusal(t, left.Call(t, http.MethodGet, where, "", nil), http.StatusForbidden, "not_in_segment")
		forSegments(t, instances, activity, "vip")
		for _, s := range instances {
			p := waits.At(s)
			requireRefusal(t, joinLine(p), http.StatusForbidden, "not_in_segment")
			requireRefusal(t, p.Call(t, http.MethodGet, where, "", nil), http.StatusForbidden, "not_in_segment")
			requireRefusal(t, p.Call(t, http.MethodGet, where+"/events", "", nil), http.StatusForbidden,
				"not_in_segment")
			requireRefusal(t, pathWith(t, first.At(s), activity, admitted.Place), http.StatusForbidden,
				"not_in_segment")
		}
		forSegments(t, instances, activity, "members", "vip")
		assert.Equal(t, place.Place, join(t, waits, activity).Place, "the place is kept")
		must(t, http.StatusOK, pathWith(t, first, activity, admitted.Place))
	})
}

// While SQL is away, an instance that hasn't read a sale knows from the copy in Redis for whom a sale is.
func TestTheCopyOfASaleHasItsSegments(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		fresh, first := site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())
		activity := first.Open(t, site.Sale{}) // which the other one has not read
		first.Operator(t).ChangeActivity(t, activity, client.ActivityChange{Segments: []string{"vip", "members"}})
		stores.SQLAway(t)
		require.Eventually(t, func() bool {
			return fresh.Buyer(t, "vip", "vip").Ask(http.MethodPost, "/api/v1/seckill/path", "",
				client.PathRequest{ActivityID: activity, SKUID: "sku"}).Status == http.StatusOK
		}, eventually, 20*time.Millisecond)
		requireRefusal(t, takePath(t, fresh.Buyer(t, "stranger"), activity), http.StatusForbidden, "not_in_segment")
	}, kit.Breakable())
}

// A sale keeps its segments through its drafts, a clone, its change of other fields, its file and the log of operators.
func TestASaleKeepsItsSegments(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle())
	op := s.Operator(t)
	stockShop(t, op)
	sale := lampSale("0")
	sale.Segments = []string{"vip", "members", "vip"}
	want := []string{"members", "vip"}
	id := publish(t, op, sale)
	shown := func(id string) []string {
		return site.Read[client.AdminActivity](t, http.StatusOK,
			op.Call(t, http.MethodGet, admin+"/activities/"+id, "", nil)).Segments
	}
	assert.Equal(t, want, shown(id))
	op.ChangeActivity(t, id, client.ActivityChange{Title: "Another title"})
	must(t, http.StatusOK, op.Call(t, http.MethodPost, admin+"/activities/"+id+"/pause", "", nil))
	assert.Equal(t, want, shown(id))
	clone := site.Read[client.AdminActivity](t, http.StatusCreated,
		op.Call(t, http.MethodPost, admin+"/activities/"+id+"/clone", "clone", client.CloneRequest{}))
	assert.Equal(t, want, clone.Segments)
	sale.Segments = []string{"new"}
	must(t, http.StatusOK, op.Call(t, http.MethodPut, admin+"/activities/"+clone.ActivityID, "", sale))
	assert.Equal(t, []string{"new"}, shown(clone.ActivityID))
	sale.Segments = nil
	must(t, http.StatusOK, op.Call(t, http.MethodPut, admin+"/activities/"+clone.ActivityID, "", sale))
	assert.Empty(t, shown(clone.ActivityID))
	var logged []string
	require.NoError(t, s.Stores.DB.Read.SelectContext(t.Context(), &logged,
		`SELECT after_value FROM operator_log WHERE target = ? AND action = 'activity.created'`, "activity:"+id))
	require.Len(t, logged, 1)
	assert.Contains(t, logged[0], `"segments":["members","vip"]`)
	for field, names := range map[string][]string{
		"segments[1]": {"ok", "Not ok"}, "segments": make([]string, 17), "segments[0]": {""},
	} {
		sale.Segments = names
		a := op.Call(t, http.MethodPost, admin+"/activities", "bad-"+field, sale)
		requireRefusal(t, a, http.StatusUnprocessableEntity, "invalid_request")
		assert.Contains(t, string(a.Body), `"`+field+`"`)
	}
}
