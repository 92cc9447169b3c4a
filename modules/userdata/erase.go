package userdata

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill/draw"
	"onrush/modules/seckill/remind"
	"onrush/modules/seckill/waitlist"
	"onrush/modules/sqldb"
)

const (
	// rowsAtOnce is how many orders or payments one transaction erases.
	rowsAtOnce = 100
	// maxRounds is how often an erasure starts over because the buyer did something meanwhile.
	maxRounds = 3
)

// Erased is what an erasure has done: how many rows have the pseudonym, or were deleted.
type Erased struct {
	Pseudonym string `json:"pseudonym,omitempty" db:"pseudonym"` // "" if nothing was stored since the last erasure
	Orders    int64  `json:"orders" db:"orders"`
	Payments  int64  `json:"payments" db:"payments"`
	Addresses int64  `json:"addresses" db:"addresses"`
	// Partial is true if an instance didn't confirm that it forgot the user's refusals. It forgets them within a day.
	Partial bool `json:"partial" db:"-"`
}

var (
	// errFinished says that another call has finished the erasure.
	errFinished = errors.New("another call has finished the erasure")
	// errMore says that something of the user was stored during the erasure.
	errMore = errors.New("something was stored meanwhile")
)

// Erase erases a user. While something is in flight, the error is a conflict. After another error, a repeated call goes
// on. The erasure of a user who was erased, and of whom nothing was stored since, does nothing.
func (s *Service) Erase(ctx context.Context, user string) (Erased, error) {
	done, err := s.eraseStored(ctx, user)
	if err == nil {
		done.Partial = !s.trails.Forget(ctx, user)
	}
	return done, err
}

// eraseStored erases what SQL has of a user.
func (s *Service) eraseStored(ctx context.Context, user string) (Erased, error) {
	for range maxRounds {
		if err := s.requireSettled(ctx, user); err != nil {
			return Erased{}, err
		}
		e, err := s.begin(ctx, user)
		if err != nil || e == nil {
			return Erased{}, unavailable(err)
		}
		err = e.run(ctx)
		switch {
		case err == nil, errors.Is(err, errFinished):
			return e.done, nil
		case !errors.Is(err, errMore):
			return Erased{}, unavailable(err)
		}
	}
	return Erased{}, problem.Errorf(problem.CodeConflict,
		"The user can't be erased yet: something new is stored again and again. Block the user first.")
}

// erasure is one call of Erase.
type erasure struct {
	*Service

	user string
	done Erased
	upto order.Number // later orders may have something in flight
}

// begin inserts the row of an erasure, or reads the row of an earlier call; it returns nil if the user was erased and
// nothing was stored since. The first erasure of a user also covers orders that are stored later and name the user as
// their inviter (order.ErasedDigest): some of them may still wait in Redis.
func (s *Service) begin(ctx context.Context, user string) (*erasure, error) {
	e := &erasure{Service: s, user: user}
	err := s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if known, err := e.read(ctx, tx); err != nil || known {
			return err
		}
		return e.start(ctx, tx)
	})
	if sqldb.IsDuplicate(err) { // another call was faster
		var known bool
		if known, err = e.read(ctx, s.db.Write); err == nil && !known {
			return nil, nil //nolint:nilnil // it has also finished
		}
	}
	if err != nil || e.done.Pseudonym == "" {
		return nil, err
	}
	const last = `SELECT COALESCE(MAX(number), 0) FROM (SELECT MAX(number) AS number FROM orders WHERE user_id = ?
		UNION ALL SELECT MAX(number) FROM orders_archive WHERE user_id = ?) AS last`
	if err := s.db.Write.GetContext(ctx, &e.upto, last, user, user); err != nil {
		return nil, fmt.Errorf("select the user's last order: %w", err)
	}
	return e, s.faults.After("erase_begin")
}

// start inserts the row of a new erasure, unless nothing is stored since the last one. The pseudonym stays the same.
func (e *erasure) start(ctx context.Context, tx *sqlx.Tx) error {
	digest := order.ErasedDigest(e.user)
	var last []string
	const query = `SELECT pseudonym FROM erased_users WHERE user_digest = ?`
	if err := tx.SelectContext(ctx, &last, query, digest); err != nil {
		return fmt.Errorf("look for the last erasure: %w", err)
	}
	if len(last) == 1 {
		if left, err := e.left(ctx, tx); err != nil || !left {
			return err
		}
		e.done.Pseudonym = last[0]
	} else {
		e.done.Pseudonym = api.Pseudonym + e.random()
		const remember = `INSERT INTO erased_users (user_digest, pseudonym) VALUES (?, ?)`
		if _, err := tx.ExecContext(ctx, remember, digest, e.done.Pseudonym); err != nil {
			return fmt.Errorf("remember an erasure: %w", err)
		}
	}
	const insert = `INSERT INTO erasures (user_id, pseudonym) VALUES (?, ?)`
	if _, err := tx.ExecContext(ctx, insert, e.user, e.done.Pseudonym); err != nil {
		return fmt.Errorf("begin an erasure: %w", err)
	}
	return nil
}

// read reads the row of the erasure.
func (e *erasure) read(ctx context.Context, q sqlx.QueryerContext) (known bool, err error) {
	var rows []Erased
	const query = `SELECT pseudonym, orders, payments, addresses FROM erasures WHERE user_id = ?`
	if err := sqlx.SelectContext(ctx, q, &rows, query, e.user); err != nil {
		return false, fmt.Errorf("read an erasure: %w", err)
	}
	if len(rows) == 1 {
		e.done = rows[0]
	}
	return len(rows) == 1, nil
}

// run erases all parts and finishes.
func (e *erasure) run(ctx context.Context) error {
	for _, part := range []struct {
		name  string
		erase func(ctx context.Context, tx *sqlx.Tx) (more bool, err error)
	}{
		{"orders", e.orderPage},
		{"invited", e.invitedPage},
		{"payments", e.paymentPage},
		{"addresses", e.addressPage},
		{"keys", e.keyPage},
		{"draws", e.drawPage},
		{"waitlist", e.waitlistPage},
		{"reminders", e.reminderPage},
		{"sales", e.salePage},
		{"log", e.blockedLog},
		{"events", e.eventPage},
		{"finish", e.finish},
	} {
		for more := true; more; {
			err := e.db.InTx(ctx, func(tx *sqlx.Tx) (err error) {
				if err := e.lock(ctx, tx); err != nil {
					return err
				}
				if more, err = part.erase(ctx, tx); err != nil {
					return err
				}
				return e.faults.After("erase_" + part.name + "_before_commit")
			})
			if err == nil {
				err = e.faults.After("erase_" + part.name)
			}
			if err != nil {
				return fmt.Errorf("erase %s: %w", part.name, err)
			}
		}
	}
	return nil
}

// lock makes other calls for the user wait, and reads how far the erasure has come.
func (e *erasure) lock(ctx context.Context, tx *sqlx.Tx) error {
	const update = `UPDATE erasures SET parts = parts + 1 WHERE user_id = ?`
	if _, err := tx.ExecContext(ctx, update, e.user); err != nil {
		return fmt.Errorf("lock the erasure: %w", err)
	}
	if known, err := e.read(ctx, tx); err != nil || known {
		return err
	}
	return errFinished
}

// count adds to a column of the erasure's row.
func (e *erasure) count(ctx context.Context, tx *sqlx.Tx, column string, n int64) error {
	update := `UPDATE erasures SET ` + column + ` = ` + column + ` + ? WHERE user_id = ?`
	if _, err := tx.ExecContext(ctx, update, n, e.user); err != nil {
		return fmt.Errorf("count the erased %s: %w", column, err)
	}
	return nil
}

func (e *erasure) orderPage(ctx context.Context, tx *sqlx.Tx) (more bool, err error) {
	var numbers []order.Number
	const query = `SELECT number FROM orders WHERE user_id = ? AND number <= ? AND status <> 'unpaid'
		UNION ALL SELECT number FROM orders_archive WHERE user_id = ? ORDER BY number LIMIT ?`
	if err := tx.SelectContext(ctx, &numbers, query, e.user, e.upto, e.user, rowsAtOnce); err != nil {
		return false, fmt.Errorf("select orders: %w", err)
	}
	if err := order.Forget(ctx, tx, e.user, e.done.Pseudonym, numbers); err != nil {
		return false, err
	}
	if err := e.orderLog(ctx, tx, numbers); err != nil {
		return false, err
	}
	return len(numbers) == rowsAtOnce, e.count(ctx, tx, "orders", int64(len(numbers)))
}

// invitedPage erases the user from orders of others that name the user as their inviter.
func (e *erasure) invitedPage(ctx context.Context, tx *sqlx.Tx) (more bool, err error) {
	var numbers []order.Number
	query := `SELECT number FROM order_labels WHERE name = 'inviter_id' AND ` + sqldb.Exactly("value") +
		` ORDER BY number LIMIT ?`
	if err := tx.SelectContext(ctx, &numbers, query, e.user, e.user, rowsAtOnce); err != nil {
		return false, fmt.Errorf("select invited orders: %w", err)
	}
	return len(numbers) == rowsAtOnce, order.ForgetInviter(ctx, tx, e.user, e.done.Pseudonym, numbers)
}

func (e *erasure) paymentPage(ctx context.Context, tx *sqlx.Tx) (more bool, err error) {
	var numbers []order.Number
	const query = `SELECT pay_number FROM payments WHERE user_id = ? AND status <> 'pending'
		ORDER BY pay_number LIMIT ?`
	if err := tx.SelectContext(ctx, &numbers, query, e.user, rowsAtOnce); err != nil {
		return false, fmt.Errorf("select payments: %w", err)
	}
	if len(numbers) == 0 {
		return false, nil
	}
	update := `UPDATE payments SET user_id = ? WHERE pay_number IN (` + sqldb.In(len(numbers)) + `)`
	if _, err := tx.ExecContext(ctx, update, append([]any{e.done.Pseudonym}, sqldb.Args(numbers)...)...); err != nil {
		return false, fmt.Errorf("update payments: %w", err)
	}
	return len(numbers) == rowsAtOnce, e.count(ctx, tx, "payments", int64(len(numbers)))
}

// addressPage deletes the addresses; a user has few.
func (e *erasure) addressPage(ctx context.Context, tx *sqlx.Tx) (more bool, err error) {
	n, err := e.addresses.DeleteAll(ctx, tx, e.user)
	if err != nil {
		return false, err
	}
	return false, e.count(ctx, tx, "addresses", n)
}

// keyPage deletes the answers to requests of the user that may be repeated with an Idempotency-Key.
func (e *erasure) keyPage(ctx context.Context, tx *sqlx.Tx) (more bool, err error) {
	var keys []string
	const query = `SELECT key_id FROM idempotency_keys WHERE user_id = ? AND caller = 'buyer'
		ORDER BY key_id LIMIT ?`
	if err := tx.SelectContext(ctx, &keys, query, e.user, rowsAtOnce); err != nil || len(keys) == 0 {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM idempotency_keys WHERE key_id IN (`+sqldb.In(len(keys))+`)`,
		sqldb.Args(keys)...); err != nil {
		return false, fmt.Errorf("delete Idempotency-Keys: %w", err)
	}
	return len(keys) == rowsAtOnce, nil
}

// waitlistPage deletes the entries in waiting lists; a user has few.
func (e *erasure) waitlistPage(ctx context.Context, tx *sqlx.Tx) (more bool, err error) {
	return false, waitlist.Erase(ctx, tx, e.user)
}

// reminderPage deletes the reminders; a user has few.
func (e *erasure) reminderPage(ctx context.Context, tx *sqlx.Tx) (more bool, err error) {
	return false, remind.Erase(ctx, tx, e.user)
}

// drawPage removes the entries in draws; a user has few.
func (e *erasure) drawPage(ctx context.Context, tx *sqlx.Tx) (more bool, err error) {
	return false, draw.Erase(ctx, tx, e.user)
}

// salePage deletes the user from the lists of buyers of sales, and that the user has used codes. Redis has its copy of
// a list until the sale is retired.
func (e *erasure) salePage(ctx context.Context, tx *sqlx.Tx) (more bool, err error) {
	for _, table := range []string{"sale_buyers", "sale_code_uses"} {
		remove := `DELETE FROM ` + table + ` WHERE ` + sqldb.Exactly("user_id")
		if _, err := tx.ExecContext(ctx, remove, e.user, e.user); err != nil {
			return false, fmt.Errorf("delete from %s: %w", table, err)
		}
	}
	return false, nil
}

// left reports whether something is stored of the user that an erasure removes.
func (e *erasure) left(ctx context.Context, tx *sqlx.Tx) (bool, error) {
	for _, in := range slices.Concat(columns, []column{{"operator_log", "target", ""}}) {
		switch in.table {
		case "events", "activity_counts", "order_sources": // no index has the user; order_labels has the same inviters
			continue
		}
		query, named := `SELECT 1 FROM `+in.table+` WHERE `+sqldb.Exactly(in.name), e.user
		if in.where != "" {
			query += ` AND ` + in.where
		}
		if in.table == "operator_log" {
			named = blockedUser + e.user
		}
		var found []int
		if err := tx.SelectContext(ctx, &found, query+` LIMIT 1`, named, named); err != nil {
			return false, fmt.Errorf("look for rows that are left: %w", err)
		}
		if len(found) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// finish writes who erased how much, without the user id, and deletes the row that has it.
func (e *erasure) finish(ctx context.Context, tx *sqlx.Tx) (more bool, err error) {
	invited, err := order.WaitForInvited(ctx, tx, e.user)
	if err != nil {
		return false, err
	}
	left, err := e.left(ctx, tx)
	if err != nil {
		return false, err
	}
	if invited || left {
		return false, errMore
	}
	if err := oplog.Record(ctx, tx,
		oplog.Entry{Action: "user.erased", On: "user:" + e.done.Pseudonym, After: e.done}); err != nil {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM erasures WHERE user_id = ?`, e.user); err != nil {
		return false, fmt.Errorf("finish the erasure: %w", err)
	}
	return false, nil
}
