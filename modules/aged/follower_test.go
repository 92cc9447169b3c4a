package aged_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/aged"
	"onrush/test/kit"
)

var errAway = errors.New("away")

func isAway(err error) bool { return errors.Is(err, errAway) }

func TestAFollowerReadsTwiceASecondAndLogsTheFirstErrorOfSeveral(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lines bytes.Buffer
		reads := 0
		var failing atomic.Pointer[error]
		fail := func(err error) { failing.Store(&err) }
		fail(errors.New("the table is locked"))
		f := aged.NewFollower("settings", time.Now, slog.New(slog.NewTextHandler(&lines, nil)), isAway,
			func(ctx context.Context, now time.Time) error {
				_, bounded := ctx.Deadline()
				assert.True(t, bounded, "a read that hangs must not stop the next ones")
				assert.Equal(t, time.Now(), now)
				reads++
				return *failing.Load()
			})
		assert.Zero(t, f.Age(), "never read")
		f.Load(t.Context())
		assert.Zero(t, f.Age(), "still never read")
		ctx, stop := context.WithCancel(t.Context())
		go f.Run(ctx)
		kit.Pass(10*time.Second + time.Millisecond)
		synctest.Wait()
		assert.Equal(t, 1+21, reads)
		logged := func() int {
			return strings.Count(lines.String(), "copy=settings error=\"read the settings: the")
		}
		assert.Equal(t, 1, logged(), lines.String())

		fail(nil)
		kit.Pass(time.Second)
		assert.Equal(t, time.Millisecond, f.Age(), "since the last read")
		fail(errAway)
		kit.Pass(time.Second)
		assert.Equal(t, 1, logged(), "that SQL is unavailable is logged elsewhere")
		assert.Equal(t, 1001*time.Millisecond, f.Age(), "of the last copy that was read")
		stop()
		synctest.Wait()
		last := reads
		kit.Pass(time.Minute)
		assert.Equal(t, last, reads, "it has ended")
	})
}

func TestAReadSaysWhatItWasOf(t *testing.T) {
	t.Parallel()
	f := aged.NewFollower("settings", time.Now, slog.New(slog.DiscardHandler), isAway,
		func(context.Context, time.Time) error { return errors.New("no such table") })
	require.EqualError(t, f.Refresh(t.Context()), "read the settings: no such table")
}
