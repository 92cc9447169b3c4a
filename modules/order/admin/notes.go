package admin

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/idempotency"
	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// maxNotes bounds the notes of an order.
const maxNotes = 200

// noteTries is how often a note is stored with another id if its id is taken.
const noteTries = 5

// Note is what an operator wrote about an order. Buyers don't see it.
type Note struct {
	ID    oplog.ID     `db:"note_id" json:"note_id"`
	Order order.Number `db:"order_number" json:"order_number"`
	At    api.Millis   `db:"at_ms" json:"at"`
	Actor string       `db:"actor" json:"actor"`
	Text  string       `db:"note" json:"text"`
}

const noteColumns = `note_id, order_number, at_ms, actor, note`

// Notes keeps operators' notes on orders.
type Notes struct {
	db     *sqldb.DB
	now    func() time.Time
	random func() uint32
}

// NewNotes returns the notes in db.
func NewNotes(db *sqldb.DB, now func() time.Time, random func() uint32) *Notes {
	return &Notes{db, now, random}
}

// Add writes a note on a stored order. If there is no such order, the error is not_found; more than 200 notes are a
// conflict.
func (s *Notes) Add(ctx context.Context, n order.Number, actor, text string) (Note, error) {
	var note Note
	var err error
	for range noteTries {
		at := s.now()
		note = Note{
			ID: oplog.NewID(at, s.random()), Order: n, At: api.Millis(at.UnixMilli()), Actor: actor, Text: text,
		}
		err = s.db.InTx(ctx, func(tx *sqlx.Tx) error { return insertNote(ctx, tx, note) })
		if !sqldb.IsDuplicate(err) {
			break
		}
	}
	return note, err
}

func insertNote(ctx context.Context, tx *sqlx.Tx, note Note) error {
	// The lock makes operators who write notes on the same order wait for each other, so that the bound holds.
	if err := order.LockRow(ctx, tx, note.Order); err != nil {
		return err
	}
	var orders, notes int
	if err := tx.GetContext(ctx, &orders, `SELECT COUNT(*) FROM orders WHERE number = ?`, note.Order); err != nil {
		return fmt.Errorf("look up order %s: %w", note.Order, err)
	}
	if orders == 0 {
		return problem.NotFound("order")
	}
	if err := tx.GetContext(ctx, &notes, `SELECT COUNT(*) FROM order_notes WHERE order_number = ?`,
		note.Order); err != nil {
		return fmt.Errorf("count notes of order %s: %w", note.Order, err)
	}
	if notes >= maxNotes {
		return problem.Errorf(problem.CodeConflict, "The order has %d notes already.", notes)
	}
	const insert = `INSERT INTO order_notes (` + noteColumns + `) VALUES (?, ?, ?, ?, ?)`
	if _, err := tx.ExecContext(ctx, insert, note.ID, note.Order, int64(note.At), note.Actor, note.Text); err != nil {
		return fmt.Errorf("insert note of order %s: %w", note.Order, err)
	}
	if err := oplog.Record(ctx, tx,
		oplog.Entry{Action: "order.noted", On: "order:" + note.Order.String(), After: note}); err != nil {
		return err
	}
	return idempotency.Keep(ctx, tx, http.StatusCreated, note)
}

// Of returns the notes of an order, oldest first.
func (s *Notes) Of(ctx context.Context, n order.Number) ([]Note, error) {
	notes := []Note{}
	const query = `SELECT ` + noteColumns + ` FROM order_notes WHERE order_number = ? ORDER BY note_id`
	if err := s.db.Read.SelectContext(ctx, &notes, query, n); err != nil {
		return nil, fmt.Errorf("select notes of order %s: %w", n, err)
	}
	return notes, nil
}
