package e2e

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// wavesAre sets the waves of the sku, and waits until all instances know it.
func wavesAre(t *testing.T, instances []*site.Site, activity string, next time.Time, waves ...client.Wave) {
	t.Helper()
	change := map[string]any{"skus": []any{map[string]any{"sku_id": "sku", "waves": append([]client.Wave{}, waves...)}}}
	must(t, http.StatusOK,
		instances[0].Operator(t).Call(t, http.MethodPatch, admin+"/activities/"+activity, "", change))
	for _, s := range instances {
		site.Poll(t, s.Buyer(t, "reader"), "/api/v1/activities/"+activity, func(a client.Activity) bool {
			return a.Skus[0].NextWaveAt.Equal(next)
		})
	}
}

func wave(at time.Time, quantity int64) client.Wave { return client.Wave{At: at, Quantity: quantity} }

func TestBuyersGetTheUnitsOfAWaveOnceItIsOpen(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())}
		later := time.Now().Add(20 * time.Minute).UTC().Truncate(time.Millisecond)
		s := instances[0]
		activity := s.Open(t, site.Sale{
			Stock: map[string]int64{"0": 5}, PermitRatio: 1,
			Waves: []lua.Wave{{Point: "0", AtMS: later.UnixMilli(), Quantity: 3}},
		})
		ann, bob := s.Buyer(t, "ann"), instances[1].Buyer(t, "bob")
		shown := ann.GetActivity(t, activity).Skus[0]
		assert.EqualValues(t, 2, shown.Remaining)
		assert.EqualValues(t, 3, shown.NextWaveUnits)
		assert.True(t, shown.NextWaveAt.Equal(later))

		two := `{"quantity": 2}`
		kept := pathOf(takePath(t, bob, activity))
		must(t, http.StatusAccepted, ann.Submit(t, pathOf(takePath(t, ann, activity)), "k", json.RawMessage(two)))
		refused := bob.Submit(t, kept, "k", one)
		requireRefusal(t, refused, http.StatusConflict, "sold_out_for_now")
		var p client.Problem
		require.NoError(t, json.Unmarshal(refused.Body, &p))
		assert.True(t, p.NextWaveAt.Equal(later))
		assert.False(t, p.ServerTime.IsZero())
		assert.Positive(t, p.RefreshAfterMs)
		for _, s := range instances { // no path is given, and no permit
			site.Poll(t, s.Buyer(t, "cid"), "/api/v1/activities/"+activity, func(a client.Activity) bool {
				return a.Skus[0].SoldOut
			})
			require.Eventually(t, func() bool {
				a := s.Buyer(t, "cid").Ask(http.MethodPost, "/api/v1/seckill/path", "",
					client.PathRequest{ActivityID: activity, SKUID: "sku"})
				return a.Status == http.StatusConflict && a.Code() == "sold_out_for_now"
			}, eventually, 10*time.Millisecond)
		}

		// An operator opens one unit of the wave now: bob, whose permit was kept, gets it.
		wavesAre(t, instances, activity, later, wave(time.Now(), 1), wave(later, 2))
		must(t, http.StatusAccepted, bob.Submit(t, kept, "k", one))
		requireRefusal(t, bob.Submit(t, kept, "k2", one), http.StatusConflict, "sold_out_for_now")
		stats := site.Read[client.Stats](t, http.StatusOK,
			s.Operator(t).Call(t, http.MethodGet, admin+"/activities/"+activity+"/stats", "", nil)).Stock[0]
		assert.EqualValues(t, 2, stats.Closed)
		assert.EqualValues(t, 2, *stats.Remaining)
		wavesAre(t, instances, activity, time.Time{})
		assert.EqualValues(t, 2, ann.GetActivity(t, activity).Skus[0].Remaining)
		s.Drain(t)
		assert.Empty(t, s.Audit(t, activity))
	})
}

func TestACrowdGetsTheOpenUnitsAndNoMore(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())}
		later := time.Now().Add(20 * time.Minute)
		activity := instances[0].Open(t, site.Sale{
			Stock: map[string]int64{"0": 30}, Waves: []lua.Wave{{Point: "0", AtMS: later.UnixMilli(), Quantity: 20}},
		})
		const crowd = 48
		paths := make([]string, crowd)
		buyers := make([]*site.Person, crowd)
		for i := range crowd {
			buyers[i] = instances[i%2].Buyer(t, "u"+string(rune('A'+i)))
			paths[i] = pathOf(takePath(t, buyers[i], activity))
		}
		placed := func(key string) (n int) {
			for _, status := range kit.AtOnce(crowd, func(i int) int {
				return buyers[i].Submit(t, paths[i], key,
					one).Status
			}) {
				if status == http.StatusAccepted {
					n++
				}
			}
			return n
		}
		assert.Equal(t, 10, placed("first"))
		// Of operators who open the next wave at once from the same version, one does.
		op := instances[0].Operator(t)
		a := site.Read[client.AdminActivity](t, http.StatusOK,
			op.Call(t, http.MethodGet, admin+"/activities/"+activity, "", nil))
		opened := 0
		for _, status := range kit.AtOnce(crowd, func(int) int {
			return op.Call(t, http.MethodPatch, admin+"/activities/"+activity, "", map[string]any{
				"version": a.Version, "skus": []any{map[string]any{"sku_id": "sku", "waves": []client.Wave{
					wave(time.Now(), 5), wave(later, 15),
				}}},
			}).Status
		}) {
			if status == http.StatusOK {
				opened++
			}
		}
		assert.Equal(t, 1, opened)
		assert.Equal(t, 10+5, placed("first"), "ten of them are repetitions")
		instances[0].Drain(t)
		assert.Empty(t, instances[0].Audit(t, activity))
	})
}
