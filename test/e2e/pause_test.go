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

// takePath asks for a path to the goods of a sale.
func takePath(t *testing.T, p *site.Person, activity string) site.Answer {
	t.Helper()
	return p.Call(t, http.MethodPost, "/api/v1/seckill/path", "",
		client.PathRequest{ActivityID: activity, SKUID: "sku"})
}

func TestAPausedSalePlacesNothingOnAnyInstanceUntilItIsResumed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())}
		op := instances[0].Operator(t)
		activity := instances[1].Open(t, site.Sale{Stock: map[string]int64{"0": 9}, PermitRatio: 2})
		paid, cancelled := buyOnce(t, instances[0], activity, "ada"), buyOnce(t, instances[1], activity, "bea")
		waits := instances[1].Buyer(t, "cleo")
		path := waits.Path(t, activity, "sku")
		require.False(t, waits.GetActivity(t, activity).Paused)

		before := op.GetAdminActivity(t, activity)
		shown := op.PauseActivity(t, activity)
		assert.WithinDuration(t, time.Now(), shown.PausedAt, time.Minute)
		assert.Equal(t, before.Version+1, shown.Version)
		assert.Equal(t, shown, op.PauseActivity(t, activity), "it is paused already")
		for _, s := range instances {
			refused := waits.At(s).Submit(t, path, "k1", one)
			requireRefusal(t, refused, http.StatusConflict, "sale_paused")
			assert.Equal(t, "5", refused.Header.Get("Retry-After"))
			assert.Equal(t, 5000, parsed[client.Problem](refused).RefreshAfterMs)
		}
		requireRefusal(t, takePath(t, instances[0].Buyer(t, "dora"), activity), http.StatusConflict, "sale_paused")
		site.Poll(t, waits, "/api/v1/activities/"+activity, func(a client.Activity) bool { return a.Paused })
		requireRefusal(t, takePath(t, instances[1].Buyer(t, "dora"), activity), http.StatusConflict, "sale_paused")
		paid.requireReplay(t, "in the pause")
		cancelled.CancelOrder(t, cancelled.first.Placed(t).OrderNumber)
		paid.BeginPayment(t, "p1", paid.first.Placed(t).OrderNumber)
		assert.Equal(t, shown.PausedAt, op.GetStats(t, activity).PausedAt)

		// Neither a Redis that lost the sale nor an instance that starts ends the pause.
		instances[0].Drain(t)
		stores.LoseRedis(t)
		must(t, http.StatusOK, op.Call(t, http.MethodPost, admin+"/activities/"+activity+"/reload", "", nil))
		third := site.Start(t, stores, site.Idle())
		requireRefusal(t, waits.At(third).Submit(t, path, "k1", one), http.StatusConflict, "sale_paused")
		op.ChangeActivity(t, activity, client.ActivityChange{Title: "Changed"})
		requireRefusal(t, waits.At(third).Submit(t, path, "k1", one), http.StatusConflict, "sale_paused")

		copied := op.Call(t, http.MethodPost, admin+"/activities/"+activity+"/clone", "", map[string]any{})
		assert.Zero(t, site.Read[client.AdminActivity](t, http.StatusCreated, copied).PausedAt)
		assert.Zero(t, op.At(third).ResumeActivity(t, activity).PausedAt)
		op.ResumeActivity(t, activity)
		again := waits.At(instances[1])
		site.Poll(t, waits, "/api/v1/activities/"+activity, func(a client.Activity) bool { return !a.Paused })
		must(t, http.StatusAccepted, again.Submit(t, again.Path(t, activity, "sku"), "k1", one))
		instances[0].Audit(t, activity)

		var actions []string
		for _, c := range op.ListChanges(t, "activity:"+activity+"&page_size=100") {
			actions = append(actions, c.Action)
		}
		assert.Equal(t,
			[]string{"activity.resumed", "activity.changed", "activity.reloaded", "activity.paused"}, actions)
	})
}

func TestOnlyASaleThatMaySellIsPaused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		draft := s.Open(t, site.Sale{SKU: "draft", Draft: true})
		offline, ended := s.Open(t, site.Sale{SKU: "offline"}), s.Open(t, site.Sale{SKU: "ended"})
		op.TakeActivityOffline(t, offline)
		op.ChangeActivity(t, ended, client.ActivityChange{EndsAt: time.Now()})
		for _, call := range []string{"/pause", "/resume"} {
			for _, sale := range []string{draft, offline} {
				requireRefusal(t, op.Call(t, http.MethodPost, admin+"/activities/"+sale+call, "", nil),
					http.StatusConflict, "conflict")
			}
			requireRefusal(t, op.Call(t, http.MethodPost, admin+"/activities/none"+call, "", nil),
				http.StatusNotFound, "not_found")
		}
		requireRefusal(t, op.Call(t, http.MethodPost, admin+"/activities/"+ended+"/pause", "", nil),
			http.StatusConflict, "conflict")
		paused := s.Open(t, site.Sale{SKU: "paused"})
		op.PauseActivity(t, paused)
		op.ChangeActivity(t, paused, client.ActivityChange{EndsAt: time.Now()})
		requireRefusal(t, op.Call(t, http.MethodPost, admin+"/activities/"+paused+"/pause", "", nil),
			http.StatusConflict, "conflict")
		early := s.Open(t, site.Sale{SKU: "early", StartsIn: time.Hour, EndsIn: 2 * time.Hour})
		assert.False(t, op.PauseActivity(t, early).PausedAt.IsZero(), "it has not begun")
		assert.Zero(t, op.ResumeActivity(t, early).PausedAt)
	})
}

func TestAPausedWaitingRoomKeepsItsPlaces(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle(), site.Time(kit.NewClock(time.Now()).Now))
		op := s.Operator(t)
		activity := s.Open(t, site.Sale{PathsPerSecond: 0.02})
		ada, bea := s.Buyer(t, "ada"), s.Buyer(t, "bea")
		admitted := join(t, ada, activity)
		waits := join(t, bea, activity)
		assert.False(t, waits.Paused)
		op.PauseActivity(t, activity)
		room := op.GetStats(t, activity).WaitingRoom
		assert.Equal(t, []client.Count{1, 1}, []client.Count{room.Waiting, room.Admitted})
		kept := join(t, bea, activity)
		assert.True(t, kept.Paused)
		assert.Equal(t, waits.Place, kept.Place)
		assert.GreaterOrEqual(t, kept.RefreshAfterMs, 5000)
		requireRefusal(t, pathWith(t, ada, activity, admitted.Place), http.StatusConflict, "sale_paused")
		op.ResumeActivity(t, activity)
		must(t, http.StatusOK, pathWith(t, ada, activity, admitted.Place))
		requireRefusal(t, pathWith(t, bea, activity, kept.Place), http.StatusConflict, "line_required")
	})
}

func TestOf48OperatorsAtOnceOnePausesAndOneResumes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		activity := s.Open(t, site.Sale{PathsPerSecond: 10})
		for _, call := range []string{"/pause", "/resume"} {
			for _, a := range kit.AtOnce(48, func(int) site.Answer {
				return op.Insist(http.MethodPost, admin+"/activities/"+activity+call, "", nil)
			}) {
				assert.Equal(t, http.StatusOK, a.Status, string(a.Body))
			}
		}
		count := map[string]int{}
		for _, c := range op.ListChanges(t, "activity:"+activity+"&page_size=100") {
			count[c.Action]++
		}
		assert.Equal(t, []int{1, 1}, []int{count["activity.paused"], count["activity.resumed"]})
		s.Number(t)
		var heard []string
		for _, e := range events(t, s, "types=activity.paused,activity.resumed") {
			heard = append(heard, e.Type)
		}
		assert.Equal(t, []string{"activity.paused", "activity.resumed"}, heard)

		// Whoever is last decides, in all stores.
		kit.AtOnce(48, func(i int) site.Answer {
			return op.Insist(http.MethodPost, admin+"/activities/"+activity+[]string{"/pause", "/resume"}[i%2], "", nil)
		})
		s.Job(t, "settle_stock")
		paused := "0"
		if !op.GetAdminActivity(t, activity).PausedAt.IsZero() {
			paused = "1"
		}
		meta := stores.Keys.Meta(site.Lane(t, stores, activity), activity)
		assert.Equal(t, paused, stores.Redis.HGet(t.Context(), meta, "paused").Val())
	})
}
