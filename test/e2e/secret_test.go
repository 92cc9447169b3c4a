package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/kit"
	"onrush/test/site"
)

// withSecrets starts an instance with these path secrets.
func withSecrets(t *testing.T, stores *kit.Stores, secret, previous string) *site.Site {
	t.Helper()
	return site.Start(t, stores, site.Idle(), site.Configured(func(cfg *server.Config) {
		cfg.PathSecret, cfg.PathSecretPrevious = secret, previous
	}))
}

func TestKeyHasOneOrderAfterThePathSecretChanges(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		oldSecret, newSecret := strings.Repeat("old!", 10), strings.Repeat("new!", 10)
		before := withSecrets(t, stores, oldSecret, "")
		during := withSecrets(t, stores, newSecret, oldSecret)
		after := withSecrets(t, stores, newSecret, "")
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
		require.NoError(t, stores.Redis.Del(t.Context(),
			stores.Keys.Tasks(laneOf(t, stores, sale), sale), stores.Keys.Meta(laneOf(t, stores, sale), sale)).Err())
		assert.Equal(t, number, alice.At(after).Submit(t, fresh, "k", one).Placed(t).OrderNumber)
		task = alice.At(during).GetTask(t, oldTask)
		assert.Equal(t, []string{number, "SUCCESS"}, []string{task.OrderNumber, task.Status})
		after.Job(t, "preheat")
		assert.Equal(t, number, alice.At(after).Submit(t, fresh, "k", one).Placed(t).OrderNumber)
		assert.Len(t, ownersInSQL(t, stores, sale), 1)
	})
}
