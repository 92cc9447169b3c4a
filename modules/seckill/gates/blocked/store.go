package blocked

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// maxEntries bounds the blocks in force, since every instance has them in memory.
const maxEntries = 100_000

// Entry is a block as operators see it.
type Entry struct {
	Kind      Kind       `db:"kind" json:"kind"`
	Subject   string     `db:"subject" json:"subject"`
	Reason    string     `db:"reason" json:"reason"`
	Until     api.Millis `db:"until_ms" json:"until,omitzero"` // 0: no end
	UpdatedAt api.Millis `db:"updated_ms" json:"updated_at"`
	Version   int64      `db:"version" json:"version"` // rises with each change
}

// Store changes and lists blocks. Gates know of a change at their next Refresh.
type Store struct {
	db         *sqldb.DB
	now        func() time.Time
	protected  []netip.Prefix
	maxEntries int
}

// NewStore returns a Store that blocks neither loopback addresses nor proxies.
func NewStore(db *sqldb.DB, now func() time.Time, proxies []netip.Prefix) *Store {
	return &Store{db: db, now: now, protected: slices.Concat(loopback, proxies), maxEntries: maxEntries}
}

// inForce selects blocks that are neither deleted nor over; its argument is the time in ms.
const inForce = `deleted = 0 AND (until_ms = 0 OR until_ms > ?)`

const entryColumns = `kind, subject, reason, until_ms, updated_ms, version`

// Put blocks a subject until a time, 0 for no end; if it is blocked already, reason and end are replaced. More than
// 100,000 blocks are a conflict. from is the version of the block that the caller saw; see oplog.Check.
func (s *Store) Put(
	ctx context.Context, subject Subject, reason string, until api.Millis, from int64,
) (after Entry, err error) {
	now := s.now().UnixMilli()
	if err := s.check(subject, until, now); err != nil {
		return Entry{}, err
	}
	err = s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		version, err := nextVersion(ctx, tx) // first: its lock makes writers wait for each other
		if err != nil {
			return err
		}
		if err := s.checkRoom(ctx, tx, subject, now); err != nil {
			return err
		}
		before, err := fromVersion(ctx, tx, subject, now, from)
		if err != nil {
			return err
		}
		const update = `UPDATE blocked SET reason = ?, until_ms = ?, updated_ms = ?, deleted = 0, version = ?
			WHERE kind = ? AND subject = ?`
		res, err := tx.ExecContext(ctx, update, reason, int64(until), now, version, subject.Kind, subject.Name)
		if err != nil {
			return fmt.Errorf("update block: %w", err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		after = Entry{
			Kind: subject.Kind, Subject: subject.Name, Reason: reason, Until: until, UpdatedAt: api.Millis(now),
			Version: version,
		}
		if n > 0 {
			return recordChange(ctx, tx, subject, before, &after)
		}
		const insert = `INSERT INTO blocked (reason, until_ms, updated_ms, deleted, version, kind, subject)
			VALUES (?, ?, ?, 0, ?, ?, ?)`
		if _, err = tx.ExecContext(ctx, insert, reason, int64(until), now, version, subject.Kind,
			subject.Name); err != nil {
			return err
		}
		return recordChange(ctx, tx, subject, nil, &after)
	})
	if err != nil {
		return Entry{}, err
	}
	return after, nil
}

// check refuses blocks that would lock out the platform itself, and those that are over already.
func (s *Store) check(subject Subject, until api.Millis, now int64) error {
	if until != 0 && int64(until) <= now {
		return problem.Invalid("until", "must be in the future")
	}
	if subject.Kind != Address {
		return nil
	}
	network, err := parseNetwork(subject.Name)
	if err != nil {
		return problem.Invalid(field, "must be an address or a network")
	}
	if other, bad := overlap(network, s.protected); bad {
		return problem.Invalid(field, "contains addresses of %s, which is this machine or a trusted proxy", other)
	}
	return nil
}

// checkRoom refuses a new block if there are too many.
func (s *Store) checkRoom(ctx context.Context, tx *sqlx.Tx, subject Subject, now int64) error {
	var known, entries int
	const one = `SELECT COUNT(*) FROM blocked WHERE kind = ? AND subject = ? AND ` + inForce
	if err := tx.GetContext(ctx, &known, one, subject.Kind, subject.Name, now); err != nil || known > 0 {
		return err
	}
	if err := tx.GetContext(ctx, &entries, `SELECT COUNT(*) FROM blocked WHERE `+inForce, now); err != nil {
		return fmt.Errorf("count blocks: %w", err)
	}
	if entries >= s.maxEntries {
		return problem.Errorf(problem.CodeConflict,
			"There are %d blocks already; delete some, or block networks.", entries)
	}
	return nil
}

// nextVersion returns a version above all others, and locks out other writers until the transaction ends.
func nextVersion(ctx context.Context, tx *sqlx.Tx) (version int64, err error) {
	if _, err := tx.ExecContext(ctx, `UPDATE blocked_head SET version = version + 1 WHERE id = 1`); err != nil {
		return 0, fmt.Errorf("take a version: %w", err)
	}
	if err := tx.GetContext(ctx, &version, `SELECT version FROM blocked_head WHERE id = 1`); err != nil {
		return 0, fmt.Errorf("read the version: %w", err)
	}
	return version, nil
}

var errNotFound = problem.NotFound("block")

// Delete ends a block; without one in force the error is not_found. from is as in Put.
func (s *Store) Delete(ctx context.Context, subject Subject, from int64) error {
	now := s.now().UnixMilli()
	err := s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		version, err := nextVersion(ctx, tx)
		if err != nil {
			return err
		}
		before, err := fromVersion(ctx, tx, subject, now, from)
		if err != nil {
			return err
		}
		const update = `UPDATE blocked SET deleted = 1, updated_ms = ?, version = ?
			WHERE kind = ? AND subject = ? AND ` + inForce
		res, err := tx.ExecContext(ctx, update, now, version, subject.Kind, subject.Name, now)
		if err != nil {
			return fmt.Errorf("delete block: %w", err)
		}
		n, err := res.RowsAffected()
		if err == nil && n == 0 {
			return errNotFound
		}
		if err != nil {
			return err
		}
		return recordChange(ctx, tx, subject, before, nil)
	})
	return err
}

// Get returns the block of a subject; without one in force the error is not_found. For an address it doesn't look for
// blocked networks that contain it.
func (s *Store) Get(ctx context.Context, subject Subject) (e Entry, err error) {
	const query = `SELECT ` + entryColumns + ` FROM blocked WHERE kind = ? AND subject = ? AND ` + inForce
	err = s.db.Read.GetContext(ctx, &e, query, subject.Kind, subject.Name, s.now().UnixMilli())
	if errors.Is(err, sql.ErrNoRows) {
		return e, errNotFound
	}
	return e, err
}

// Filter selects blocks; zero values select all. From (inclusive) and To (exclusive) select by the last change.
type Filter struct {
	Kind     Kind
	From, To api.Millis
}

// List lists the blocks in force: addresses, then users, by their names. By page number it has their total number.
// There are at most 100,000, so no filter needs an index.
func (s *Store) List(ctx context.Context, f Filter, page api.KeyPage) (api.List[Entry], error) {
	list := api.List[Entry]{Page: page.Page, PageSize: page.Size}
	var w sqldb.Where
	w.And(inForce, s.now().UnixMilli())
	w.AndIf(f.Kind != "", "kind = ?", f.Kind)
	w.AndIf(f.From != 0, "updated_ms >= ?", int64(f.From))
	w.AndIf(f.To != 0, "updated_ms < ?", int64(f.To))
	all := w
	if page.After != "" {
		keys, ok := api.ParseCursor(page.After, 2)
		if !ok {
			return list, problem.Invalid("after", "must be the next_cursor of a page of this list")
		}
		w.And("kind >= ? AND (kind > ? OR subject > ?)", keys[0], keys[0], keys[1])
	}
	err := s.db.InView(ctx, func(tx *sqlx.Tx) error {
		if page.After == "" {
			var total int64
			if err := tx.GetContext(ctx, &total, `SELECT COUNT(*) FROM blocked`+all.String(),
				all.Args()...); err != nil {
				return fmt.Errorf("count blocks: %w", err)
			}
			list.Total = &total
		}
		query := `SELECT ` + entryColumns + ` FROM blocked` + w.String() + ` ORDER BY kind, subject LIMIT ? OFFSET ?`
		if err := tx.SelectContext(ctx, &list.Items, query, w.Args(page.Size+1, page.Offset())...); err != nil {
			return fmt.Errorf("select blocks: %w", err)
		}
		return nil
	})
	if len(list.Items) > page.Size {
		list.Items = list.Items[:page.Size]
		last := list.Items[page.Size-1]
		list.NextCursor = api.FormatCursor(string(last.Kind), last.Subject)
	}
	return list, err
}
