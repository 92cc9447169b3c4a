package web_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
	"onrush/web"
)

func TestWorkThatStandsStillDegradesAndIsNamed(t *testing.T) {
	t.Parallel()
	fine := func(context.Context) error { return nil }
	for _, c := range []struct {
		stands error
		want   web.Ready
	}{
		{nil, web.Ready{Status: "ok", Unavailable: []string{}}},
		{errors.New("lanes 2, 3"), web.Ready{Status: "degraded", Unavailable: []string{"queue: lanes 2, 3"}}},
		{context.DeadlineExceeded, web.Ready{Status: "ok", Unavailable: []string{}}},
	} {
		h := web.NewHealth(t.Context(), map[string]web.Check{"redis": fine, "sql": fine})
		h.Watch("queue", func(context.Context) error { return c.stands })
		assert.Equal(t, c.want, h.Ready())
	}
}

// A check that hangs says neither yes nor no; one that failed since something else hung says no.
func TestOfARequiredCheckThatHangsTheResultBeforeCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fine := func(context.Context) error { return nil }
		h := web.NewHealth(t.Context(), map[string]web.Check{"redis": fine, "sql": fine})
		var check atomic.Pointer[web.Check]
		h.Require("schema", func(ctx context.Context) error { return (*check.Load())(ctx) })
		status := func(with web.Check) string {
			check.Store(&with)
			kit.Pass(time.Second)
			return h.Ready().Status
		}
		hang := func(ctx context.Context) error {
			<-ctx.Done()
			kit.Pass(time.Second)
			return ctx.Err()
		}
		assert.Equal(t, "ok", status(fine))
		assert.Equal(t, "ok", status(hang))
		assert.Equal(t, "down", status(func(context.Context) error { return errors.New("another schema") }))
		assert.Equal(t, "down", status(hang))
		assert.Equal(t, "ok", status(fine))
		assert.Equal(t, "down", status(func(context.Context) error {
			return fmt.Errorf("read the keys of tokens: %w", context.DeadlineExceeded)
		}))
	})
}
