package order

import (
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/journal"
	"onrush/modules/sqldb"
)

// A sku whose codes an operator imported has a pool: a row of voucher_pools with the counts, and a row of voucher_codes
// for each code that is left. A code that is given to an order moves from there to vouchers, so each is given once. A
// unit for which the pool has no code waits in voucher_waits, and so do later ones: codes are given in the order of
// the payments. Whoever takes codes locks the rows of the orders first, and then the pool.

// MaxGiven bounds the units that one call of GiveWaiting gives codes to.
const MaxGiven = 100

// LoggedVouchersWaiting and LoggedVouchersGiven are the actions in the log of an order whose vouchers wait for codes,
// and got some.
const (
	LoggedVouchersWaiting = "vouchers_waiting"
	LoggedVouchersGiven   = "vouchers_given"
)

// voucherUnit is one unit of a voucher in an order.
type voucherUnit struct {
	Number Number `db:"order_number"`
	Line   int    `db:"line"`
	Unit   int64  `db:"unit"`
}

// LockPool locks the pool of a sku until the transaction ends, and returns how many codes it has left. Without a pool
// pooled is false.
func LockPool(ctx context.Context, tx *sqlx.Tx, sku string) (left int64, pooled bool, err error) {
	if _, err := tx.ExecContext(ctx, `UPDATE voucher_pools SET given = given WHERE sku_id = ?`, sku); err != nil {
		return 0, false, fmt.Errorf("lock the codes of %s: %w", sku, err)
	}
	var found []int64
	const query = `SELECT imported - given - withdrawn FROM voucher_pools WHERE sku_id = ?`
	if err := tx.SelectContext(ctx, &found, query, sku); err != nil {
		return 0, false, fmt.Errorf("count the codes of %s: %w", sku, err)
	}
	if len(found) == 0 {
		return 0, false, nil
	}
	return found[0], true, nil
}

// hasPool reports whether the codes of a sku are imported ones.
func hasPool(ctx context.Context, tx *sqlx.Tx, sku string) (bool, error) {
	var pools int
	if err := tx.GetContext(ctx, &pools, `SELECT COUNT(*) FROM voucher_pools WHERE sku_id = ?`, sku); err != nil {
		return false, fmt.Errorf("look for the codes of %s: %w", sku, err)
	}
	return pools > 0, nil
}

// issueFromPool gives units of a sku codes of its pool; units that get none wait.
func issueFromPool(ctx context.Context, tx *sqlx.Tx, sku string, units []voucherUnit, atMS int64) (int, error) {
	left, _, err := LockPool(ctx, tx, sku)
	if err != nil {
		return 0, err
	}
	var earlier int
	const query = `SELECT COUNT(*) FROM voucher_waits WHERE sku_id = ? AND held = 0`
	if err := tx.GetContext(ctx, &earlier, query, sku); err != nil {
		return 0, fmt.Errorf("count who waits for codes of %s: %w", sku, err)
	}
	if earlier > 0 {
		left = 0 // theirs, as soon as GiveWaiting runs
	}
	given := min(left, int64(len(units)))
	if err := giveCodes(ctx, tx, sku, units[:given]); err != nil {
		return 0, err
	}
	waiting := units[given:]
	args := make([]any, 0, 5*len(waiting))
	for _, u := range waiting {
		args = append(args, u.Number, u.Line, u.Unit, sku, atMS)
	}
	const insert = `INSERT INTO voucher_waits (order_number, line, unit, sku_id, since_ms, held) VALUES`
	if err := sqldb.Insert(ctx, tx, insert, "(?,?,?,?,?,0)", args); err != nil {
		return 0, fmt.Errorf("let %d vouchers wait for codes of %s: %w", len(waiting), sku, err)
	}
	return len(waiting), nil
}

// giveCodes moves the next codes of a pool, which is locked and has enough of them, to units.
func giveCodes(ctx context.Context, tx *sqlx.Tx, sku string, units []voucherUnit) error {
	if len(units) == 0 {
		return nil
	}
	var next []struct {
		Position int64  `db:"position"`
		Code     string `db:"code"`
	}
	const query = `SELECT position, code FROM voucher_codes WHERE sku_id = ? ORDER BY position LIMIT ?`
	if err := tx.SelectContext(ctx, &next, query, sku, len(units)); err != nil {
		return fmt.Errorf("select codes of %s: %w", sku, err)
	}
	if len(next) != len(units) {
		return fmt.Errorf("the codes of %s are miscounted: %d are left, not %d", sku, len(next), len(units))
	}
	positions, args := make([]int64, len(next)), make([]any, 0, 4*len(next))
	for i, u := range units {
		positions[i] = next[i].Position
		args = append(args, u.Number, u.Line, u.Unit, next[i].Code)
	}
	remove := `DELETE FROM voucher_codes WHERE sku_id = ? AND position IN (` + sqldb.In(len(positions)) + `)`
	if _, err := tx.ExecContext(ctx, remove, append([]any{sku}, sqldb.Args(positions)...)...); err != nil {
		return fmt.Errorf("take %d codes of %s: %w", len(units), sku, err)
	}
	const insert = `INSERT INTO vouchers (order_number, line, unit, code, status) VALUES`
	if err := sqldb.Insert(ctx, tx, insert, "(?,?,?,?,'active')", args); err != nil {
		return fmt.Errorf("give %d codes of %s: %w", len(units), sku, err)
	}
	const count = `UPDATE voucher_pools SET given = given + ? WHERE sku_id = ?`
	if _, err := tx.ExecContext(ctx, count, len(units), sku); err != nil {
		return fmt.Errorf("count %d codes of %s as given: %w", len(units), sku, err)
	}
	return nil
}

// GiveWaiting gives codes of a sku to at most MaxGiven waiting units, in the order of their payments, and writes the
// log and the events of their orders. It returns how many got a code: 0 if none waits or no code is left.
func GiveWaiting(ctx context.Context, tx *sqlx.Tx, sku string, atMS int64, e LogLine) (given int, err error) {
	waiting, err := selectWaiting(ctx, tx, sku)
	if err != nil || len(waiting) == 0 {
		return 0, err
	}
	if _, err := LockOrders(ctx, tx, numbersOf(waiting)); err != nil {
		return 0, err
	}
	left, _, err := LockPool(ctx, tx, sku)
	if err != nil || left == 0 {
		return 0, err
	}
	locked := numbersOf(waiting)
	if waiting, err = selectWaiting(ctx, tx, sku); err != nil { // some may have been refunded or served meanwhile
		return 0, err
	}
	for i, u := range waiting {
		if _, is := slices.BinarySearch(locked, u.Number); !is {
			waiting = waiting[:i] // an order that is not locked; the next call has its turn
			break
		}
	}
	units := waiting[:min(left, int64(len(waiting)))]
	if len(units) == 0 {
		return 0, nil
	}
	if err := giveCodes(ctx, tx, sku, units); err != nil {
		return 0, err
	}
	for _, u := range units {
		const remove = `DELETE FROM voucher_waits WHERE order_number = ? AND line = ? AND unit = ?`
		if _, err := tx.ExecContext(ctx, remove, u.Number, u.Line, u.Unit); err != nil {
			return 0, fmt.Errorf("end the wait of order %s: %w", u.Number, err)
		}
	}
	return len(units), reportGiven(ctx, tx, numbersOf(units), atMS, e)
}

// selectWaiting returns the units of a sku that wait for a code, except units of disputed payments.
func selectWaiting(ctx context.Context, tx *sqlx.Tx, sku string) (units []voucherUnit, err error) {
	const query = `SELECT order_number, line, unit FROM voucher_waits WHERE sku_id = ? AND held = 0
		ORDER BY since_ms, order_number, line, unit LIMIT ?`
	if err := tx.SelectContext(ctx, &units, query, sku, MaxGiven); err != nil {
		return nil, fmt.Errorf("select who waits for codes of %s: %w", sku, err)
	}
	return units, nil
}

// numbersOf returns the orders of units, ascending.
func numbersOf(units []voucherUnit) []Number {
	numbers := make([]Number, len(units))
	for i, u := range units {
		numbers[i] = u.Number
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// reportGiven writes the log and the events of orders that waited and got codes.
func reportGiven(ctx context.Context, tx *sqlx.Tx, numbers []Number, atMS int64, e LogLine) error {
	orders, err := SelectAll(ctx, tx, numbers)
	if err != nil {
		return fmt.Errorf("read %d orders that got codes: %w", len(numbers), err)
	}
	for _, o := range orders {
		e.Order, e.AtMS, e.Action = o.Number, atMS, LoggedVouchersGiven
		if err := AddLogLine(ctx, tx, e); err != nil {
			return err
		}
	}
	if err := Changed(nil).writeStatuses(ctx, tx, journal.OrderVouchersGiven, atMS, orders...); err != nil {
		return err
	}
	return raiseVersionsOf(ctx, tx, orders...)
}
