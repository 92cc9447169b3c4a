package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// deadOrder is an order whose record can't be read: its entry is dead.
type deadOrder struct {
	bought

	activity, number, task string
	deadID                 string
	record                 string // as it was
	recordKey              string
}

// placeDeadOrder lets alice place an order between two others, corrupts its record, and moves the queue.
func placeDeadOrder(t *testing.T, s *site.Site, spoil func(key, field string)) deadOrder {
	t.Helper()
	c := deadOrder{activity: s.Open(t, site.Sale{Stock: map[string]int64{"0": 4}, PurchaseLimit: 1, SKULimit: 1})}
	buyOnce(t, s, c.activity, "before")
	c.bought = buyOnce(t, s, c.activity, "alice")
	buyOnce(t, s, c.activity, "behind")
	placed := c.first.Placed(t)
	c.number, c.task = placed.OrderNumber, placed.TaskID
	c.recordKey = s.Stores.Keys.Orders(site.Lane(t, s.Stores, c.activity), "alice")
	c.record = s.Stores.Redis.HGet(t.Context(), c.recordKey, lua.OrderField(c.number)).Val()
	require.NotEmpty(t, c.record)
	spoil(c.recordKey, lua.OrderField(c.number))
	s.Drain(t)
	require.Len(t, ownersInSQL(t, s.Stores, c.activity), 2, "the queue continues")
	dead := listDead(t, s)
	require.Len(t, dead, 1)
	c.deadID = dead[0].DeadID
	return c
}

func listDead(t *testing.T, s *site.Site) []client.Dead {
	t.Helper()
	return s.Operator(t).ListDead(t)
}

func spoilRecord(t *testing.T, stores *kit.Stores) func(key, field string) {
	t.Helper()
	return func(key, field string) { require.NoError(t, stores.Redis.HSet(t.Context(), key, field, "{").Err()) }
}

func TestDeadEntryIsReplayedAfterItsRecordIsRepaired(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		c := placeDeadOrder(t, s, spoilRecord(t, stores))
		replay := admin + "/queue/dead/" + c.deadID + "/replay"

		must(t, http.StatusOK, op.Call(t, http.MethodPost, replay, "", nil))
		s.Drain(t)
		require.Len(t, listDead(t, s), 1, "nothing has changed, so it is dead again")

		require.NoError(t, stores.Redis.HSet(t.Context(), c.recordKey, lua.OrderField(c.number), c.record).Err())
		must(t, http.StatusOK, op.Call(t, http.MethodPost, replay, "", nil))
		requireRefusal(t, op.Call(t, http.MethodPost, replay, "", nil), http.StatusNotFound, "not_found")
		assert.Empty(t, listDead(t, s))
		s.Drain(t)

		assert.Equal(t, "SUCCESS", c.GetTask(t, c.task).Status)
		assert.Equal(t, "alice", ownersInSQL(t, stores, c.activity)[c.number])
		c.requireReplay(t, "after the replay")
		assert.Equal(t, "1", site.Stock(t, stores, c.activity)["sku"])
		assert.Empty(t, s.Audit(t, c.activity))
	})
}

func TestDiscardedEntryReturnsItsUnitOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())}
		c := placeDeadOrder(t, instances[0], spoilRecord(t, stores))
		op := instances[0].Operator(t)
		dead := listDead(t, instances[0])[0]
		assert.Equal(t, []string{"bad_record", c.number, c.activity, "alice"},
			[]string{dead.Reason, dead.OrderNumber, dead.ActivityID, dead.UserID})
		assert.NotZero(t, dead.At)
		assert.Equal(t, "SUBMITTED", c.GetTask(t, c.task).Status)
		assert.EqualValues(t, 1, op.GetQueue(t)[site.Lane(t, stores, c.activity)-1].Dead)
		assert.Empty(t, instances[0].Audit(t, c.activity), "its unit is counted")

		codes := map[int]int{}
		for _, a := range kit.AtOnce(10, func(i int) site.Answer {
			return op.At(instances[i%2]).Insist(http.MethodPost, admin+"/queue/dead/"+c.deadID+"/discard", "", nil)
		}) {
			codes[a.Status]++
		}

		assert.Equal(t, map[int]int{http.StatusOK: 1, http.StatusNotFound: 9}, codes)
		assert.Empty(t, listDead(t, instances[0]))
		assert.Equal(t, map[string]string{"sku": "2", "sku~0": "2"}, site.Stock(t, stores, c.activity))
		assert.Empty(t, instances[0].Audit(t, c.activity))
		assert.Equal(t, client.Task{
			TaskID: c.task, Status: "FAILED", Reason: "discarded", OrderNumber: c.number,
		}, c.GetTask(t, c.task))
		shown := c.GetOrder(t, c.number)
		assert.Equal(t, []string{"failed", "discarded"}, []string{shown.Status, shown.CancelReason})
		// Her limit is free again.
		must(t, http.StatusAccepted, c.Submit(t, c.path, "k2", one))
		instances[0].Drain(t)
		assert.Len(t, ownersInSQL(t, stores, c.activity), 3)
		assert.Empty(t, instances[0].Audit(t, c.activity))
	})
}
