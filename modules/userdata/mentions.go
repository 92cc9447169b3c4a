package userdata

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"onrush/modules/ids"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// blockedUser begins the name of a user's block in the operators' log.
const blockedUser = "blocked:user:"

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

// selectEvents reads the events after an id that may name a user, from eventIDsAtOnce ids; no index has the user. next
// is the last id that was covered, or 0 at the end.
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
		WHERE id > ? AND id <= ? AND (user_id = ? OR (data <> '' AND INSTR(data, ?) > 0)) ORDER BY id`
	if err := sqlx.SelectContext(ctx, q, &rows, query, after, next, user, plainPart(user)); err != nil {
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
	for _, r := range rows {
		data, named, err := e.replaceIn(r.Data)
		if err != nil {
			return false, fmt.Errorf("read event %d: %w", r.ID, err)
		}
		if r.User == e.user {
			r.User, named = e.done.Pseudonym, true
		}
		if !named {
			continue
		}
		const update = `UPDATE events SET user_id = ?, data = ? WHERE id = ?`
		if _, err := tx.ExecContext(ctx, update, r.User, data, r.ID); err != nil {
			return false, fmt.Errorf("update event %d: %w", r.ID, err)
		}
	}
	const move = `UPDATE erasures SET events_upto = ? WHERE user_id = ?`
	if _, err := tx.ExecContext(ctx, move, next, e.user); err != nil {
		return false, fmt.Errorf("note how far the events are erased: %w", err)
	}
	return true, nil
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
		before, _, err := e.replaceIn(r.Before)
		if err != nil {
			return fmt.Errorf("read change %d: %w", r.ID, err)
		}
		after, _, err := e.replaceIn(r.After)
		if err != nil {
			return fmt.Errorf("read change %d: %w", r.ID, err)
		}
		if r.Action == "order.noted" {
			after = ""
		}
		const update = `UPDATE operator_log SET target = ?, before_value = ?, after_value = ? WHERE change_id = ?`
		if _, err := tx.ExecContext(ctx, update, rename(r.Target), before, after, r.ID); err != nil {
			return fmt.Errorf("update change %d: %w", r.ID, err)
		}
	}
	return nil
}

// replaceIn replaces the user in the texts of a JSON value: each that is the user id, or ends with it after
// ids.Separator, as the entries of the queue do.
func (e *erasure) replaceIn(text string) (replaced string, named bool, err error) {
	if text == "" {
		return "", false, nil
	}
	value, err := decode(text)
	if err != nil {
		return "", false, err
	}
	if value, named = replaceUser(value, e.user, e.done.Pseudonym); !named {
		return text, false, nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return "", false, err
	}
	return strings.TrimSuffix(out.String(), "\n"), true, nil
}

// decode reads a JSON value without rounding its numbers.
func decode(text string) (value any, err error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	err = dec.Decode(&value)
	return value, err
}

func replaceUser(value any, user, by string) (replaced any, named bool) {
	switch v := value.(type) {
	case string:
		if before, ok := strings.CutSuffix(v, user); ok && (before == "" || strings.HasSuffix(before, ids.Separator)) {
			return before + by, true
		}
	case []any:
		for i := range v {
			in, found := replaceUser(v[i], user, by)
			v[i], named = in, named || found
		}
	case map[string]any:
		for name := range v {
			in, found := replaceUser(v[name], user, by)
			v[name], named = in, named || found
		}
	}
	return value, named
}
