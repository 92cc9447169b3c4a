package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
)

const (
	// followedWithin is how long a reader waits for a replica that is behind, before the primary is read instead.
	followedWithin = 100 * time.Millisecond
	// askWithin bounds an attempt to read the replica, so that the primary can still be read in time.
	askWithin = 500 * time.Millisecond
	// pauseReplica is how long nobody waits for a replica that was behind, or asks a replica that was unavailable.
	pauseReplica = time.Second
)

// ErrBehind says that a replica doesn't have yet what its reader must see.
var ErrBehind = errors.New("the replica is behind")

// Replica is a server that repeats what the primary commits, and may be behind it. A reader names the positions that it
// must have reached (DB.Position); if it is behind or away, the primary is read. A nil Replica is none: the primary is
// read at once.
type Replica struct {
	pool *sqlx.DB
	now  func() time.Time
	log  *slog.Logger

	behind, away atomic.Int64 // until when, in ms: nobody waits for it; nobody asks it

	// Read, Behind and Away count the reads: at the replica, and at the primary since the replica was behind or away.
	Read, Behind, Away atomic.Int64
}

// OpenReplica returns the replica of db that a DSN names; connections is how many it opens at most. It connects on
// first use.
func (db *DB) OpenReplica(dsn string, connections int, now func() time.Time, log *slog.Logger) (*Replica, error) {
	cfg, err := mysqlConfig(dsn)
	if err != nil {
		return nil, err
	}
	pool, err := openMySQL(cfg, Pool{Writers: connections, LockWait: time.Second}, nil, db.open)
	if err != nil {
		return nil, err
	}
	return &Replica{pool: pool.Write, now: now, log: log}, nil
}

// Close closes the connections.
func (r *Replica) Close() error { return r.pool.Close() }

// Position returns where the primary's log of changes is: everything that was committed before is at most there. The
// form is the server's own, a set of GTIDs. It is "" if the server keeps no such log.
func (db *DB) Position(ctx context.Context) (position string, err error) {
	// MySQL reads the first comment, MariaDB the second.
	const query = `SELECT /*!80000 @@GLOBAL.gtid_executed */ /*M! @@GLOBAL.gtid_binlog_pos */`
	if err := db.Write.GetContext(ctx, &position, query); err != nil {
		return "", fmt.Errorf("read the position of the primary: %w", err)
	}
	return position, nil
}

// Has reports whether the primary has what a position of a primary, this one or a former one, stands for.
func (db *DB) Has(ctx context.Context, position string) (has bool, err error) {
	if strings.Contains(position, ":") { // MySQL's: <server>:<from>-<to>,…
		// MariaDB, which has no such function, reads the second comments and never runs this.
		const query = `SELECT /*!80000 GTID_SUBSET */ /*M! STRCMP */ (?,
			/*!80000 @@GLOBAL.gtid_executed */ /*M! @@GLOBAL.gtid_binlog_pos */)`
		if err = db.Write.GetContext(ctx, &has, query, position); err != nil {
			return false, fmt.Errorf("compare a position with the primary's: %w", err)
		}
		return has, nil
	}
	now, err := db.Position(ctx)
	if err != nil {
		return false, err
	}
	have := byDomain(now)
	for domain, sequence := range byDomain(position) {
		if have[domain] < sequence {
			return false, nil
		}
	}
	return true, nil
}

// byDomain returns the sequence numbers of a position of MariaDB, <domain>-<server>-<sequence>,…, by domain. What can't
// be read has the highest, which no server has.
func byDomain(position string) map[string]uint64 {
	sequences := map[string]uint64{}
	for gtid := range strings.SplitSeq(position, ",") {
		domain, rest, _ := strings.Cut(gtid, "-")
		_, text, _ := strings.Cut(rest, "-")
		sequence, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			sequence = math.MaxUint64
		}
		sequences[domain] = max(sequences[domain], sequence)
	}
	return sequences
}

// ErrNoPositions says that a primary keeps no log of changes with GTIDs, so that nobody knows what a replica has.
var ErrNoPositions = errors.New("the primary keeps no log of changes with GTIDs, so its replicas can't be read: " +
	"set log_bin and, on MySQL, gtid_mode=ON and enforce_gtid_consistency=ON")

// Check returns an error if the replica doesn't have what the primary has now, or doesn't get it soon.
func (r *Replica) Check(ctx context.Context, primary *DB) error {
	position, err := primary.Position(ctx)
	if err != nil {
		return err
	}
	if position == "" {
		return ErrNoPositions
	}
	return r.reach(ctx, r.pool, []string{position})
}

// ReadAt runs fn on the replica if that has reached the positions, or reaches them soon; otherwise, and after an error
// of fn there, on the primary. So fn may run twice. It has half a second at the replica. It returns ErrBehind if it
// finds that the replica lacks something.
func (r *Replica) ReadAt(
	ctx context.Context, primary *DB, positions []string, fn func(ctx context.Context, q sqlx.QueryerContext) error,
) error {
	if r != nil {
		err := r.ask(ctx, func() error {
			ctx, cancel := context.WithTimeout(ctx, askWithin)
			defer cancel()
			conn, err := r.pool.Connx(ctx)
			if err != nil {
				return fmt.Errorf("connect to the replica: %w", err)
			}
			defer func() { _ = conn.Close() }()
			if err := r.reach(ctx, conn, positions); err != nil {
				return err
			}
			return fn(ctx, conn)
		})
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
	return fn(ctx, primary.Read)
}

// ask runs fn unless the replica was away just now, and notes how that went.
func (r *Replica) ask(ctx context.Context, fn func() error) error {
	now := r.now().UnixMilli()
	if now < r.away.Load() {
		onReplicaSkipped.Mark()
		r.Away.Add(1)
		return ErrBehind
	}
	err := fn()
	switch {
	case err == nil:
		r.Read.Add(1)
	case errors.Is(err, ErrBehind):
		onReplicaBehind.Mark()
		r.Behind.Add(1)
	case ctx.Err() == nil: // else the reader gave up
		onReplicaAway.Mark()
		r.Away.Add(1)
		if r.away.Swap(r.now().Add(pauseReplica).UnixMilli()) < now-time.Minute.Milliseconds() {
			r.log.WarnContext(ctx, "the replica can't be read; the primary is read instead", "error", err)
		}
	}
	return err
}

// reach waits until the replica has reached the positions.
func (r *Replica) reach(ctx context.Context, q sqlx.QueryerContext, positions []string) error {
	patience := followedWithin
	if r.now().UnixMilli() < r.behind.Load() {
		patience = time.Millisecond
	}
	if slices.Contains(positions, "") {
		return ErrBehind
	}
	if len(positions) > 1 { // mostly it has all of them
		reached, err := waitFor(ctx, q, time.Millisecond, positions...)
		if reached || err != nil {
			return err
		}
	}
	for _, position := range positions {
		reached, err := waitFor(ctx, q, patience, position)
		if err != nil {
			return err
		}
		if !reached {
			r.behind.Store(r.now().Add(pauseReplica).UnixMilli())
			return ErrBehind
		}
	}
	return nil
}

// waitFor waits for positions one after the other, with the same limit for each, and reports whether the replica has
// all of them.
func waitFor(
	ctx context.Context, q sqlx.QueryerContext, patience time.Duration, positions ...string,
) (reached bool, err error) {
	// MySQL reads the first comment, MariaDB the second. The first that is not reached ends the statement.
	const one = `/*!80000 WAIT_FOR_EXECUTED_GTID_SET */ /*M! MASTER_GTID_WAIT */ (?, ?) = 0`
	args := make([]any, 0, 2*len(positions))
	for _, position := range positions {
		args = append(args, position, patience.Seconds())
	}
	var all sql.NullBool
	query := "SELECT " + strings.Repeat(one+" AND ", len(positions)-1) + one
	if err := sqlx.GetContext(ctx, q, &all, query, args...); err != nil {
		return false, fmt.Errorf("wait for the replica: %w", err)
	}
	return all.Bool, nil
}

// ViewsFrom returns db with views (InView, OpenView) and Bulk reads on the replica, once that has everything that the
// primary has when the view is opened or the statement runs; otherwise on the primary.
func (db *DB) ViewsFrom(r *Replica) *DB {
	return &DB{
		Dialect: db.Dialect, Write: db.Write, Read: db.Read, mysql: db.mysql, open: db.open, lockWait: db.lockWait,
		views: r,
	}
}

// openView begins a view on the replica.
func (r *Replica) openView(ctx context.Context, primary *DB) (tx *sqlx.Tx, err error) {
	position, err := primary.Position(ctx)
	if err != nil {
		return nil, err
	}
	err = r.ask(ctx, func() error {
		// The view lasts as long as its context, so only the wait for it is bounded.
		ctx, cancel := context.WithCancel(ctx)
		bound := time.AfterFunc(askWithin, cancel)
		if tx, err = r.pool.BeginTxx(ctx, viewOptions); err != nil {
			return fmt.Errorf("begin at the replica: %w", err)
		}
		err := r.reach(ctx, tx, []string{position})
		if !bound.Stop() && err == nil {
			err = context.DeadlineExceeded // the view has ended
		}
		if err != nil {
			return errors.Join(err, tx.Rollback())
		}
		return nil
	})
	return tx, err
}
