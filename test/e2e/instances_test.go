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

func TestOperatorsSeeAllInstancesAndWhatTheyRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		first, second := site.Start(t, stores), site.Start(t, stores)
		op := first.Operator(t)
		running := func(want int) []client.Instance {
			all := func(l client.InstanceList) bool { return len(l.Items) == want }
			return site.Poll(t, op, admin+"/instances", all).Items
		}
		for _, in := range running(2) {
			assert.Equal(t, "ok", in.Status)
			assert.WithinDuration(t, time.Now(), in.SeenAt, time.Minute)
		}
		for _, s := range []*site.Site{first, second, second} {
			a := s.Buyer(t, "ada").Call(t, http.MethodGet, "/api/v1/seckill/tasks/nothing", "", nil)
			requireRefusal(t, a, http.StatusNotFound, "task_not_found")
		}
		site.Poll(t, op, admin+"/refusals?minutes=2", func(r client.Refusals) bool {
			return len(r.Items) == 1 && r.Items[0].Code == "task_not_found" && r.Items[0].Requests == 3
		})
		second.Stop(t)
		require.Len(t, running(1), 1, "it has left")
	})
}

func TestPeakIsTheSecondWithTheMostOrdersOfAllInstances(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		now := kit.NewClock(time.Now().Truncate(time.Second).Add(100 * time.Millisecond))
		instances := []*site.Site{
			site.Start(t, stores, site.Idle(), site.Time(now.Now)),
			site.Start(t, stores, site.Idle(), site.Time(now.Now)),
		}
		op := instances[0].Operator(t)
		activity := instances[0].Open(t, site.Sale{})
		assert.Nil(t, op.GetStats(t, activity).Peak)
		flush := func() {
			for _, s := range instances {
				s.Job(t, "flush_answer_counters")
			}
		}
		for second, orders := range []int{1, 3, 2} {
			for i := range orders {
				s := instances[i%2]
				name := s.Buyer(t, string(rune('a'+10*second+i))).Name
				for range 5 { // the repeats place nothing
					buyOnce(t, s, activity, name)
				}
			}
			flush()
			now.Advance(time.Second)
		}
		peak := op.GetStats(t, activity).Peak
		require.NotNil(t, peak)
		assert.EqualValues(t, 3, peak.Orders)
		assert.Equal(t, now.Now().Add(-2*time.Second).Truncate(time.Second).UnixMilli(), peak.At.UnixMilli())
		key := stores.Keys.Peak(site.Lane(t, stores, activity), activity)
		assert.EqualValues(t, 1, stores.Redis.ZCard(t.Context(), key).Val())
	})
}
