package inventory_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/seckill/inventory"
	"onrush/test/kit"
	"onrush/test/stage"
)

// waitForLocks waits until n transactions of the server wait for a lock.
func waitForLocks(t *testing.T, s *kit.Stores, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		var waiting int
		err := s.DB.Read.GetContext(t.Context(), &waiting,
			`SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'`)
		return err == nil && waiting == n
	}, 10*time.Second, 150*time.Millisecond) // the server looks anew if nobody has asked for 100 ms
}

// An audit that waits for the stock rows behind a cancel must see the cancel, whose unit is back in Redis.
func TestAnAuditSeesWhatWasCommittedWhileItWaitedAlsoWhereAReplicaIsBehind(t *testing.T) {
	t.Parallel()
	s := kit.OwnReplicated(t)
	sale := stage.Open(t, s.Stores, stage.Sale{})
	replica, err := s.DB.OpenReplica(s.ReplicaDSN, 4, time.Now, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { _ = replica.Close() })
	auditor := inventory.NewAuditor(inventory.AuditConfig{}, inventory.Deps{
		DB: s.DB.ViewsFrom(replica), Lua: lua.New(s.Redis, s.Keys), Clock: clock.Fixed(time.Now),
		Log: slog.New(slog.DiscardHandler),
	})
	o := sale.Place(t, "alice", 1)
	sale.Move(t)
	s.CatchUp(t)
	before := sale.Left(t, "0")

	ctx := context.WithoutCancel(t.Context())
	inTx, commit, cancelled := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		cancelled <- sale.Canceller.CancelStored(ctx, o.Number, order.LogLine{Actor: "op"},
			func(context.Context, *sqlx.Tx) error {
				close(inTx)
				<-commit
				return nil
			})
	}()
	<-inTx
	release, held := make(chan struct{}), make(chan error, 1)
	go func() { // the next one for the rows, so that the audit waits until the unit is back
		held <- s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
			err := order.Fence(ctx, tx, sale.Activity)
			<-release
			return err
		})
	}()
	waitForLocks(t, s.Stores, 1)
	audited := make(chan error, 1)
	go func() {
		_, err := auditor.RunOnce(ctx)
		audited <- err
	}()
	waitForLocks(t, s.Stores, 2)
	s.Lag(t, time.Hour)
	close(commit)
	require.NoError(t, <-cancelled)
	require.NotEqual(t, before, sale.Left(t, "0"), "the unit is back")
	back := sale.Left(t, "0")
	close(release)
	require.NoError(t, <-held)
	require.NoError(t, <-audited)
	assert.Equal(t, back, sale.Left(t, "0"), "the audit took the unit")
}
