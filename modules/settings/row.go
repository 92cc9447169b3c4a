package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/jmoiron/sqlx"

	"onrush/modules/oplog"
)

// absorb locks the row, merges what the instance knows into it, and makes the changes that wait, each with its entry in
// the operators' log, unless the log has it already.
func absorb(ctx context.Context, tx *sqlx.Tx, known *kept) (row Stored, err error) {
	if _, err := tx.ExecContext(ctx, `UPDATE settings SET version = version WHERE id = 1`); err != nil {
		return row, fmt.Errorf("lock the settings: %w", err)
	}
	if row, err = read(ctx, tx); err != nil {
		return row, err
	}
	if m := merge(row, known.Base); !m.is(&row) { // SQL has lost what it had
		row = m
		if err := write(ctx, tx, &row); err != nil {
			return row, err
		}
	}
	for i := range known.Waiting {
		c := &known.Waiting[i]
		recorded, err := c.By.Recorded(ctx, tx)
		if err == nil && !recorded {
			row, err = apply(ctx, tx, row, c)
		}
		if err != nil {
			return row, err
		}
	}
	return row, nil
}

// apply makes a change of the locked row, and writes it to the operators' log. It returns the settings after it. A
// change that was overtaken only goes to the log, with what it would have changed.
func apply(ctx context.Context, tx *sqlx.Tx, before Stored, c *change) (Stored, error) {
	action, after := "settings.changed", before.after(c)
	logged := after
	if after.Version == before.Version {
		action = "settings.overtaken"
		logged = Stored{Set: before.Set, Version: before.Version}.after(c)
	}
	if reflect.DeepEqual(before.Set, logged.Set) {
		return before, nil
	}
	if action == "settings.changed" {
		if err := write(ctx, tx, &after); err != nil {
			return before, err
		}
	}
	return after, oplog.Record(c.By.With(ctx), tx,
		oplog.Entry{Action: action, On: "settings", Before: entry(before), After: entry(logged)})
}

// entry are settings as the operators' log has them.
func entry(s Stored) any {
	return struct {
		Values

		Version int64 `json:"version"`
	}{s.Set, s.Version}
}

// body is the text of the row. Programs before Changed read the values alone.
type body struct {
	Values

	Changed map[string]int64 `json:"changed,omitempty"`
}

func write(ctx context.Context, tx *sqlx.Tx, s *Stored) error {
	text, err := json.Marshal(body{s.Set, s.Changed})
	if err != nil {
		return err
	}
	const update = `UPDATE settings SET body = ?, version = ?, updated_ms = ? WHERE id = 1`
	if _, err := tx.ExecContext(ctx, update, string(text), s.Version, s.UpdatedMS); err != nil {
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
	var b body
	if err := json.Unmarshal([]byte(row.Body), &b); err != nil {
		return s, fmt.Errorf("read the settings: %w", err)
	}
	return Stored{Set: b.Values, Version: row.Version, UpdatedMS: row.UpdatedMS, Changed: b.Changed}, nil
}
