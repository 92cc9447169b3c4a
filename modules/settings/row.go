package settings

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/oplog"
)

// absorb locks the row and makes the changes that wait in Redis, each with its entry in the operators' log, unless the
// log has it already. A row that is older than the base is replaced by it: SQL has lost what it had.
func absorb(ctx context.Context, tx *sqlx.Tx, k *kept) (row Stored, err error) {
	if _, err := tx.ExecContext(ctx, `UPDATE settings SET version = version WHERE id = 1`); err != nil {
		return row, fmt.Errorf("lock the settings: %w", err)
	}
	if row, err = read(ctx, tx); err != nil {
		return row, err
	}
	if k.Base.newer(&row) {
		row = k.Base
		if err := write(ctx, tx, &row); err != nil {
			return row, err
		}
	}
	for i := range k.Waiting {
		c := &k.Waiting[i]
		switch known, err := c.By.Recorded(ctx, tx); {
		case err != nil:
			return row, err
		case known:
		case c.AtMS <= row.UpdatedMS:
			err := oplog.Record(c.By.With(ctx), tx, oplog.Entry{
				Action: "settings.overtaken", On: "settings", Before: logged(row), After: logged(row.after(c)),
			})
			if err != nil {
				return row, err
			}
		default:
			if row, err = apply(ctx, tx, row, c); err != nil {
				return row, err
			}
		}
	}
	return row, nil
}

// apply makes a change of the locked row, and writes it to the operators' log. It returns the settings after it.
func apply(ctx context.Context, tx *sqlx.Tx, before Stored, c *change) (after Stored, err error) {
	after = before.after(c)
	if same, err := equal(before.Set, after.Set); err != nil || same {
		return before, err
	}
	if err := write(ctx, tx, &after); err != nil {
		return before, err
	}
	return after, oplog.Record(c.By.With(ctx), tx, oplog.Entry{
		Action: "settings.changed", On: "settings", Before: logged(before), After: logged(after),
	})
}

// logged are settings as the operators' log has them.
func logged(s Stored) any {
	return struct {
		Values

		Version int64 `json:"version"`
	}{s.Set, s.Version}
}

func write(ctx context.Context, tx *sqlx.Tx, s *Stored) error {
	body, err := json.Marshal(s.Set)
	if err != nil {
		return err
	}
	const update = `UPDATE settings SET body = ?, version = ?, updated_ms = ? WHERE id = 1`
	if _, err := tx.ExecContext(ctx, update, string(body), s.Version, s.UpdatedMS); err != nil {
		return fmt.Errorf("update the settings: %w", err)
	}
	return nil
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
	s.Version, s.UpdatedMS = row.Version, row.UpdatedMS
	return s, nil
}
