package eligible

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/oplog"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

const (
	// MaxAdded bounds the users of one request.
	MaxAdded = 10_000
	// MaxListed bounds the users on a list.
	MaxListed = 1_000_000
	// MaxMade bounds the codes that one request makes, maxCodes the codes of a sale.
	MaxMade, maxCodes = 10_000, 1_000_000
	// maxDeleted bounds the rows of each table that are deleted with a sale.
	maxDeleted = 10_000
	// rowsAtOnce is how many rows one statement looks up or deletes.
	rowsAtOnce = 1000
)

// Store changes the lists and codes of sales for operators.
type Store struct {
	db *sqldb.DB
	// forget is called with an activity that was changed.
	forget func(activity string)
}

// NewStore returns a Store; forget makes this instance read an activity again.
func NewStore(db *sqldb.DB, forget func(activity string)) *Store { return &Store{db, forget} }

// Summary is what operators see of the list and the codes of a sale.
type Summary struct {
	Buyers int64 `json:"buyers"` // on the list
	Codes  int64 `json:"codes"`
	Uses   int64 `json:"uses"` // that all codes allow together
	Used   int64 `json:"used"`
}

// Summary counts the list and the codes of a sale.
func (s *Store) Summary(ctx context.Context, activity string) (sum Summary, err error) {
	const query = `SELECT (SELECT COUNT(*) FROM sale_buyers WHERE activity_id = activities.activity_id
		AND version > activities.listed_from) AS buyers FROM activities WHERE activity_id = ?`
	if err := s.db.Read.GetContext(ctx, &sum.Buyers, query, activity); err != nil {
		return Summary{}, notFound(err, "count the buyers of")
	}
	const codes = `SELECT COUNT(*), COALESCE(SUM(uses), 0), COALESCE(SUM(used), 0) FROM sale_codes
		WHERE activity_id = ?`
	if err := s.db.Read.QueryRowxContext(ctx, codes, activity).Scan(&sum.Codes, &sum.Uses, &sum.Used); err != nil {
		return Summary{}, fmt.Errorf("count the codes of a sale: %w", err)
	}
	return sum, nil
}

func notFound(err error, what string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return problem.NotFound("activity")
	}
	return fmt.Errorf("%s a sale: %w", what, err)
}

// Added is what became of users who were to be put on a list.
type Added struct {
	Added  int   `json:"added"`  // who were not on it
	Buyers int64 `json:"buyers"` // who are on it now
}

// Add puts users on the list of a sale that has not gone offline. Users who are on it stay. Redis knows of them when
// Filler has run.
func (s *Store) Add(ctx context.Context, activity string, users []string) (done Added, err error) {
	users = slices.Compact(slices.Sorted(slices.Values(users)))
	err = s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		version, from, err := s.next(ctx, tx, activity, `listed = listed + 1`)
		if err != nil {
			return err
		}
		done = Added{}
		for part := range slices.Chunk(users, rowsAtOnce) {
			n, err := addPart(ctx, tx, activity, part, version, from)
			if err != nil {
				return err
			}
			done.Added += n
		}
		const count = `SELECT COUNT(*) FROM sale_buyers WHERE activity_id = ? AND version > ?`
		if err := tx.GetContext(ctx, &done.Buyers, count, activity, from); err != nil {
			return fmt.Errorf("count the buyers of a sale: %w", err)
		}
		if done.Buyers > MaxListed {
			return problem.Errorf(problem.CodeConflict, "A list has at most %d buyers.", MaxListed)
		}
		return record(ctx, tx, activity, "buyers_added", map[string]int64{"added": int64(done.Added)})
	})
	if err == nil {
		s.forget(activity)
	}
	return done, err
}

// next locks the row of a sale, changes its list's versions, and returns them.
func (s *Store) next(
	ctx context.Context, tx *sqlx.Tx, activity, set string,
) (version, from int64, err error) {
	update := `UPDATE activities SET ` + set + ` WHERE activity_id = ? AND state <> 'offline'`
	res, err := tx.ExecContext(ctx, update, activity)
	if err != nil {
		return 0, 0, fmt.Errorf("change the list of a sale: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return 0, 0, fmt.Errorf("change the list of a sale: %w", err)
	}
	const query = `SELECT listed, listed_from FROM activities WHERE activity_id = ?`
	if err := tx.QueryRowxContext(ctx, query, activity).Scan(&version, &from); err != nil {
		return 0, 0, notFound(err, "read the list of")
	}
	if n == 0 {
		return 0, 0, problem.Errorf(problem.CodeConflict, "The activity is permanently offline.")
	}
	return version, from, nil
}

// addPart adds the users who are not on a list yet, and returns how many they are.
func addPart(
	ctx context.Context, tx *sqlx.Tx, activity string, users []string, version, from int64,
) (added int, err error) {
	in := `activity_id = ? AND user_id IN (` + sqldb.In(len(users)) + `)`
	args := append([]any{activity}, sqldb.Args(users)...)
	// Rows of the list before it was emptied may be left.
	if _, err := tx.ExecContext(ctx, `DELETE FROM sale_buyers WHERE `+in+` AND version <= ?`,
		append(slices.Clone(args), from)...); err != nil {
		return 0, fmt.Errorf("delete former buyers of a sale: %w", err)
	}
	var has []string
	if err := tx.SelectContext(ctx, &has, `SELECT user_id FROM sale_buyers WHERE `+in, args...); err != nil {
		return 0, fmt.Errorf("select the buyers of a sale: %w", err)
	}
	slices.Sort(has)
	var rows []any
	for _, user := range users {
		if _, on := slices.BinarySearch(has, user); !on {
			rows = append(rows, activity, user, version)
		}
	}
	if len(rows) == 0 {
		return 0, nil
	}
	const insert = `INSERT INTO sale_buyers (activity_id, user_id, version) VALUES`
	if err := sqldb.Insert(ctx, tx, insert, "(?,?,?)", rows); err != nil {
		return 0, fmt.Errorf("insert the buyers of a sale: %w", err)
	}
	return len(rows) / 3, nil
}

// Clear empties the list of a sale.
func (s *Store) Clear(ctx context.Context, activity string) error {
	err := s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		// MySQL assigns from left to right, and SQLite all at once: neither may read what the other has set.
		if _, _, err := s.next(ctx, tx, activity, `listed = listed + 1`); err != nil {
			return err
		}
		if _, _, err := s.next(ctx, tx, activity, `listed_from = listed`); err != nil {
			return err
		}
		return record(ctx, tx, activity, "buyers_removed", nil)
	})
	if err == nil {
		s.forget(activity)
	}
	return err
}

// Delete deletes the list and the codes of a draft that is deleted in the same transaction: another sale may get its
// id. The error is a conflict if there are too many rows for that.
func Delete(ctx context.Context, tx *sqlx.Tx, activity string) error {
	for _, table := range []string{"sale_buyers", "sale_codes", "sale_code_uses"} {
		var rows int
		count := `SELECT COUNT(*) FROM (SELECT activity_id FROM ` + table + ` WHERE activity_id = ? LIMIT ?) AS counted`
		if err := tx.GetContext(ctx, &rows, count, activity, maxDeleted+1); err != nil {
			return fmt.Errorf("count the rows of a sale in %s: %w", table, err)
		}
		if rows > maxDeleted {
			return problem.Errorf(problem.CodeConflict, "The draft has more than %d buyers on its list, or codes. "+
				"Empty the list first; its rows are gone after some minutes.", maxDeleted)
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE activity_id = ?`, activity); err != nil {
			return fmt.Errorf("delete the rows of a sale from %s: %w", table, err)
		}
	}
	return nil
}

// DeleteOld deletes, page by page, rows of lists that were emptied, and the lists and codes of sales that are retired.
// It returns how many rows it deleted.
func (s *Store) DeleteOld(ctx context.Context) (deleted int, err error) {
	for _, old := range []struct{ table, column, where, still string }{
		{
			"sale_buyers", "user_id", // of a list that was never emptied, no row is read
			`activities.listed_from > 0 AND sale_buyers.version <= activities.listed_from OR activities.retired_ms > 0`,
			// A user who was put on the list again meanwhile has a newer version.
			` AND EXISTS (SELECT 1 FROM activities WHERE activity_id = sale_buyers.activity_id
				AND (retired_ms > 0 OR listed_from >= sale_buyers.version))`,
		},
		{"sale_codes", "digest", `activities.retired_ms > 0`, ``},
		{"sale_code_uses", "user_id", `activities.retired_ms > 0`, ``},
	} {
		var rows []struct {
			Activity string `db:"activity_id"`
			Name     string `db:"name"`
		}
		query := `SELECT activities.activity_id, ` + old.table + `.` + old.column + ` AS name FROM activities
			JOIN ` + old.table + ` ON ` + old.table + `.activity_id = activities.activity_id
			WHERE (activities.eligibility <> '' OR activities.reserved_for <> '' OR activities.listed > 0)
			AND (` + old.where + `) LIMIT ?`
		if err := s.db.Read.SelectContext(ctx, &rows, query, rowsAtOnce); err != nil {
			return deleted, fmt.Errorf("select old rows of %s: %w", old.table, err)
		}
		of := map[string][]any{}
		for _, r := range rows {
			of[r.Activity] = append(of[r.Activity], r.Name)
		}
		for activity, names := range of {
			remove := `DELETE FROM ` + old.table + ` WHERE activity_id = ? AND ` + old.column + ` IN (` +
				sqldb.In(len(names)) + `)` + old.still
			err := s.db.InTx(ctx, func(tx *sqlx.Tx) error {
				_, err := tx.ExecContext(ctx, remove, append([]any{activity}, names...)...)
				return err
			})
			if err != nil {
				return deleted, fmt.Errorf("delete old rows of %s: %w", old.table, err)
			}
		}
		deleted += len(rows)
	}
	return deleted, nil
}

// MakeCodes makes codes of a sale, each for a number of buyers, and returns them: nobody can read them later.
func (s *Store) MakeCodes(ctx context.Context, activity string, n, uses int) (made []string, err error) {
	made = make([]string, n)
	rows := make([]any, 0, 3*n)
	for i := range made {
		made[i] = newCode()
		rows = append(rows, activity, digestOf(activity, made[i]), uses)
	}
	err = s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if _, _, err := s.next(ctx, tx, activity, `listed = listed`); err != nil {
			return err
		}
		var had int
		const count = `SELECT COUNT(*) FROM sale_codes WHERE activity_id = ?`
		if err := tx.GetContext(ctx, &had, count, activity); err != nil {
			return fmt.Errorf("count the codes of a sale: %w", err)
		}
		if had+n > maxCodes {
			return problem.Errorf(problem.CodeConflict, "A sale has at most %d codes; it has %d.", maxCodes, had)
		}
		const insert = `INSERT INTO sale_codes (activity_id, digest, uses, used) VALUES`
		if err := sqldb.Insert(ctx, tx, insert, "(?,?,?,0)", rows); err != nil {
			return fmt.Errorf("insert the codes of a sale: %w", err)
		}
		return record(ctx, tx, activity, "codes_made", map[string]int64{"codes": int64(n), "uses": int64(uses)})
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// RevokeCodes lets nobody else use codes, as people see them, and returns how many of them the sale has. Who has used
// one may go on.
func (s *Store) RevokeCodes(ctx context.Context, activity string, codes []string) (revoked int64, err error) {
	digests := make([]string, len(codes))
	for i, code := range codes {
		digests[i] = digestOf(activity, code)
	}
	digests = slices.Compact(slices.Sorted(slices.Values(digests)))
	err = s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		revoked = 0
		if _, _, err := s.next(ctx, tx, activity, `listed = listed`); err != nil {
			return err
		}
		for part := range slices.Chunk(digests, rowsAtOnce) {
			in := `activity_id = ? AND digest IN (` + sqldb.In(len(part)) + `)`
			args := append([]any{activity}, sqldb.Args(part)...)
			var has int64
			if err := tx.GetContext(ctx, &has, `SELECT COUNT(*) FROM sale_codes WHERE `+in, args...); err != nil {
				return fmt.Errorf("count the codes to revoke: %w", err)
			}
			if _, err := tx.ExecContext(ctx, `UPDATE sale_codes SET uses = used WHERE `+in, args...); err != nil {
				return fmt.Errorf("revoke codes: %w", err)
			}
			revoked += has
		}
		return record(ctx, tx, activity, "codes_revoked", map[string]int64{"codes": revoked})
	})
	return revoked, err
}

// record records a change of the list or the codes of a sale, without the buyers and the codes.
func record(ctx context.Context, tx *sqlx.Tx, activity, action string, after any) error {
	return oplog.Record(ctx, tx, oplog.Entry{Action: "activity." + action, On: "activity:" + activity, After: after})
}
