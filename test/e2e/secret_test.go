package e2e

import (
	"net/http"
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
			require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
			number = a.JSON(t)["order_number"].(string)
			assert.Equal(t, answers[0].JSON(t)["order_number"], number)
			if i%2 == 0 {
				oldTask = a.JSON(t)["task_id"].(string)
			}
		}
		task := must(t, http.StatusOK,
			alice.At(during).Call(t, http.MethodGet, "/api/v1/seckill/tasks/"+oldTask, "", nil))
		assert.Equal(t, number, task["order_number"])
		refused := alice.At(after).Submit(t, path, "k", one)
		assert.Equal(t, "path_invalid", refused.Code(), "the old secret is gone")

		// The Idempotency-Key remains valid permanently, in Redis and in SQL.
		fresh := alice.At(after).Path(t, sale, "sku")
		assert.Equal(t, number, must(t, http.StatusAccepted,
			alice.At(after).Submit(t, fresh, "k", one))["order_number"])
		before.Drain(t)
		require.NoError(t, stores.Redis.Del(t.Context(),
			stores.Keys.Tasks(laneOf(t, stores, sale), sale), stores.Keys.Meta(laneOf(t, stores, sale), sale)).Err())
		assert.Equal(t, number, must(t, http.StatusAccepted,
			alice.At(after).Submit(t, fresh, "k", one))["order_number"])
		task = must(t, http.StatusOK,
			alice.At(during).Call(t, http.MethodGet, "/api/v1/seckill/tasks/"+oldTask, "", nil))
		assert.Equal(t, []any{number, "SUCCESS"}, []any{task["order_number"], task["status"]})
		after.Job(t, "preheat")
		assert.Equal(t, number, must(t, http.StatusAccepted,
			alice.At(after).Submit(t, fresh, "k", one))["order_number"])
		assert.Len(t, ownersInSQL(t, stores, sale), 1)
	})
}
