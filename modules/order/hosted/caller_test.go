package hosted_test

import (
	"context"
	"database/sql"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/journal"
	"onrush/modules/order"
	"onrush/modules/order/hosted"
	"onrush/modules/sqldb"
)

// change calls a host with the placing of an order.
func change(ctx context.Context, changed order.Changed, n order.Number) error {
	o := &order.Order{Number: n, User: "ada", Status: order.Unpaid, Cached: true}
	return changed(ctx, &sqlx.Tx{},
		[]journal.Event{{Type: journal.OrderPlaced, Subject: n.String(), User: "ada", AtMS: 7}}, []*order.Order{o})
}

func hook(host hosted.Func, log io.Writer) order.Changed {
	return hosted.New(host, time.Now, slog.New(slog.NewTextHandler(log, nil))).Changed()
}

func TestWithoutAFunctionNothingIsCalled(t *testing.T) {
	t.Parallel()
	assert.Nil(t, hosted.New(nil, time.Now, slog.New(slog.DiscardHandler)).Changed())
	assert.Empty(t, hosted.New(nil, time.Now, slog.New(slog.DiscardHandler)).Metrics())
}

func TestAHostGetsTheOrderAsSQLHasIt(t *testing.T) {
	t.Parallel()
	var got []hosted.Change
	changed := hook(func(_ context.Context, _ *sql.Tx, changes []hosted.Change) error {
		got = changes
		return nil
	}, io.Discard)
	require.NoError(t, change(t.Context(), changed, 42))
	require.Len(t, got, 1)
	assert.Equal(t, [4]any{"order.placed", "42", "ada", int64(7)},
		[4]any{got[0].Type, got[0].Number, got[0].User, got[0].AtMS})
	assert.Contains(t, string(got[0].Order), `"order_number":"42","status":"unpaid","source":"sql"`)
	assert.Contains(t, string(got[0].Order), `"user_id":"ada"`)
	assert.Nil(t, got[0].Refund)
}

func TestAnErrorOfTheHostIsNoneOfTheStore(t *testing.T) {
	t.Parallel()
	for _, number := range []uint16{1062, 1205, 1213, 1406} {
		changed := hook(func(context.Context, *sql.Tx, []hosted.Change) error {
			return &mysql.MySQLError{Number: number, Message: "of the host"}
		}, io.Discard)
		err := change(t.Context(), changed, 42)
		require.ErrorIs(t, err, sqldb.ErrHost)
		require.ErrorContains(t, err, "of the host")
		assert.False(t, sqldb.IsDuplicate(err) || sqldb.IsRowError(err))
		assert.False(t, sqldb.IsRetryable(err) || sqldb.IsRefused(err))
	}
}

func TestAPanicOfTheHostIsLoggedOnceWithItsStack(t *testing.T) {
	t.Parallel()
	log := &strings.Builder{}
	changed := hook(func(context.Context, *sql.Tx, []hosted.Change) error { panic("broken") }, log)
	for n := range 3 {
		require.ErrorIs(t, change(t.Context(), changed, order.Number(n+1)), sqldb.ErrHost)
	}
	assert.Equal(t, 1, strings.Count(log.String(), "panic: broken"))
	assert.Contains(t, log.String(), "caller_test.go")
}

// TestAHostThatHangsCostsOneGoroutineForEachOrder has a host that doesn't look at its context.
func TestAHostThatHangsCostsOneGoroutineForEachOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const most = 64
		end := make(chan struct{})
		var calls atomic.Int64
		changed := hook(func(context.Context, *sql.Tx, []hosted.Change) error {
			calls.Add(1)
			<-end
			return nil
		}, io.Discard)
		began := time.Now()
		for range 3 {
			require.ErrorIs(t, change(t.Context(), changed, 1), sqldb.ErrHost)
		}
		assert.EqualValues(t, 1, calls.Load(), "the second call would hang, too")
		assert.Equal(t, 3500*time.Millisecond, time.Since(began))
		for n := range most + 10 {
			require.ErrorIs(t, change(t.Context(), changed, order.Number(n+2)), sqldb.ErrHost)
		}
		assert.EqualValues(t, most, calls.Load(), "the calls that hang are bounded")
		close(end)
		synctest.Wait()
		require.NoError(t, change(t.Context(), changed, 1))
		require.NoError(t, change(t.Context(), changed, most+5))
	})
}

func TestTheTimeOfACallIsItsCallersIfThatHasLess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		changed := hook(func(ctx context.Context, _ *sql.Tx, _ []hosted.Change) error {
			<-ctx.Done()
			return ctx.Err()
		}, io.Discard)
		require.ErrorIs(t, change(ctx, changed, 1), sqldb.ErrHost)
		assert.Equal(t, time.Second, time.Since(began))
	})
}
