package admin_test

import (
	"crypto/rand"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/idempotency"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/modules/sign"
	"onrush/test/kit"
)

// A request that stored its draft and crashed before it answered runs again: it finds the draft.
func TestARequestThatRunsAgainAfterACrashDraftsOneSale(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		now := kit.NewClock(noon)
		activities := admin.NewActivities(admin.Deps{
			DB: stores.DB, Lua: lua.New(stores.Redis, stores.Keys), Clock: clock.Fixed(now.Now),
			Catalogue: catalogue.NewCatalogue(stores.DB, now.Now), NewID: kit.IDs(1),
			Log: slog.New(slog.DiscardHandler),
		})
		secret := "a secret of paths, 32 bytes long"
		draft := func(key, id string) (*seckill.Activity, error) {
			keys := idempotency.NewStore(idempotency.Deps{
				DB: stores.DB, Clock: now.Now, NewID: rand.Text, Secrets: sign.Secrets{secret},
			})
			claim, answer, err := keys.Begin(t.Context(), idempotency.Request{Caller: "ada", Key: key})
			require.NoError(t, err)
			require.Nil(t, answer)
			defer func() { require.NoError(t, claim.Release(t.Context())) }()
			return activities.Create(claim.With(t.Context()), &seckill.Activity{
				ID: id, Title: "Lamps", Shop: "shop", StartsMS: 1, EndsMS: 2, PayWithinS: 900,
			})
		}
		first, err := draft("k", "")
		require.NoError(t, err)
		secret = "another one, as an instance may have it"
		again, err := draft("k", "")
		require.NoError(t, err)
		assert.Equal(t, first, again)
		other, err := draft("l", "")
		require.NoError(t, err)
		assert.NotEqual(t, first.ID, other.ID)
		_, err = draft("m", first.ID)
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err), "an id that the caller chose")
	})
}
