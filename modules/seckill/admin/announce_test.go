package admin_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/sqldb"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestACrowdOfInstancesAnnouncesEachStepOfASaleOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		announced := func() (sum int) {
			for _, n := range kit.AtOnce(8, func(int) int {
				n, err := s.Activities.Announce(context.WithoutCancel(t.Context()))
				assert.NoError(t, err)
				return n
			}) {
				sum += n
			}
			return sum
		}
		assert.Equal(t, 1, announced(), "it has started")
		assert.Zero(t, announced())
		o := s.Place(t, "ann", 10)
		s.Move(t)
		assert.Equal(t, 1, announced(), "it has sold out")
		require.NoError(t, s.Canceller.Cancel(t.Context(), o.User, o.Number, ""))
		assert.Zero(t, announced(), "units came back")
		s.Place(t, "bob", 10)
		s.Move(t)
		assert.Equal(t, 1, announced(), "it has sold out again")
		_, err := s.Activities.Offline(t.Context(), s.Activity)
		require.NoError(t, err)
		assert.Zero(t, announced(), "taking it offline has told its end")
	})
}

func TestLockedActivitiesDoNotKeepTheStartOfAnotherFromBeingAnnounced(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	ctx := t.Context()
	s := stage.Open(t, stores, stage.Sale{})
	locked, _ := s.Publish(t)
	free, _ := s.Publish(t)
	tx, err := stores.DB.Write.BeginTxx(ctx, nil)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }()
	_, err = tx.ExecContext(ctx, `UPDATE activities SET state = state WHERE activity_id IN (?, ?)`, s.Activity, locked)
	require.NoError(t, err)

	instances := make([]*stage.Instance, 2)
	busy := make([]*sqldb.Busy, len(instances))
	for i := range instances {
		db, err := stores.DB.Pool(sqldb.Work(2))
		require.NoError(t, err)
		t.Cleanup(func() { _ = db.Close() })
		instances[i], busy[i] = s.StartOn(t, nil, db, stores.Redis), db.Busy
	}
	n, err := instances[0].Activities.Announce(ctx)
	require.Error(t, err, "the job says that two are left")
	assert.Equal(t, 1, n)
	assert.Equal(t, map[string]int{sqldb.ActivityRow: 2}, busy[0].Counts())
	n, _ = instances[1].Activities.Announce(ctx)
	assert.Zero(t, n)
	announced := func(activity string) (n int) {
		require.NoError(t, stores.DB.Read.GetContext(ctx, &n,
			`SELECT COUNT(*) FROM activities WHERE activity_id = ? AND announced = 1`, activity))
		return n
	}
	assert.Equal(t, 1, announced(free))

	require.NoError(t, tx.Rollback())
	require.Eventually(t, func() bool {
		for _, i := range instances {
			_, err := i.Activities.Announce(ctx)
			assert.NoError(t, err)
		}
		return announced(s.Activity) == 1 && announced(locked) == 1
	}, 20*time.Second, 50*time.Millisecond)
}
