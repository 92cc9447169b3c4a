package admin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestADraftIsReplacedAndDeletedByItsVersion(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		d := newDesk(t, stores, stores.Redis, func(*admin.Deps) {})
		a, err := d.activities.Get(ctx, d.drafts(t, func(*seckill.Activity) {}))
		require.NoError(t, err)
		_, err = d.activities.Create(ctx, a)
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err), "the id is taken")
		seen := a.Revision
		a.Title = "Better"
		a, err = d.activities.Put(ctx, a, seen)
		require.NoError(t, err)
		assert.Equal(t, "Better", a.Title)
		_, err = d.activities.Put(ctx, a, seen)
		assert.Equal(t, problem.CodeStaleVersion, problem.CodeOf(err))
		assert.Equal(t, problem.CodeStaleVersion, problem.CodeOf(d.activities.Delete(ctx, a.ID, seen)))
		require.NoError(t, d.activities.Delete(ctx, a.ID, a.Revision))
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(d.activities.Delete(ctx, a.ID, 0)))
	})
}

func TestAPublishedSaleIsNoDraftAndAnOfflineOneStaysOffline(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		s := stage.Open(t, stores, stage.Sale{})
		conflict := func(_ *seckill.Activity, err error) {
			t.Helper()
			assert.Equal(t, problem.CodeConflict, problem.CodeOf(err), "%v", err)
		}
		a, err := s.Activities.Publish(ctx, s.Activity, 0)
		require.NoError(t, err, "publishing again does no harm")
		assert.Equal(t, seckill.Published, a.State)
		conflict(s.Activities.Put(ctx, a, 0))
		conflict(nil, s.Activities.Delete(ctx, s.Activity, 0))
		conflict(s.Activities.Reload(ctx, s.Activity)) // Redis has it
		for range 2 {
			a, err = s.Activities.Offline(ctx, s.Activity)
			require.NoError(t, err)
			assert.Equal(t, seckill.Offline, a.State)
		}
		conflict(s.Activities.Publish(ctx, s.Activity, 0))
	})
}
