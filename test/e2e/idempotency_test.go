package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

func TestHundredConcurrentSubmitsWithOneKeyPlaceOneOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores), site.Start(t, stores)}
		activity := instances[0].Open(t, site.Sale{})
		alice := instances[0].Buyer(t, "alice")
		path := alice.Path(t, activity, "sku")

		answers := kit.AtOnce(100, func(i int) site.Answer {
			return alice.At(instances[i%2]).InsistOn(path, "once", client.SubmitRequest{Quantity: 2, Remark: "for two"})
		})

		for _, a := range answers {
			require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
			require.Equal(t, answers[0].Task(t), a.Task(t))
		}
		instances[0].Drain(t)
		assert.Equal(t, map[string]string{answers[0].Placed(t).OrderNumber: "alice"},
			ownersInSQL(t, stores, activity))
		assert.Equal(t, int64(2), soldAt(t, stores, activity, catalogue.DefaultPoint))
		assert.Empty(t, instances[0].Audit(t, activity))
	})
}

func TestKeyBelongsToOneBodyOfOneUser(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		alice, bob := s.Buyer(t, "alice"), s.Buyer(t, "bob")
		path := alice.Path(t, activity, "sku")
		first := alice.Submit(t, path, "key", client.SubmitRequest{Quantity: 1, Remark: "please"})
		require.Equal(t, http.StatusAccepted, first.Status, string(first.Body))

		// Before and after the order moved, cached or not.
		for _, where := range []string{"cache", "sql"} {
			for name, body := range map[string]client.SubmitRequest{
				"another quantity": {Quantity: 2, Remark: "please"},
				"another remark":   {Quantity: 1, Remark: "quick"},
				"no remark":        {Quantity: 1},
				"another room":     {Quantity: 1, Remark: "please", RoomID: "r1"},
			} {
				a := alice.Submit(t, path, "key", body)
				assert.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s, in %s: %s", name, where, a.Body)
				assert.Equal(t, "idempotency_key_reused", a.Code(), "%s, in %s", name, where)
			}
			same := alice.Submit(t, path, "key", `{ "remark":"please",  "quantity": 1 }`)
			assert.Equal(t, first.Task(t), same.Task(t), "the same body in other words, in %s", where)
			anew := alice.Submit(t, alice.Path(t, activity, "sku"), "key",
				client.SubmitRequest{Quantity: 1, Remark: "please"})
			assert.Equal(t, first.Task(t), anew.Task(t), "the same key on another path, in %s", where)
			s.Drain(t)
		}

		his := bob.Submit(t, bob.Path(t, activity, "sku"), "key", client.SubmitRequest{Quantity: 1, Remark: "please"})
		require.Equal(t, http.StatusAccepted, his.Status, string(his.Body))
		assert.NotEqual(t, first.Placed(t).OrderNumber, his.Placed(t).OrderNumber)
		s.Drain(t)
		assert.Len(t, ownersInSQL(t, stores, activity), 2)
		assert.Empty(t, s.Audit(t, activity))
	})
}

// ordinaryStock is what ordinary orders may still take of a sku.
func ordinaryStock(t *testing.T, stores *kit.Stores, sku string) (n int64) {
	t.Helper()
	require.NoError(t, stores.DB.Write.GetContext(t.Context(), &n, `SELECT stock FROM skus WHERE sku_id = ?`, sku))
	return n
}

// After a load the tasks of stored orders come last: until they are there, SQL is asked.
func TestKeyIsKnownWhileTheTasksOfItsSaleAreLoaded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		alice := s.Buyer(t, "alice")
		path := alice.Path(t, activity, "sku")
		first := alice.Submit(t, path, "key", one)
		require.Equal(t, http.StatusAccepted, first.Status, string(first.Body))
		s.Drain(t)
		lane := site.Lane(t, stores, activity)
		require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Tasks(lane, activity)).Err())
		require.NoError(t, stores.Redis.HSet(t.Context(), stores.Keys.Meta(lane, activity), "tasks", "loading").Err())

		again := alice.Submit(t, path, "key", one)
		assert.Equal(t, first.Task(t), again.Task(t))
		other := alice.Submit(t, path, "key", client.SubmitRequest{Quantity: 2})
		assert.Equal(t, "idempotency_key_reused", other.Code())
		fresh := alice.Submit(t, path, "another-key", one)
		assert.Equal(t, http.StatusAccepted, fresh.Status, string(fresh.Body))
		s.Job(t, "preheat") // continues to fill the tasks
		assert.Equal(t, first.Task(t), alice.Submit(t, path, "key", one).Task(t))
		s.Drain(t)
		assert.Len(t, ownersInSQL(t, stores, activity), 2)
		assert.Empty(t, s.Audit(t, activity))
	})
}
