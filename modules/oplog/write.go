package oplog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// Entry is one change of one thing by an operator. Action is a kind of thing and what was done to it, such as
// sku.deleted; On names the thing by kind and id, such as sku:lamp. Before and After are written as JSON; nil means
// that there was or is nothing.
type Entry struct {
	Action, On    string
	Before, After any
}

// Recorder gives the ids and times of entries.
type Recorder struct {
	now    func() time.Time
	random func() uint32
}

// NewRecorder returns a Recorder.
func NewRecorder(now func() time.Time, random func() uint32) *Recorder { return &Recorder{now, random} }

// operator is who makes the changes of a request, and from which address.
type operator struct {
	recorder       *Recorder
	user, clientIP string
}

type operatorKey struct{}

// By returns a context in which Record writes entries as made by an operator.
func (r *Recorder) By(ctx context.Context, user, clientIP string) context.Context {
	return context.WithValue(ctx, operatorKey{}, operator{r, user, clientIP})
}

const (
	// maxValue is the longest value that is kept, in bytes. A sale with very many stock points is longer.
	maxValue = 64 << 10
	// rowsAtOnce and bytesAtOnce bound one INSERT; bytesAtOnce is well below any max_allowed_packet.
	rowsAtOnce, bytesAtOnce = 100, 256 << 10
	// idTries is how often an INSERT is tried with other ids if one of them is taken.
	idTries = 5
)

// row is a row of operator_log without its id.
type row struct{ action, target, before, after string }

// Record writes entries in the transaction that makes the changes. Without an operator in ctx it does nothing. A value
// whose JSON is longer than 64 KiB is replaced by {"omitted_bytes": n}.
func Record(ctx context.Context, tx *sqlx.Tx, made ...Entry) error {
	by, ok := ctx.Value(operatorKey{}).(operator)
	if !ok {
		return nil
	}
	rows := make([]row, 0, min(len(made), rowsAtOnce))
	size := 0
	for _, c := range made {
		r := row{action: c.Action, target: c.On}
		var err error
		if r.before, err = valueOf(c.Before); err == nil {
			r.after, err = valueOf(c.After)
		}
		if err != nil {
			return fmt.Errorf("write the change %s of %s as JSON: %w", c.Action, c.On, err)
		}
		rows = append(rows, r)
		if size += len(r.before) + len(r.after); size >= bytesAtOnce || len(rows) == rowsAtOnce {
			if err := by.insert(ctx, tx, rows); err != nil {
				return err
			}
			rows, size = rows[:0], 0
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return by.insert(ctx, tx, rows)
}

func valueOf(value any) (string, error) {
	if value == nil {
		return "", nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	if len(text) > maxValue {
		return fmt.Sprintf(`{"omitted_bytes":%d}`, len(text)), nil
	}
	return string(text), nil
}

// insert writes rows with one statement. The ids are partly random; if one is taken, only the statement fails, and
// it is tried with others.
func (o operator) insert(ctx context.Context, tx *sqlx.Tx, rows []row) error {
	const insert = `INSERT INTO operator_log (change_id, at_ms, actor, client_ip, action, target, before_value,
		after_value) VALUES `
	at := o.recorder.now()
	args := make([]any, 0, 8*len(rows))
	for try := 1; ; try++ {
		args = args[:0]
		first := o.recorder.random()
		for i, r := range rows {
			id := NewID(at, first+uint32(i))
			args = append(args, id, at.UnixMilli(), o.user, o.clientIP, r.action, r.target, r.before, r.after)
		}
		_, err := tx.ExecContext(ctx, insert+sqldb.Repeat("(?,?,?,?,?,?,?,?)", len(rows)), slices.Clone(args)...)
		if err == nil {
			return nil
		}
		if try == idTries || !sqldb.IsDuplicate(err) {
			return fmt.Errorf("insert %d changes: %w", len(rows), err)
		}
	}
}
