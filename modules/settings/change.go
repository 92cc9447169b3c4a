package settings

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/oplog"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

const (
	// keepTries is how often the copy in Redis is written if other instances write it at the same time.
	keepTries = 10
	// maxWaiting is how many changes wait for SQL at most.
	maxWaiting = 200
)

// Change sets the values that are not nil, removes the ones that unset names, and returns all settings. from is
// the version that the caller saw; see oplog.Check. A change that changes nothing makes no version. While SQL is
// unavailable, a stop of all sales, or its end, is kept in Redis, and Settle writes it to SQL later; any other change
// is refused as unavailable.
func (s *Store) Change(ctx context.Context, set Values, unset []string, from int64) (Stored, error) {
	if err := set.check(s.IsRoute); err != nil {
		return Stored{}, err
	}
	c := change{AtMS: s.StoresNow().UnixMilli(), By: oplog.NewStamp(ctx), Set: set, Unset: unset}
	reading, cancel := context.WithTimeout(ctx, storeWithin)
	_ = s.readRedis(reading) // what waits there comes first
	cancel()
	after, err := s.settle(ctx, &c, from)
	err = sqldb.Unavailable(err)
	if problem.CodeOf(err) != problem.CodeUnavailable {
		return after, err
	}
	if !c.onlyStops() {
		return Stored{}, problem.Unavailable(err,
			"The store is temporarily unavailable. Until it answers, only sales_stopped can be changed, by itself.")
	}
	onRedisAlone.Mark()
	after, errRedis := s.changeRedis(ctx, &c, from)
	if errRedis != nil && !problem.Is(errRedis) {
		return Stored{}, errors.Join(err, errRedis)
	}
	return after, errRedis
}

// Settle makes the stores agree: SQL gets the changes that wait, and what it has lost; Redis gets a copy of the row.
func (s *Store) Settle(ctx context.Context) error {
	_, err := s.settle(ctx, nil, 0)
	return err
}

// settle makes the changes that wait, and then c unless it is nil, in SQL, and copies the row to Redis. It waits for
// SQL no longer than storeWithin: the driver doesn't give up a commit when ctx ends. The log tells later whether such a
// commit took place.
func (s *Store) settle(ctx context.Context, c *change, from int64) (Stored, error) {
	within, cancel := context.WithTimeout(ctx, storeWithin)
	defer cancel()
	known := s.knows()
	var row Stored
	done := make(chan error, 1)
	go func() {
		done <- s.DB.InTx(within, func(tx *sqlx.Tx) (err error) {
			if row, err = absorb(within, tx, &known); err != nil || c == nil {
				return err
			}
			if err := oplog.Check(within, tx, "settings", from, row.Version); err != nil {
				return err
			}
			last := *c
			last.AtMS = max(c.AtMS, row.UpdatedMS+1)
			row, err = apply(within, tx, row, &last)
			return err
		})
	}()
	select {
	case err := <-done:
		if err != nil {
			return Stored{}, err
		}
	case <-within.Done():
		onSQLSlow.Mark()
		return Stored{}, within.Err()
	}
	if len(known.Waiting) > 0 {
		onAbsorbed.Mark()
	}
	s.learn(ctx, &s.inSQL, kept{Base: row}, known.Waiting)
	// A copy that Redis has already is written again, so that replicas confirm it.
	confirmed, err := s.keep(ctx, known.Waiting, func(*kept) error { return nil })
	row.Uncertain = err != nil || s.Lua.Waits.Replicas > 0 && !confirmed
	if row.Pending = row.Uncertain; row.Uncertain {
		onUncertain.Mark()
	}
	return row, nil
}

// changeRedis adds a change to those that wait for SQL. From then on this instance remembers it, too, and gives it to a
// Redis that has lost it.
func (s *Store) changeRedis(ctx context.Context, c *change, from int64) (after Stored, err error) {
	confirmed, err := s.keep(ctx, nil, func(known *kept) error {
		before := known.settings()
		switch {
		case from > 0 && from != before.Version:
			return problem.Errorf(problem.CodeStaleVersion,
				"It was changed meanwhile: its version is %d.", before.Version)
		case len(known.Waiting) >= maxWaiting:
			return problem.Unavailable(nil, "Too many changes wait for the store.")
		}
		added := *c
		added.AtMS = max(c.AtMS, before.UpdatedMS+1)
		after = before.after(&added)
		if reflect.DeepEqual(before.Set, after.Set) && before.Version > 0 {
			after = before // Redis is written again, for an answer of its own
		} else {
			*known = known.with(kept{Waiting: []change{added}})
		}
		after.Pending = len(known.Waiting) > 0
		return nil
	})
	if err != nil {
		return Stored{}, err
	}
	after.Uncertain = !confirmed && (after.Pending || s.Lua.Waits.Replicas > 0)
	return after, nil
}

// keep writes to Redis what it and the instance know together, without changes that no longer wait, and as add alters
// it. If add is nil, it only writes what Redis lacks. The instance remembers what was written. confirmed says that as
// many replicas have it as an order's answer waits for.
func (s *Store) keep(ctx context.Context, done []change, add func(*kept) error) (confirmed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, storeWithin)
	defer cancel()
	for range keepTries {
		was, err := s.Lua.Settings(ctx)
		if err != nil {
			return false, err
		}
		var has kept
		if was != "" && json.Unmarshal([]byte(was), &has) != nil {
			onBadCopy.Mark()
			has = kept{} // what nobody can read is replaced
		}
		next := s.learn(ctx, &s.inRedis, has.without(done), done)
		switch lacks := has.settings(); {
		case add != nil:
			err = add(&next)
		case lacks.is(new(next.settings())):
			return false, nil
		default:
			onLacks.Mark()
		}
		if err != nil {
			return false, err
		}
		text, err := json.Marshal(next)
		if err != nil {
			return false, err
		}
		written, err := s.Lua.KeepSettings(ctx, was, string(text))
		unconfirmed := errors.Is(err, lua.ErrUnconfirmed)
		if written || unconfirmed {
			s.learn(ctx, &s.inRedis, next, done)
			return !unconfirmed && s.Lua.Waits.Replicas > 0, nil
		}
		if err != nil {
			return false, err
		}
		onKeptAgain.Mark()
	}
	return false, problem.Unavailable(nil, "Too many operators change the settings.")
}
