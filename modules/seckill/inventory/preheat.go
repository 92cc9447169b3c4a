package inventory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/needs"
	"onrush/modules/seckill"
	"onrush/modules/sqldb"
)

// Preheater loads the activities that Redis should have and lacks. It also loads an activity that Redis has from
// another load than the last load that SQL recorded: then an older copy of one of the stores was restored.
//
// A run checks one page of the activities; the next run resumes after it. If an activity is missing, Redis
// may have lost them all: the preheater then starts over, with the running activities, and checks all of
// them in each run until none is missing.
type Preheater struct {
	cfg    PreheatConfig
	db     *sqldb.DB
	lua    *lua.Scripts
	loader *Loader
	cache  *seckill.ActivityCache
	clock  *clock.Clock
	log    *slog.Logger

	mu       sync.Mutex
	next     preheatCursor
	sweeping bool // each run checks all activities
}

// NewPreheater returns a Preheater. Its first run checks all activities, and fills the cache of activities.
func NewPreheater(cfg PreheatConfig, d Deps, loader *Loader, cache *seckill.ActivityCache) *Preheater {
	return &Preheater{
		cfg: cfg.withDefaults(), db: d.DB, lua: d.Lua, loader: loader, cache: cache, clock: d.Clock, log: d.Log,
		sweeping: true,
	}
}

const (
	// preheatAfterEnd is how long after its end a missing activity is still loaded.
	preheatAfterEnd = 24 * time.Hour
	// maxPages bounds how many pages one run checks.
	maxPages = 1000
	// maxUnavailable is after how many failures because a store is unavailable a run starts no more loads.
	maxUnavailable = 5
	// maxReported bounds how many failures the error of a run names.
	maxReported = 5
)

// preheatRun is what one run has done.
type preheatRun struct {
	until   time.Time
	loads   int
	done    int
	seen    int
	missing int      // activities that are still not loaded after the run
	opened  []string // sales whose tasks are not all in Redis yet
	failed  []error  // the first ones

	unavailable int // failures because a store is unavailable
}

// fail records an error. Only errors of unavailable stores stop the run; a sale that can't be loaded for a
// reason of its own doesn't block the others.
func (r *preheatRun) fail(err error) {
	if sqldb.IsUnavailable(err) { // of Redis too: its broken connections are the same errors
		r.unavailable++
	}
	if len(r.failed) < maxReported {
		r.failed = append(r.failed, err)
	}
}

// mayLoad reports whether the run may start another load.
func (r *preheatRun) mayLoad(ctx context.Context, cfg PreheatConfig) bool {
	return r.loads < cfg.Loads && r.unavailable < maxUnavailable && ctx.Err() == nil && time.Now().Before(r.until)
}

// RunOnce checks the activities whose sale has not ended long ago, and those that still have pending rows in
// the outbox, and returns how many it loaded or closed. The error says how many are not loaded yet, and why
// loads failed.
func (ph *Preheater) RunOnce(ctx context.Context) (done int, err error) {
	ph.mu.Lock()
	defer ph.mu.Unlock()
	if err := ph.clock.Sync(ctx); err != nil {
		return 0, err
	}
	r := &preheatRun{until: time.Now().Add(preheatWithin)}
	if !ph.sweeping {
		complete, err := ph.step(ctx, r)
		if err != nil || complete {
			return r.done, errors.Join(err, ph.fillTasks(ctx, r))
		}
		ph.sweeping = true
	}
	err = errors.Join(ph.sweep(ctx, r), ph.fillTasks(ctx, r))
	return r.done, err
}

// fillTasks fills the remaining tasks of open sales. It runs last, so that it delays no load.
func (ph *Preheater) fillTasks(ctx context.Context, r *preheatRun) error {
	var failed []error
	for _, id := range r.opened {
		if ctx.Err() != nil {
			break
		}
		if err := ph.loader.FillTasks(ctx, id); err != nil {
			failed = append(failed, fmt.Errorf("fill tasks of activity %s: %w", id, err))
		}
	}
	return errors.Join(failed...)
}

// step checks the next page without loading anything; complete is false if an activity is missing.
func (ph *Preheater) step(ctx context.Context, r *preheatRun) (complete bool, err error) {
	page, next, err := ph.page(ctx, ph.next)
	if err != nil {
		return false, err
	}
	states, err := ph.states(ctx, page)
	if err != nil {
		return false, err
	}
	ph.next = next
	for i, s := range states {
		switch {
		case s.err != nil:
			r.fail(s.err)
		case s.missing():
			return false, nil
		default:
			if err := ph.keepUp(ctx, r, page[i], s); err != nil {
				r.fail(err)
			}
		}
	}
	return true, errors.Join(r.failed...)
}

// sweep checks all activities, the running ones first, and loads the missing ones.
func (ph *Preheater) sweep(ctx context.Context, r *preheatRun) error {
	var at preheatCursor
	for range maxPages {
		page, next, err := ph.page(ctx, at)
		if err != nil {
			return err
		}
		if err := ph.warm(ctx, page); err != nil {
			return err
		}
		states, err := ph.states(ctx, page)
		if err != nil {
			return err
		}
		for i, s := range states {
			ph.loadIfMissing(ctx, r, page[i], s)
		}
		if at = next; at == (preheatCursor{}) {
			break
		}
	}
	ph.next = preheatCursor{}
	ph.sweeping = r.missing > 0
	if r.missing > 0 {
		return errors.Join(append([]error{fmt.Errorf("%d of %d sales are not loaded yet", r.missing, r.seen)},
			r.failed...)...)
	}
	return errors.Join(r.failed...)
}

// loadIfMissing loads an activity that is missing, if the run may load another, and calls keepUp for others.
func (ph *Preheater) loadIfMissing(ctx context.Context, r *preheatRun, a candidate, s redisState) {
	r.seen++
	if s.err != nil {
		r.missing++
		r.fail(s.err)
		return
	}
	if !s.missing() {
		if err := ph.keepUp(ctx, r, a, s); err != nil {
			r.fail(err)
		}
		return
	}
	// A second load would stop the running one and start over.
	if s.loading || !r.mayLoad(ctx, ph.cfg) || ph.db.Busy.Skips(sqldb.StockOf(a.ID)) {
		r.missing++
		return
	}
	onMissing.Mark()
	r.loads++
	err := ph.loader.Open(ctx, a.ID)
	ph.db.Busy.Note(sqldb.StockOf(a.ID), err)
	switch {
	case errors.Is(err, seckill.ErrLoaded), errors.Is(err, seckill.ErrRetired), errors.Is(err, lua.ErrSuperseded):
		onOvertaken.Mark()
		// Another instance loaded or retired it, or is loading it.
	case err != nil:
		r.missing++
		r.fail(err)
	default:
		r.done++
		r.opened = append(r.opened, a.ID)
		ph.keepCopy(ctx, a.ID)
	}
}

// keepUp writes a missing copy, and makes SQL know which version of the activity Redis has.
func (ph *Preheater) keepUp(ctx context.Context, r *preheatRun, a candidate, s redisState) error {
	if s.tasks {
		r.opened = append(r.opened, a.ID)
	}
	if !s.copied {
		ph.keepCopy(ctx, a.ID)
	}
	if s.version < a.Applied || s.version > a.Version {
		onOtherVersion.Mark()
		return ph.agree(ctx, a.ID, s.version)
	}
	return nil
}

// keepCopy writes the copy of an activity to Redis. It only logs failures, since a later run tries again.
func (ph *Preheater) keepCopy(ctx context.Context, id string) {
	if err := ph.cache.Keep(ctx, id); err != nil && !errors.Is(err, lua.ErrUnconfirmed) {
		ph.log.WarnContext(ctx, "writing the copy of an activity to redis failed", "activity_id", id, "error", err)
	}
}

// warm reads the running and upcoming activities of a page into this instance's cache.
func (ph *Preheater) warm(ctx context.Context, page []candidate) error {
	var ids []string
	now := ph.clock.NowMS()
	for _, a := range page {
		if a.EndsMS > now && a.State == seckill.Published {
			ids = append(ids, a.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return ph.cache.Warm(ctx, ids)
}

// redisState is what Redis knows of an activity.
type redisState struct {
	state  lua.ActivityState
	tasks  bool // the tasks of stored orders are not all there yet
	copied bool // Redis has the activity's copy

	version int64 // of the last change that Redis has
	loading bool  // another load of it is running
	other   bool  // it is of another load than the last one that SQL knows of
	spoiled bool  // somebody else wrote one of its keys
	err     error // why the state is unknown
}

func (s redisState) missing() bool { return !s.state.Loaded() || s.other || s.spoiled }

// states reads the states of the activities of a page from Redis. It fails only if all of them are unknown:
// in a cluster, the states of the nodes that answer can be used.
func (ph *Preheater) states(ctx context.Context, page []candidate) ([]redisState, error) {
	state, copied := make([]*redis.SliceCmd, len(page)), make([]*redis.IntCmd, len(page))
	remembered := make([]*redis.DurationCmd, len(page))
	types := make([][]*redis.StatusCmd, len(page))
	_, err := ph.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, a := range page {
			state[i] = p.HMGet(ctx, ph.lua.Keys.Meta(a.Lane, a.ID), "state", "tasks", "epoch", "version")
			remembered[i] = p.PTTL(ctx, ph.lua.Keys.Meta(a.Lane, a.ID))
			copied[i] = p.Exists(ctx, ph.lua.Keys.Sale(a.ID))
			for _, key := range ph.lua.Keys.Loaded(a.Lane, a.ID) {
				types[i] = append(types[i], p.Type(ctx, key))
			}
		}
		return nil
	})
	states, unknown := make([]redisState, len(page)), 0
	for i := range page {
		states[i].spoiled = slices.ContainsFunc(types[i], func(kind *redis.StatusCmd) bool {
			return kind.Err() == nil && kind.Val() != "hash" && kind.Val() != "none"
		})
		if states[i].spoiled {
			onSpoiled.Mark()
			ph.log.ErrorContext(ctx, "a key of a sale in Redis has another type; the sale is loaded again",
				"activity_id", page[i].ID)
			continue
		}
		if failed := cmp.Or(state[i].Err(), copied[i].Err(), remembered[i].Err()); failed != nil {
			states[i].err = fmt.Errorf("read state of activity %s: %w", page[i].ID, failed)
			unknown++
			continue
		}
		states[i] = stateOf(page[i], state[i].Val())
		states[i].copied = copied[i].Val() > 0
		states[i].loading = states[i].state == lua.StateLoading && lua.LoadIsRunning(remembered[i].Val())
	}
	if len(page) > 0 && unknown == len(page) {
		return nil, fmt.Errorf("read states of activities: %w", err)
	}
	return states, nil
}

// stateOf reads the fields state, tasks, epoch and version of an activity's meta hash.
func stateOf(a candidate, meta []any) (s redisState) {
	text := func(i int) string { value, _ := meta[i].(string); return value }
	s.state, s.tasks = lua.ActivityState(text(0)), text(1) == string(lua.StateLoading)
	epoch, err := strconv.ParseInt(text(2), 10, 64)
	if s.other = s.state.Loaded() && (err != nil || epoch != a.Epoch); s.other {
		onOtherLoad.Mark()
	}
	s.version = lua.ParseVersion(text(3)) // older programs wrote none for the first version, 0
	switch {
	case s.version >= a.Needs.Version(0):
		s.version = needs.InSQL(s.version)
	case a.Applied < a.Version: // ApplyChanges has still to write it
		s.version = a.Applied
	default: // an older build has loaded it, without what the sale needs
		s.version = -1
	}
	return s
}
