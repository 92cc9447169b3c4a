package jobs

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

// Two pauses that wait for a third which is rolled back deadlock: both have a shared lock on the
// row by then, and want to insert it. One of them is run again.
func TestPauseRunsAgainAfterADeadlock(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	ctx := t.Context()
	job := Job{
		Name: "work", Every: time.Hour, Within: time.Minute,
		RunOnce: func(context.Context) (int, error) { return 0, nil },
	}
	s := instance(t, stores, "a", job)
	for range 5 {
		tx, err := stores.DB.Write.BeginTxx(ctx, nil)
		require.NoError(t, err)
		_, err = tx.ExecContext(ctx, `INSERT INTO job_pauses (job, paused_by, paused_ms)
			VALUES ('work', 'rolled back', 1)`)
		require.NoError(t, err)
		failed := make(chan error, 2)
		for range cap(failed) {
			go func() {
				_, err := s.Pause(ctx, "work", "ops")
				failed <- err
			}()
		}
		// innodb_trx is a copy that is renewed only where nobody has read it for 100 ms.
		require.Eventually(t, func() bool {
			var n int
			const waiting = `SELECT COUNT(*) FROM information_schema.innodb_trx t
				JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
				WHERE p.db = DATABASE() AND t.trx_state = 'LOCK WAIT'`
			err := stores.DB.Read.GetContext(ctx, &n, waiting)
			return err == nil && n == cap(failed)
		}, patience, 300*time.Millisecond, "both wait")
		require.NoError(t, tx.Rollback())
		for range cap(failed) {
			require.NoError(t, <-failed)
		}
		shown, err := s.Resume(ctx, "work")
		require.NoError(t, err)
		assert.False(t, shown.Paused)
	}
}
