package seckill

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/aged"
	"onrush/modules/api"
	"onrush/modules/clock"
	"onrush/modules/panics"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/sqldb"
)

const (
	// blockSize is how many ids of a list are read at once.
	blockSize = 100
	// endedFor is how long an ended activity is still listed.
	endedFor = 7 * 24 * time.Hour
	// sqlWithin bounds one read from SQL, so that time remains to read the copies.
	sqlWithin = 700 * time.Millisecond
	// forgetFailure is how long after a failure SQL is read again even if it was not asked whether it answers.
	forgetFailure = 5 * time.Second
	// askSQLAgain is how long after a failure SQL is asked again whether it answers.
	askSQLAgain = time.Second
)

// ActivityCache returns activities as SQL has them, at most a second old. While SQL is unavailable, it returns the
// copies that are kept in Redis; while both are unavailable, it returns the activities that it read last.
type ActivityCache struct {
	db         *sqldb.DB
	lua        *lua.Scripts
	now        func() time.Time
	clock      *clock.Clock
	activities *aged.Keyed[*Activity]
	lists      *aged.Keyed[block]

	failed  atomic.Pointer[time.Time] // when SQL last failed to answer; nil if it answered since
	changes atomic.Int64              // that Forget was called for
}

// NewActivityCache returns an empty cache.
func NewActivityCache(db *sqldb.DB, scripts *lua.Scripts, clock *clock.Clock, now func() time.Time) *ActivityCache {
	s := &ActivityCache{db: db, lua: scripts, now: now, clock: clock}
	s.activities = aged.NewKeyed("activity", now, s.load)
	s.lists = aged.NewKeyed("list of activities", now, s.loadBlocks)
	return s
}

// Get returns an activity that was published, even if it is offline now; for any other the error is
// not_found. The caller must not modify it.
func (ac *ActivityCache) Get(ctx context.Context, id string) (*Activity, error) {
	a, found, err := ac.activities.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, problem.NotFound("activity")
	}
	return a, nil
}

// HumanCheck returns the lane and the human check of an activity that Get returns.
func (ac *ActivityCache) HumanCheck(ctx context.Context, activity string) (lane int, kind human.Kind, err error) {
	a, err := ac.Get(ctx, activity)
	if err != nil {
		return 0, "", err
	}
	return a.Lane, a.HumanCheck, nil
}

// SaleState is the state of a sale by the clock of the sales.
type SaleState string

// The states of a sale.
const (
	Running  SaleState = "running"
	Upcoming SaleState = "upcoming"
	Ended    SaleState = "ended"
)

// saleState returns the state of a sale; an offline one has ended.
func saleState(a *Activity, nowMS int64) SaleState {
	switch {
	case a.State == Offline || nowMS >= a.EndsMS:
		return Ended
	case nowMS < a.StartsMS:
		return Upcoming
	}
	return Running
}

// List returns a page of the published activities in a state ("" means all), and their total number. Running
// activities come first, in order of their ends, then upcoming ones in order of their starts, then ended
// ones, the last to end first.
func (ac *ActivityCache) List(ctx context.Context, state SaleState, page api.Page) ([]*Activity, int64, error) {
	first, _, err := ac.lists.Get(ctx, blockKey(state, 0))
	if err != nil {
		return nil, 0, err
	}
	from, to := page.Offset(), min(page.Offset()+page.Size, int(first.total))
	var ids []string
	for at := from; at < to; { // no block after the last is read: clients may ask for any page
		b, _, err := ac.lists.Get(ctx, blockKey(state, at/blockSize))
		if err != nil {
			return nil, 0, err
		}
		end := min(to, (at/blockSize+1)*blockSize)
		low, high := min(at%blockSize, len(b.ids)), min(at%blockSize+end-at, len(b.ids))
		ids = append(ids, b.ids[low:high]...)
		at = end
	}
	activities, err := ac.published(ctx, ids)
	return activities, first.total, err
}

// published returns the published activities, in the order of ids.
func (ac *ActivityCache) published(ctx context.Context, ids []string) ([]*Activity, error) {
	byID, err := ac.activities.GetAll(ctx, ids)
	if err != nil {
		return nil, err
	}
	activities := make([]*Activity, 0, len(ids))
	for _, id := range ids {
		if a, ok := byID[id]; ok && a.State == Published {
			activities = append(activities, a)
		}
	}
	return activities, nil
}

// AtLeast returns an activity as Get does, but reads it again if this instance's copy is older than version. The result
// may still be older, if SQL is unavailable or was restored from a backup.
func (ac *ActivityCache) AtLeast(ctx context.Context, id string, version int64) (*Activity, error) {
	if had, known := ac.activities.Peek(id); known && had.Version < version {
		ac.Forget(id)
	}
	return ac.Get(ctx, id)
}

// Forget removes an activity from this instance's cache; call it after changing the activity.
func (ac *ActivityCache) Forget(id string) {
	ac.activities.Forget(id)
	for _, state := range []SaleState{"", Running, Upcoming, Ended} {
		ac.lists.Forget(blockKey(state, 0))
	}
	ac.changes.Add(1) // last: what was read before is not used after it
}

// Warm reads activities into the cache, so that they can be returned if SQL becomes unavailable before a
// buyer requests them.
func (ac *ActivityCache) Warm(ctx context.Context, ids []string) error {
	_, err := ac.activities.GetAll(ctx, ids)
	return err
}

var errSQLFailed = errors.New("SQL failed to answer a moment ago")

// fromSQL runs read in a read view. After a failure it returns errSQLFailed until SQL answers again, which nobody
// waits for, or until nobody has asked for forgetFailure.
func (ac *ActivityCache) fromSQL(ctx context.Context, read func(tx *sqlx.Tx) error) error {
	now := ac.now()
	if at := ac.failed.Load(); at != nil && now.Sub(*at).Abs() < forgetFailure {
		if now.Sub(*at).Abs() >= askSQLAgain && ac.failed.CompareAndSwap(at, &now) {
			go ac.ask(context.WithoutCancel(ctx))
		}
		onSQLSkipped.Mark()
		return errSQLFailed
	}
	ctx, cancel := context.WithTimeout(ctx, sqlWithin)
	defer cancel()
	err := ac.db.InView(ctx, read)
	if err != nil {
		now = ac.now()
		ac.failed.Store(&now)
		return err
	}
	ac.failed.Store(nil)
	return nil
}

// ask asks SQL whether it answers.
func (ac *ActivityCache) ask(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, sqlWithin)
	defer cancel()
	err := panics.Recovered(func() error {
		var one int
		return ac.db.InView(ctx, func(tx *sqlx.Tx) error { return tx.GetContext(ctx, &one, `SELECT 1`) })
	})
	if err == nil {
		ac.failed.Store(nil)
	}
}

// load reads activities from SQL, or, if SQL fails, all of them from their copies.
func (ac *ActivityCache) load(ctx context.Context, ids []string) (map[string]*Activity, error) {
	var activities []*Activity
	err := ac.fromSQL(ctx, func(tx *sqlx.Tx) (err error) {
		activities, err = SelectActivities(ctx, tx, ids)
		return err
	})
	if err != nil {
		copies, copyErr := ac.copied(ctx, ids)
		for id, c := range copies { // this instance may know a change that Redis missed
			if had, known := ac.activities.Peek(id); known && had.Version > c.Version {
				onNewerKnown.Mark()
				copies[id] = had
			}
		}
		if copyErr == nil && len(copies) == len(ids) {
			onCopies.Mark()
			return copies, nil
		}
		return copies, errors.Join(err, copyErr) // an activity without a copy may exist
	}
	byID := make(map[string]*Activity, len(activities))
	for _, a := range activities {
		if a.State != Draft {
			byID[a.ID] = a
		}
	}
	return byID, nil
}

// block is up to blockSize ids of a list, and the length of the list. Lists are cached in blocks, so that the
// number of copies doesn't depend on the page sizes that clients request.
type block struct {
	ids   []string
	total int64
}

// blockKey returns the cache key of block n of a list, counted from 0.
func blockKey(state SaleState, n int) string { return string(state) + ":" + strconv.Itoa(n) }

func (ac *ActivityCache) loadBlocks(ctx context.Context, keys []string) (map[string]block, error) {
	blocks := make(map[string]block, len(keys))
	for _, key := range keys {
		state, number, _ := strings.Cut(key, ":")
		n, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("read list of activities: %w", err)
		}
		if blocks[key], err = ac.selectBlock(ctx, SaleState(state), n); err != nil {
			return nil, err
		}
	}
	return blocks, nil
}

// selectBlock reads a block from SQL, or, if SQL fails, from the copies.
func (ac *ActivityCache) selectBlock(ctx context.Context, state SaleState, n int) (b block, err error) {
	now := ac.clock.NowMS()
	filter, args := ` FROM activities WHERE state = 'published' AND ends_ms > ?`, []any{now - endedFor.Milliseconds()}
	switch state {
	case Running:
		filter, args = filter+` AND starts_ms <= ?`, []any{now, now}
	case Upcoming:
		filter, args = filter+` AND starts_ms > ?`, []any{now, now}
	case Ended:
		filter, args = filter+` AND ends_ms <= ?`, append(args, now)
	}
	const order = ` ORDER BY CASE WHEN ends_ms <= ? THEN 2 WHEN starts_ms > ? THEN 1 ELSE 0 END,
		CASE WHEN ends_ms <= ? THEN -ends_ms WHEN starts_ms > ? THEN starts_ms ELSE ends_ms END, activity_id
		LIMIT ? OFFSET ?`
	err = ac.fromSQL(ctx, func(tx *sqlx.Tx) error {
		if err := tx.GetContext(ctx, &b.total, `SELECT COUNT(*)`+filter, args...); err != nil {
			return fmt.Errorf("count activities: %w", err)
		}
		page := append(slices.Clone(args), now, now, now, now, blockSize, n*blockSize)
		if err := tx.SelectContext(ctx, &b.ids, `SELECT activity_id`+filter+order, page...); err != nil {
			return fmt.Errorf("select list of activities: %w", err)
		}
		return nil
	})
	if err != nil {
		copied, copyErr := ac.copiedBlock(ctx, state, n)
		if copyErr != nil {
			return block{}, errors.Join(err, copyErr)
		}
		return copied, nil
	}
	return b, nil
}
