package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

func TestHistoryIsSampledWhileTheProgramRuns(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		activity := site.Start(t, stores, site.Idle()).Open(t, site.Sale{Stock: map[string]int64{"0": 5}})
		s := site.Start(t, stores)
		op := s.Operator(t)
		history := site.Poll(t, op, admin+"/activities/"+activity+"/history",
			func(h client.History) bool { return len(h.Items) > 0 })
		assert.EqualValues(t, 5, history.Items[0].Remaining)
	})
}

func TestHistoryNeedsNoStore(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		activity, draft := s.Open(t, site.Sale{}), s.Open(t, site.Sale{SKU: "other", Draft: true})
		buyOnce(t, s, activity, "alice")
		n, err := s.Server.History.RunOnce(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, n)
		history := func(id string) site.Answer {
			return op.Call(t, http.MethodGet, admin+"/activities/"+id+"/history", "", nil)
		}
		assert.JSONEq(t, `{"activity_id":"`+draft+`","every_s":5,"items":[]}`, string(history(draft).Body))
		requireRefusal(t, history("nothing"), http.StatusNotFound, "not_found")

		stores.SQLAway(t)
		stores.RedisAway(t)
		points := site.Read[client.History](t, http.StatusOK, history(activity)).Items
		require.Len(t, points, 1)
		assert.EqualValues(t, 1, points[0].Placed)
		requireRefusal(t, history("nothing"), http.StatusServiceUnavailable, "unavailable")
	}, kit.Breakable())
}
