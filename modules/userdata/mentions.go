package userdata

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"onrush/modules/journal"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// eventIDsAtOnce is how many ids of events one page covers.
const eventIDsAtOnce = 5000

// eventRow is a row of events that may belong to a user.
type eventRow struct {
	ID      int64  `db:"id"`
	Type    string `db:"type"`
	Subject string `db:"subject"`
	User    string `db:"user_id"`
	Events  int64  `db:"events"`
	AtMS    int64  `db:"at_ms"`
	Data    string `db:"data"`
}

// selectEvents reads the rows of events after an id that may be of a user, from eventIDsAtOnce ids; no index has the
// user. next is the last id that was covered, or 0 at the end.
func selectEvents(ctx context.Context, q sqlx.QueryerContext, user string, after int64) (
	rows []eventRow, next int64, err error,
) {
	var first, last int64
	const ends = `SELECT COALESCE(MIN(id), 0), COALESCE(MAX(id), 0) FROM events`
	if err := q.QueryRowxContext(ctx, ends).Scan(&first, &last); err != nil {
		return nil, 0, fmt.Errorf("read the ids of events: %w", err)
	}
	if after = max(after, first-1); after >= last {
		return nil, 0, nil
	}
	next = after + eventIDsAtOnce
	const query = `SELECT id, type, subject, user_id, events, at_ms, data FROM events
		WHERE id > ? AND id <= ? AND (user_id = ? OR ((events > 1 OR type = ?) AND INSTR(data, ?) > 0)) ORDER BY id`
	if err := sqlx.SelectContext(ctx, q, &rows, query, after, next, user, journal.ReminderDue,
		plainPart(user)); err != nil {
		return nil, 0, fmt.Errorf("select events: %w", err)
	}
	return rows, next, nil
}

// plainPart returns the longest part of a user id that JSON writes as it is, however it escapes.
func plainPart(user string) (longest string) {
	for _, part := range strings.FieldsFunc(user, func(r rune) bool {
		return r >= 0x80 || !strings.ContainsRune("._:-@", r) && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' ||
			r > 'z')
	}) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// eventPage erases the user from a page of the events.
func (e *erasure) eventPage(ctx context.Context, tx *sqlx.Tx) (more bool, err error) {
	var after int64
	const upto = `SELECT events_upto FROM erasures WHERE user_id = ?`
	if err := tx.GetContext(ctx, &after, upto, e.user); err != nil {
		return false, fmt.Errorf("read how far the events are erased: %w", err)
	}
	rows, next, err := selectEvents(ctx, tx, e.user, after)
	if err != nil || next == 0 {
		return false, err
	}
	for i := range rows {
		r := &rows[i]
		changed, err := e.forgetEvent(r)
		if err != nil {
			return false, fmt.Errorf("read event %d: %w", r.ID, err)
		}
		if !changed {
			continue
		}
		const update = `UPDATE events SET user_id = ?, data = ? WHERE id = ?`
		if _, err := tx.ExecContext(ctx, update, r.User, r.Data, r.ID); err != nil {
			return false, fmt.Errorf("update event %d: %w", r.ID, err)
		}
	}
	const move = `UPDATE erasures SET events_upto = ? WHERE user_id = ?`
	if _, err := tx.ExecContext(ctx, move, next, e.user); err != nil {
		return false, fmt.Errorf("note how far the events are erased: %w", err)
	}
	return true, nil
}

// forgetEvent erases the user from a row of events, and reports whether it has an event of the user.
func (e *erasure) forgetEvent(r *eventRow) (changed bool, err error) {
	if r.Events > 1 {
		r.Data, changed, err = journal.Rename(r.Data, r.Events, e.user, e.done.Pseudonym)
		return changed, err
	}
	switch {
	case r.Type == journal.ReminderDue:
		had := r.Data
		r.Data, err = e.without(had, eventFields[r.Type])
		return r.Data != had, err
	case r.User != e.user:
		return false, nil
	}
	r.User = e.done.Pseudonym
	r.Data, err = e.without(r.Data, eventFields[r.Type])
	return true, err
}

// orderLog erases the user from the operators' log of orders: the texts of notes, and dead entries of the queue.
func (e *erasure) orderLog(ctx context.Context, tx *sqlx.Tx, numbers []order.Number) error {
	targets := make([]string, 0, 2*len(numbers))
	for _, n := range numbers {
		targets = append(targets, "order:"+n.String(), fmt.Sprintf("dead:%d-%s", n.Lane(), n))
	}
	return e.logOf(ctx, tx, targets, func(target string) string { return target })
}

// blockedLog erases the user from the operators' log of blocks. A block itself stays until it ends.
func (e *erasure) blockedLog(ctx context.Context, tx *sqlx.Tx) (more bool, err error) {
	named := []string{blockedUser + e.user}
	return false, e.logOf(ctx, tx, named, func(string) string { return blockedUser + e.done.Pseudonym })
}

// logOf erases the user from the entries of targets in the operators' log.
func (e *erasure) logOf(ctx context.Context, tx *sqlx.Tx, targets []string, rename func(string) string) error {
	if len(targets) == 0 {
		return nil
	}
	var rows []struct {
		ID     int64  `db:"change_id"`
		Action string `db:"action"`
		Target string `db:"target"`
		Before string `db:"before_value"`
		After  string `db:"after_value"`
	}
	query := `SELECT change_id, action, target, before_value, after_value FROM operator_log
		WHERE target IN (` + sqldb.In(len(targets)) + `)`
	if err := tx.SelectContext(ctx, &rows, query, sqldb.Args(targets)...); err != nil {
		return fmt.Errorf("select operators' changes: %w", err)
	}
	for _, r := range rows {
		before, after, err := e.forgetValues(r.Action, r.Before, r.After)
		if err != nil {
			return fmt.Errorf("read change %d: %w", r.ID, err)
		}
		target := rename(r.Target)
		if target == r.Target && before == r.Before && after == r.After {
			continue
		}
		const update = `UPDATE operator_log SET target = ?, before_value = ?, after_value = ? WHERE change_id = ?`
		if _, err := tx.ExecContext(ctx, update, target, before, after, r.ID); err != nil {
			return fmt.Errorf("update change %d: %w", r.ID, err)
		}
	}
	return nil
}

// forgetValues erases the user from the values of a change. A newer version may have written an action that is not
// known here: its values go.
func (e *erasure) forgetValues(action, before, after string) (string, string, error) {
	fields, known := logFields[action]
	if !known {
		return "", "", nil
	}
	before, err := e.without(before, fields)
	if err == nil {
		after, err = e.without(after, fields)
	}
	return before, after, err
}

// without returns the text of a JSON object with the pseudonym in the fields that have the user.
func (e *erasure) without(text string, fields []field) (string, error) {
	if text == "" || len(fields) == 0 {
		return text, nil
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return "", err
	}
	if !replace(value, fields, e.user, e.done.Pseudonym) {
		return text, nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return "", err
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}
