package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// withSecrets starts an instance with these path secrets.
func withSecrets(t *testing.T, stores *kit.Stores, secrets string) *site.Site {
	t.Helper()
	return site.Start(t, stores, site.Idle(), site.Configured(func(cfg *server.Config) { cfg.PathSecret = secrets }))
}

func TestKeyHasOneOrderAfterThePathSecretChanges(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		oldSecret, newSecret := strings.Repeat("old!", 10), strings.Repeat("new!", 10)
		before := withSecrets(t, stores, oldSecret)
		during := withSecrets(t, stores, newSecret+";"+oldSecret)
		after := withSecrets(t, stores, newSecret)
		sale := before.Open(t, site.Sale{})
		alice := before.Buyer(t, "alice")

		// While instances change one after the other, all accept signatures of the old secret.
		path := alice.Path(t, sale, "sku")
		answers := kit.AtOnce(12, func(i int) site.Answer {
			return alice.At([]*site.Site{before, during}[i%2]).InsistOn(path, "k", one)
		})
		var number, oldTask string
		for i, a := range answers {
			number = a.Placed(t).OrderNumber
			assert.Equal(t, answers[0].Placed(t).OrderNumber, number)
			if i%2 == 0 {
				oldTask = a.Placed(t).TaskID
			}
		}
		task := alice.At(during).GetTask(t, oldTask)
		assert.Equal(t, number, task.OrderNumber)
		refused := alice.At(after).Submit(t, path, "k", one)
		assert.Equal(t, "path_invalid", refused.Code(), "the old secret is gone")

		// The Idempotency-Key remains valid permanently, in Redis and in SQL.
		fresh := alice.At(after).Path(t, sale, "sku")
		assert.Equal(t, number, alice.At(after).Submit(t, fresh, "k", one).Placed(t).OrderNumber)
		before.Drain(t)
		lane := site.Lane(t, stores, sale)
		require.NoError(t, stores.Redis.Del(t.Context(),
			stores.Keys.Tasks(lane, sale), stores.Keys.Meta(lane, sale)).Err())
		assert.Equal(t, number, alice.At(after).Submit(t, fresh, "k", one).Placed(t).OrderNumber)
		task = alice.At(during).GetTask(t, oldTask)
		assert.Equal(t, []string{number, "SUCCESS"}, []string{task.OrderNumber, task.Status})
		after.Job(t, "preheat")
		assert.Equal(t, number, alice.At(after).Submit(t, fresh, "k", one).Placed(t).OrderNumber)
		assert.Len(t, ownersInSQL(t, stores, sale), 1)
	})
}

// A failover loses a task that SQL has, and the repeat comes to an instance that has another secret: the repeat gets
// the task of the first order, since no secret is part of a task id. Repeats of ordinary orders are found in SQL.
func TestARepeatOfALostTaskUnderAnotherSecretIsTheSameOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		before := withSecrets(t, stores, strings.Repeat("old!", 10))
		after := withSecrets(t, stores, strings.Repeat("new!", 10))
		sale := before.Open(t, site.Sale{})
		alice := before.Buyer(t, "alice")
		first := alice.Buy(t, sale, "sku", "k").Placed(t)
		before.Drain(t)
		require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Tasks(site.Lane(t, stores, sale), sale)).Err())

		repeated := alice.At(after).Buy(t, sale, "sku", "k").Placed(t)
		after.Drain(t)
		assert.Equal(t, map[string]string{first.OrderNumber: "alice"}, ownersInSQL(t, stores, sale))
		task := alice.At(after).GetTask(t, repeated.TaskID)
		assert.Equal(t, []string{first.OrderNumber, "SUCCESS"}, []string{task.OrderNumber, task.Status})
		assert.Empty(t, after.Operator(t).ListDead(t))
		assert.Empty(t, after.Audit(t, sale))

		body := client.OrderRequest{Items: []client.OrderLine{{SKUID: "sku", Quantity: 1}}}
		placed := alice.CreateOrders(t, "k", body)
		assert.Equal(t, placed, alice.At(after).CreateOrders(t, "k", body))
	})
}
