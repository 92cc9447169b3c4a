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
	"onrush/modules/order"
	"onrush/modules/sqldb"
	"onrush/web/api"
	"onrush/web/problem"
)

const (
	// blockSize is how many ids of a list are read at once.
	blockSize = 100
	// endedFor is how long an ended activity is still listed.
	endedFor = 7 * 24 * time.Hour
	// shelfWithin bounds one read from SQL, so that there is time left for the copies.
	shelfWithin = 700 * time.Millisecond
	// askSQLAgain is how long after a failure SQL is asked again.
	askSQLAgain = time.Second
)

// ActivityCache shows the activities as SQL has them, at most a second old. While SQL is unavailable it shows
// the copies that loads left in Redis, and while both are, what it read last.
type ActivityCache struct {
	db    *sqldb.DB
	lua   *lua.Scripts
	now   func() time.Time
	clock *order.Clock
	one   *sqldb.StaleCache[*Activity]
	list  *sqldb.StaleCache[block]

	failed atomic.Pointer[time.Time] // when SQL last didn't answer
}

// NewActivityCache makes an empty cache.
func NewActivityCache(db *sqldb.DB, scripts *lua.Scripts, clock *order.Clock, now func() time.Time) *ActivityCache {
	s := &ActivityCache{db: db, lua: scripts, now: now, clock: clock}
	s.one = sqldb.NewStaleCache("activity", now, s.load)
	s.list = sqldb.NewStaleCache("list of activities", now, s.loadBlocks)
	return s
}

// Get returns an activity that was published, also one that is offline by now; any other is
// not_found. The caller must not change it.
func (s *ActivityCache) Get(ctx context.Context, id string) (*Activity, error) {
	a, found, err := s.one.One(ctx, id)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, problem.NotFound("activity")
	}
	return a, nil
}

// SaleState is where a sale is by the clock of the sales.
type SaleState string

// The states of a sale.
const (
	Running  SaleState = "running"
	Upcoming SaleState = "upcoming"
	Ended    SaleState = "ended"
)

// saleState is the state of an activity; one that is offline has ended.
func saleState(a *Activity, nowMS int64) SaleState {
	switch {
	case a.State == Offline || nowMS >= a.EndsMS:
		return Ended
	case nowMS < a.StartsMS:
		return Upcoming
	}
	return Running
}

// List returns a page of the published activities in a state ("" means all), and how many there are:
// those that run first, the next to end at the top, then those to come, the next to start at the top,
// then those that ended last.
func (s *ActivityCache) List(ctx context.Context, state SaleState, page api.Page) ([]*Activity, int64, error) {
	first, _, err := s.list.One(ctx, blockKey(state, 0))
	if err != nil {
		return nil, 0, err
	}
	from, to := page.Offset(), min(page.Offset()+page.Size, int(first.total))
	var ids []string
	for at := from; at < to; { // no block behind the last is read: a client could name any number of them
		b, _, err := s.list.One(ctx, blockKey(state, at/blockSize))
		if err != nil {
			return nil, 0, err
		}
		end := min(to, (at/blockSize+1)*blockSize)
		low, high := min(at%blockSize, len(b.ids)), min(at%blockSize+end-at, len(b.ids))
		ids = append(ids, b.ids[low:high]...)
		at = end
	}
	activities, err := s.published(ctx, ids)
	return activities, first.total, err
}

// published returns those of the activities that are published, in the order of ids.
func (s *ActivityCache) published(ctx context.Context, ids []string) ([]*Activity, error) {
	byID, err := s.one.Many(ctx, ids)
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

// Forget makes this instance read an activity anew after it was changed.
func (s *ActivityCache) Forget(id string) {
	s.one.Forget(id)
	for _, state := range []SaleState{"", Running, Upcoming, Ended} {
		s.list.Forget(blockKey(state, 0))
	}
}

// Warm reads activities, so that they are shown when SQL becomes unavailable before a buyer has asked.
func (s *ActivityCache) Warm(ctx context.Context, ids []string) error {
	_, err := s.one.Many(ctx, ids)
	return err
}

var errSQLFailed = errors.New("SQL did not answer a moment ago")

// fromSQL runs read, but not for a while after it failed: each buyer would wait for SQL in vain.
func (s *ActivityCache) fromSQL(ctx context.Context, read func(tx *sqlx.Tx) error) error {
	if at := s.failed.Load(); at != nil && s.now().Sub(*at).Abs() < askSQLAgain {
		return errSQLFailed
	}
	ctx, cancel := context.WithTimeout(ctx, shelfWithin)
	defer cancel()
	err := s.db.InView(ctx, read)
	if err != nil {
		now := s.now()
		s.failed.Store(&now)
	}
	return err
}

// load reads activities from SQL, or all of them from their copies.
func (s *ActivityCache) load(ctx context.Context, ids []string) (map[string]*Activity, error) {
	var activities []*Activity
	err := s.fromSQL(ctx, func(tx *sqlx.Tx) (err error) {
		activities, err = selectActivities(ctx, tx, ids)
		return err
	})
	if err != nil {
		copies, copyErr := s.copied(ctx, ids)
		if copyErr != nil || len(copies) < len(ids) { // what has no copy may exist all the same
			return nil, errors.Join(err, copyErr)
		}
		return copies, nil
	}
	byID := make(map[string]*Activity, len(activities))
	for _, a := range activities {
		if a.State != Draft {
			byID[a.ID] = a
		}
	}
	return byID, nil
}

// block is blockSize ids of a list, and how many ids the list has. Lists are kept in blocks, so that
// there are few copies however many page sizes clients ask for.
type block struct {
	ids   []string
	total int64
}

// blockKey names a block; blocks count from 0.
func blockKey(state SaleState, n int) string { return string(state) + ":" + strconv.Itoa(n) }

// loadBlocks reads blocks of lists.
func (s *ActivityCache) loadBlocks(ctx context.Context, keys []string) (map[string]block, error) {
	blocks := make(map[string]block, len(keys))
	for _, key := range keys {
		state, number, _ := strings.Cut(key, ":")
		n, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("read list of activities: %w", err)
		}
		if blocks[key], err = s.selectBlock(ctx, SaleState(state), n); err != nil {
			return nil, err
		}
	}
	return blocks, nil
}

// selectBlock reads a block from SQL, or from the copies.
func (s *ActivityCache) selectBlock(ctx context.Context, state SaleState, n int) (b block, err error) {
	now := s.clock.NowMS()
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
		CASE WHEN ends_ms <= ? THEN -ends_ms WHEN starts_ms > ? THEN starts_ms ELSE ends_ms END, activity_id LIMIT ? OFFSET ?`
	err = s.fromSQL(ctx, func(tx *sqlx.Tx) error {
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
		copied, copyErr := s.copiedBlock(ctx, state, n)
		if copyErr != nil {
			return block{}, errors.Join(err, copyErr)
		}
		return copied, nil
	}
	return b, nil
}
