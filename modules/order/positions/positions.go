// Package positions keeps how far a replica of SQL must have come before it may be read for a buyer, so that a list
// has what the buyer did, and "SQL has what Redis no longer has" holds for replicas, too. A position is one of
// sqldb.DB.Position. The positions are in Redis, beside the orders:
//
//	{lane}:written, a hash: <bucket of the user> → the position after the last write for one of its users
//	                        since → that of the first one, for users of other buckets
//
// The number of buckets is bounded, so nothing has to expire. Users of one bucket may wait for each other's writes.
package positions

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/deadline"
	"onrush/modules/sqldb"
)

// buckets is how many positions a lane keeps. With GTIDs of MySQL, a position takes about 60 bytes and more.
const buckets = 4096

// Store keeps the positions of users. A nil Store keeps none: for a program without a replica.
type Store struct {
	primary *sqldb.DB
	lua     *lua.Scripts
	lanes   int
	now     func() time.Time
	log     *slog.Logger

	failed atomic.Int64 // when Note failed last, in UTC milliseconds
}

// New returns a Store of the positions of a primary.
func New(
	primary *sqldb.DB, scripts *lua.Scripts, lanes int, now func() time.Time, log *slog.Logger,
) *Store {
	return &Store{primary: primary, lua: scripts, lanes: lanes, now: now, log: log}
}

// Written notes that the primary has committed something for the users. Call it after the commit, and before somebody
// may rely on it: before the answer, or before orders of the lane leave Redis. The lane is 1 to the number of lanes; 0
// is any.
func (s *Store) Written(ctx context.Context, lane int, users ...string) error {
	if s == nil || len(users) == 0 {
		return nil
	}
	if lane == 0 {
		lane = s.anyLane(users[0])
	}
	buckets := make([]string, len(users))
	for i, user := range users {
		buckets[i] = bucket(user)
	}
	slices.Sort(buckets)
	fields := append([]string{lua.FieldSince}, slices.Compact(buckets)...)
	for range maxNotes {
		was, err := s.lua.ReadPositions(ctx, lane, fields)
		if err != nil {
			return err
		}
		position, err := s.primary.Position(ctx) // after the fields, so that it is no older than theirs
		if err != nil {
			return err
		}
		if noted, err := s.lua.NotePosition(ctx, lane, position, fields, was); noted || err != nil {
			return err
		}
	}
	return errors.New("note the position of a write: others note theirs again and again")
}

const (
	// noteWithin bounds Note, and readWithin Of, so that an unavailable Redis is noticed at once.
	noteWithin, readWithin = 300 * time.Millisecond, 300 * time.Millisecond
	// notePause is how long after a failure Note waits for nothing.
	notePause = time.Second
	// maxNotes bounds how often Written begins again.
	maxNotes = 8
)

// Note is Written for a user who waits for an answer, even if ctx has ended. If it fails, lists of the replica may not
// show the write for as long as that is behind.
func (s *Store) Note(ctx context.Context, user string) {
	if s == nil {
		return
	}
	ago := s.now().UnixMilli() - s.failed.Load()
	if ago >= 0 && ago < notePause.Milliseconds() { // below 0: the clock was set back
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteWithin)
	defer cancel()
	if err := s.Written(ctx, 0, user); err != nil {
		s.failed.Store(s.now().UnixMilli())
		s.log.WarnContext(ctx, "lists of the replica may not show writes at once", "error", err)
	}
}

// Of returns the positions that a replica must have reached to be read for a user. Read them after the user's orders in
// Redis: an order that had left Redis by then is in SQL at one of them. If they aren't known, as after Redis lost its
// data, they have "", which no replica reaches.
func (s *Store) Of(ctx context.Context, user string) (positions []string, err error) {
	if s == nil {
		return nil, nil
	}
	ctx, cancel := deadline.Within(ctx, readWithin)
	defer cancel()
	reads := make([]*redis.SliceCmd, s.lanes)
	_, err = s.lua.Redis.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for i := range reads {
			reads[i] = pipe.HMGet(ctx, s.lua.Keys.Written(i+1), bucket(user), lua.FieldSince)
		}
		return nil
	})
	if err != nil {
		return []string{""}, fmt.Errorf("read the positions of writes: %w", err)
	}
	var unknown []int
	for i, read := range reads {
		position, known := read.Val()[0].(string)
		if !known {
			position, known = read.Val()[1].(string)
		}
		if !known {
			unknown = append(unknown, i+1)
		}
		positions = append(positions, position)
	}
	slices.Sort(positions)
	return slices.Compact(positions), s.begin(ctx, unknown)
}

// begin notes the present position for the lanes that have none.
func (s *Store) begin(ctx context.Context, lanes []int) error {
	if len(lanes) == 0 {
		return nil
	}
	position, err := s.primary.Position(ctx)
	if err != nil {
		return err
	}
	if position == "" {
		return sqldb.ErrNoPositions
	}
	_, err = s.lua.Redis.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for _, lane := range lanes {
			pipe.HSetNX(ctx, s.lua.Keys.Written(lane), lua.FieldSince, position)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("note the first position: %w", err)
	}
	return nil
}

func bucket(user string) string { return strconv.Itoa(int(hash(user) % buckets)) }

func (s *Store) anyLane(user string) int { return 1 + int(hash(user)/buckets)%s.lanes }

func hash(user string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(user))
	return h.Sum32()
}
