package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/oplog"
	"onrush/modules/sqldb"
)

// Stored are the settings as they are in SQL.
type Stored struct {
	Set       Values
	Version   int64
	UpdatedAt api.Millis // 0: nobody has changed them
}

// Store reads and changes the settings. Copies know of a change at their next Refresh.
type Store struct {
	db      *sqldb.DB
	now     func() time.Time
	isRoute func(route string) error
}

// NewStore returns a Store; isRoute returns an error for a text that is no route of buyers.
func NewStore(db *sqldb.DB, now func() time.Time, isRoute func(route string) error) *Store {
	return &Store{db: db, now: now, isRoute: isRoute}
}

// Get returns the settings.
func (s *Store) Get(ctx context.Context) (Stored, error) {
	stored, err := read(ctx, s.db.Read)
	return stored, sqldb.Problem(err, "read the settings")
}

// Change sets those of the values that are not nil, removes those that unset names, and returns all settings. from is
// the version that the caller saw; see oplog.Check. A change that changes nothing makes no version.
func (s *Store) Change(ctx context.Context, change Values, unset []string, from int64) (after Stored, err error) {
	if err := change.check(s.isRoute); err != nil {
		return Stored{}, err
	}
	err = s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE settings SET version = version WHERE id = 1`); err != nil {
			return fmt.Errorf("lock the settings: %w", err)
		}
		before, err := read(ctx, tx)
		if err != nil {
			return err
		}
		if err := oplog.Check(ctx, tx, "settings", from, before.Version); err != nil {
			return err
		}
		after = before
		after.Set = before.Set.with(change, unset)
		was, err := json.Marshal(before.Set)
		if err != nil {
			return err
		}
		body, err := json.Marshal(after.Set)
		if err != nil || string(body) == string(was) {
			return err
		}
		after.Version, after.UpdatedAt = before.Version+1, api.Millis(s.now().UnixMilli())
		const update = `UPDATE settings SET body = ?, version = ?, updated_ms = ? WHERE id = 1`
		if _, err := tx.ExecContext(ctx, update, string(body), after.Version, int64(after.UpdatedAt)); err != nil {
			return fmt.Errorf("update the settings: %w", err)
		}
		return oplog.Record(ctx, tx, oplog.Entry{
			Action: "settings.changed", On: "settings", Before: logged(before), After: logged(after),
		})
	})
	return after, sqldb.Problem(err, "change the settings")
}

// logged are settings as the operators' log has them.
func logged(s Stored) any {
	return struct {
		Values

		Version int64 `json:"version"`
	}{s.Set, s.Version}
}

func read(ctx context.Context, from sqlx.QueryerContext) (s Stored, err error) {
	var row struct {
		Body      string `db:"body"`
		Version   int64  `db:"version"`
		UpdatedMS int64  `db:"updated_ms"`
	}
	const query = `SELECT body, version, updated_ms FROM settings WHERE id = 1`
	if err := sqlx.GetContext(ctx, from, &row, query); err != nil {
		return s, fmt.Errorf("select the settings: %w", err)
	}
	if err := json.Unmarshal([]byte(row.Body), &s.Set); err != nil {
		return s, fmt.Errorf("read the settings: %w", err)
	}
	s.Version, s.UpdatedAt = row.Version, api.Millis(row.UpdatedMS)
	return s, nil
}
