package queue_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/clock"
	"onrush/modules/order/queue"
	"onrush/modules/site"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestTheAgeOfADeadEntryIsShownAndLogged(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		s := stage.Open(t, stores, stage.Sale{})
		var log bytes.Buffer
		queues := queue.NewInspector(queue.Deps{
			DB: stores.DB, Lua: s.Scripts, Clock: clock.Fixed(time.Now),
			Log: slog.New(slog.NewTextHandler(&log, nil)), Site: site.Fixed(stage.Lanes),
		})
		dead, err := queues.ReportDead(ctx)
		require.NoError(t, err)
		assert.Zero(t, dead)
		assert.Empty(t, log.String())

		for _, age := range []time.Duration{time.Minute, 3 * time.Hour, time.Second} {
			entry, err := json.Marshal(queue.DeadEntry{Entry: "x", AtMS: time.Now().Add(-age).UnixMilli()})
			require.NoError(t, err)
			require.NoError(t, stores.Redis.HSet(ctx, stores.Keys.Dead(s.Lane), age.String(), entry).Err())
		}
		lanes, err := queues.Lanes(ctx)
		require.NoError(t, err)
		for _, l := range lanes {
			if l.Lane != s.Lane {
				assert.Zero(t, l.OldestDeadMS)
				continue
			}
			assert.EqualValues(t, 3, l.Dead)
			assert.GreaterOrEqual(t, l.OldestDeadMS, (3 * time.Hour).Milliseconds())
		}
		dead, err = queues.ReportDead(ctx)
		require.NoError(t, err)
		assert.Equal(t, 3, dead)
		assert.Equal(t, 1, strings.Count(log.String(), "\n"))
		assert.Contains(t, log.String(), "oldest=3h0m")
	})
}
