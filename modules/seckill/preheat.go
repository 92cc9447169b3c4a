package seckill

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/order/sqldb"
)

// Preheater keeps Redis in step with SQL: it loads the activities that Redis should have and
// doesn't, and closes those that were taken offline while Redis was away.
type Preheater struct {
	db     *sqldb.DB
	lua    *lua.Scripts
	loader *Loader
	clock  *order.Clock
	log    *slog.Logger
}

// NewPreheater makes a preheater.
func NewPreheater(p order.Parts, loader *Loader, clock *order.Clock) *Preheater {
	return &Preheater{db: p.DB, lua: p.Lua, loader: loader, clock: clock, log: p.Log}
}

const (
	// preheatAfterEnd is how long an ended activity is still loaded where it is missing.
	preheatAfterEnd = 24 * time.Hour
	// maxPreheated bounds one run.
	maxPreheated = 1000
)

// RunOnce looks after the activities whose sale has not ended long ago, and those whose units
// still have to come back, and returns how many it loaded or closed.
func (h *Preheater) RunOnce(ctx context.Context) (done int, err error) {
	if err := h.clock.Sync(ctx); err != nil {
		return 0, err
	}
	var activities []Activity
	const query = `SELECT ` + activityColumns + ` FROM activities WHERE state <> 'draft' AND retired_ms = 0
		AND (ends_ms > ? OR activity_id IN (SELECT activity_id FROM stock_outbox WHERE state = 'pending')) ORDER BY ends_ms LIMIT ?`
	if err := h.db.Write.SelectContext(ctx, &activities, query, h.clock.NowMS()-preheatAfterEnd.Milliseconds(), maxPreheated); err != nil {
		return 0, fmt.Errorf("select activities to preheat: %w", err)
	}
	states := make([]*redis.StringCmd, len(activities))
	_, err = h.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, a := range activities {
			states[i] = p.HGet(ctx, h.lua.Keys.Meta(a.Lane, a.ID), "state")
		}
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return 0, fmt.Errorf("read states of activities: %w", err)
	}
	var failed error
	for i := range activities {
		changed, err := h.one(ctx, &activities[i], states[i].Val())
		failed = errors.Join(failed, err)
		if changed {
			done++
		}
	}
	return done, failed
}

func (h *Preheater) one(ctx context.Context, a *Activity, state string) (changed bool, err error) {
	switch {
	case state == "" || state == "loading":
		err := h.loader.Load(ctx, a.ID)
		if errors.Is(err, ErrLoaded) || errors.Is(err, ErrRetired) || errors.Is(err, lua.ErrSuperseded) {
			return false, nil
		}
		return err == nil, err
	case state == "open" && a.State == Offline:
		h.log.InfoContext(ctx, "closing an activity that was taken offline", "activity_id", a.ID)
		return h.lua.SetState(ctx, a.Lane, a.ID, "closed")
	}
	return false, nil
}
