package swap

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/journal"
	"onrush/modules/order"
	"onrush/modules/order/complete"
	"onrush/modules/order/versions"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// Logged is the action in the log of an order whose buyer has swapped it.
const Logged = "sku_changed"

// maxSwaps bounds how often an order may be swapped.
const maxSwaps = 20

// Swapper swaps orders.
type Swapper struct {
	d       Deps
	settler *Settler
}

// New returns a Swapper.
func New(d Deps) *Swapper { return &Swapper{d, NewSettler(d)} }

// Change swaps a user's order for another sku of its sale, with the same price, kind and freight, at the stock point of
// the order. The order may be unpaid, or paid, not packed and not refunded. It is stored first if only Redis has it.
// If sku is the order's own, nothing changes, and there is
// no error. from is the client's IP address. Errors: not_found, conflict,
// already_packed, unavailable.
func (s *Swapper) Change(ctx context.Context, user string, n order.Number, sku, from string) error {
	o, err := s.d.Ensure.EnsureStored(ctx, user, n)
	if err != nil {
		return err
	}
	if err := s.mayTake(ctx, o, sku, from); err != nil {
		return err
	}
	var row *row
	err = s.d.DB.InTx(ctx, func(tx *sqlx.Tx) (err error) {
		row, err = s.begin(ctx, tx, o, sku)
		return err
	})
	if err == nil && row != nil {
		err = s.d.Faults.After("swap_begin")
	}
	if err == nil && row != nil {
		err = s.swap(ctx, row, user, from)
	}
	if err != nil && !problem.Is(err) {
		err = problem.Unavailable(err, "The order can't be changed right now.")
	}
	return err
}

// mayTake refuses most swaps that Redis would refuse, before they have a row: Redis keeps the id of a row that it
// refused, since another process may send it again, so requests for a sold out sku must not make rows.
// It also asks the shop, as before a path.
func (s *Swapper) mayTake(ctx context.Context, o *order.Order, sku, from string) error {
	if o.Type != order.Seckill || len(o.Items) != 1 || o.Items[0].SKU == sku {
		return nil
	}
	code, err := s.d.Lua.Swappable(ctx, o.Number.Lane(), o.Activity, o.Items[0].Quantity, sku, o.Point, o.User)
	switch {
	case err != nil:
		return problem.Unavailable(err, "The order can't be changed right now.")
	case code == lua.SwapSoldOut:
		return errNoUnits
	case code == lua.SwapOverLimit:
		return errOverLimit
	case s.d.Admit != nil:
		return s.d.Admit(ctx, o.Activity, sku, o.User, from)
	}
	return nil
}

// begin inserts the intent to take units for an order, or returns nil if the order has the sku.
func (s *Swapper) begin(ctx context.Context, tx *sqlx.Tx, o *order.Order, sku string) (*row, error) {
	o, _, err := s.locked(ctx, tx, o.User, o.Number, sku)
	if err != nil || o == nil {
		return nil, err
	}
	var had struct {
		Swaps   int `db:"swaps"`
		Pending int `db:"pending"`
	}
	const query = `SELECT (SELECT COUNT(*) FROM order_log WHERE order_number = ? AND what = ?) AS swaps,
		(SELECT COUNT(*) FROM stock_outbox WHERE outbox_id > ? AND outbox_id < ?) AS pending`
	of := prefix + o.Number.String()
	if err := tx.GetContext(ctx, &had, query, o.Number, Logged, of+":", of+";"); err != nil {
		return nil, fmt.Errorf("count the swaps of order %s: %w", o.Number, err)
	}
	switch {
	case had.Pending > 0:
		return nil, errPending
	case had.Swaps >= maxSwaps:
		return nil, problem.Errorf(problem.CodeConflict, "The order was swapped %d times already.", had.Swaps)
	}
	r := &row{
		ID: of + ":" + rand.Text()[:randomPart], Kind: kindTake, Activity: o.Activity, SKU: sku, Point: o.Point,
		Quantity: -o.Items[0].Quantity, Number: o.Number, User: o.User, CreatedMS: s.d.Now().UnixMilli(),
	}
	return r, insert(ctx, tx, r)
}

// locked locks an order, and returns it with the offer of another sku that it may be swapped for. It returns nil if the
// order has this sku.
func (s *Swapper) locked(
	ctx context.Context, tx *sqlx.Tx, user string, n order.Number, sku string,
) (*order.Order, offer, error) {
	o, err := order.LockOrder(ctx, tx, n)
	if errors.Is(err, sql.ErrNoRows) || err == nil && o.User != user {
		err = problem.NotFound("order")
	}
	if err != nil {
		return nil, offer{}, err
	}
	found, err := complete.Fulfilments(ctx, tx, []order.Number{n})
	if err != nil {
		return nil, offer{}, err
	}
	o.Fulfilment = found[n]
	if err = requireOpen(o, s.d.Now()); err == nil && o.Status == order.Paid {
		err = requireWhole(ctx, tx, o)
	}
	if err != nil {
		return nil, offer{}, err
	}
	if o.Items[0].SKU == sku {
		return nil, offer{}, nil
	}
	before, err := selectOffer(ctx, tx, o.Activity, o.Items[0].SKU, o.Point)
	if err != nil {
		return nil, offer{}, err
	}
	to, err := selectOffer(ctx, tx, o.Activity, sku, o.Point)
	if err == nil {
		err = requireAlike(o, before, to, s.d.Now())
	}
	return o, to, err
}

// swap takes the units of a row and gives them to the order. If that is refused, it gives them back.
func (s *Swapper) swap(ctx context.Context, r *row, user, from string) error {
	epoch, err := s.settler.take(ctx, r)
	if err != nil {
		return err
	}
	if err := s.d.Faults.After("swap_take"); err != nil {
		return err
	}
	var back *row
	err = s.d.DB.InTx(ctx, func(tx *sqlx.Tx) (err error) {
		back, err = s.commit(ctx, tx, r, epoch, user, from)
		return err
	})
	if problem.Is(err) && problem.CodeOf(err) != problem.CodeUnavailable {
		if failed := s.settler.undo(ctx, r); failed != nil {
			s.d.Log.WarnContext(ctx, "units of a refused swap will be given back later", "order_number", r.Number,
				"error", failed)
		}
	}
	if err != nil {
		return err
	}
	if err := s.d.Faults.After("swap_commit"); err != nil {
		return err
	}
	if err := s.settler.finish(ctx, back); err != nil { // the order is swapped
		s.d.Log.WarnContext(ctx, "units of a swapped order will be given back later", "order_number", r.Number,
			"error", err)
	}
	return nil
}

// commit gives an order the units that a row has taken, and returns the row by which Redis gets the units before.
func (s *Swapper) commit(ctx context.Context, tx *sqlx.Tx, r *row, epoch int64, user, from string) (*row, error) {
	o, to, err := s.locked(ctx, tx, user, r.Number, r.SKU)
	switch {
	case err != nil:
		return nil, err
	case o == nil:
		return nil, errPending
	}
	before := *o
	before.Items = []order.Item{o.Items[0]}
	it := &o.Items[0]
	it.SKU, it.Title, it.ImageURL = r.SKU, to.Title, to.ImageURL
	if err := moveUnits(ctx, tx, r, epoch, &before, o); err != nil {
		return nil, err
	}
	const update = `UPDATE orders SET sku_id = ?, search_name = ? WHERE number = ?`
	if _, err := tx.ExecContext(ctx, update, it.SKU, order.SearchName(o), o.Number); err != nil {
		return nil, fmt.Errorf("swap order %s: %w", o.Number, err)
	}
	// A refund that failed has left the order's item.
	if _, err := tx.ExecContext(ctx, `UPDATE order_items SET sku_id = ? WHERE order_number = ?`, it.SKU,
		o.Number); err != nil {
		return nil, fmt.Errorf("swap the item of order %s: %w", o.Number, err)
	}
	if err := order.Rewrite(ctx, tx, o); err != nil {
		return nil, err
	}
	at := s.d.Now().UnixMilli()
	back := &row{
		ID: r.ID + suffixFrom, Kind: kindGive, Activity: o.Activity, SKU: before.Items[0].SKU, Point: o.Point,
		Quantity: it.Quantity, Number: o.Number, User: o.User, CreatedMS: at,
	}
	if err := insert(ctx, tx, back); err != nil {
		return nil, err
	}
	line := order.LogLine{Order: o.Number, AtMS: at, Actor: "buyer", Action: Logged, ClientIP: from}
	if err := order.AddLogLine(ctx, tx, line); err != nil {
		return nil, err
	}
	data, err := json.Marshal(journal.SKUChanged{FormerSKU: back.SKU})
	if err != nil {
		return nil, fmt.Errorf("write the event of order %s: %w", o.Number, err)
	}
	e := journal.Event{
		Type: journal.OrderSKUChanged, Subject: o.Number.String(), User: o.User, AtMS: at, Data: string(data),
	}
	if err := journal.Write(ctx, tx, e); err != nil {
		return nil, err
	}
	return back, versions.Raise(ctx, tx, o.User)
}

// moveUnits moves the units of a locked order from one sku to another in SQL, in the place of the row that took them.
func moveUnits(ctx context.Context, tx *sqlx.Tx, r *row, epoch int64, from, to *order.Order) error {
	has, err := order.FenceAt(ctx, tx, r.Activity, epoch)
	if err != nil {
		return err
	}
	if !has {
		return fmt.Errorf("swap order %s: %w", r.Number, errLoaded)
	}
	if gone, err := remove(ctx, tx, r); err != nil || !gone {
		return errors.Join(err, errPending)
	}
	units := from.Items[0].Quantity
	sold := func(o *order.Order, sum string, guard func(order.StockKey) (string, []any)) error {
		changed := map[order.StockKey]int64{}
		o.AddTo(changed)
		rows, err := order.AddSold(ctx, tx, changed, sum, guard)
		if err == nil && rows != 1 {
			err = errNoUnits
		}
		return err
	}
	if err := sold(from, "sold = sold -", nil); err != nil {
		return err
	}
	if err := sold(to, "sold = sold +", func(order.StockKey) (string, []any) {
		return "sold + ? <= total", []any{units}
	}); err != nil {
		return err
	}
	if err := order.Unbuy(ctx, tx, []*order.Order{from}, nil); err != nil {
		return err
	}
	err = order.Buy(ctx, tx, []*order.Order{to}, nil)
	if errors.Is(err, order.ErrLimit) {
		return errOverLimit
	}
	return err
}

// Pending returns which of the orders have a swap that is not finished; they must not be cancelled.
func Pending(ctx context.Context, q sqlx.QueryerContext, numbers []order.Number) (found []order.Number, err error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	query := `SELECT DISTINCT order_number FROM stock_outbox WHERE outbox_id > ? AND outbox_id < ?
		AND order_number IN (` + sqldb.In(len(numbers)) + `)`
	args := append([]any{prefix, prefixEnd}, sqldb.Args(numbers)...)
	if err := sqlx.SelectContext(ctx, q, &found, query, args...); err != nil {
		return nil, fmt.Errorf("select the pending swaps of %d orders: %w", len(numbers), err)
	}
	return found, nil
}

// RequireSettled returns an error that wraps order.ErrAwaited if one of the orders, whose rows are locked, has a swap
// that is not finished, or was swapped since it was read.
func RequireSettled(ctx context.Context, tx *sqlx.Tx, orders []*order.Order) error {
	var of []*order.Order
	for _, o := range orders {
		if o.Type == order.Seckill && len(o.Items) == 1 {
			of = append(of, o)
		}
	}
	if len(of) == 0 {
		return nil
	}
	numbers := make([]order.Number, len(of))
	for i, o := range of {
		numbers[i] = o.Number
	}
	if found, err := Pending(ctx, tx, numbers); err != nil || len(found) > 0 {
		return errors.Join(err, fmt.Errorf("swaps of %d orders are not finished: %w", len(found), order.ErrAwaited))
	}
	stored, err := order.SelectStored(ctx, tx, numbers)
	if err != nil {
		return err
	}
	for _, o := range of {
		if stored[o.Number].SKU != o.Items[0].SKU {
			return fmt.Errorf("order %s was swapped meanwhile: %w", o.Number, order.ErrAwaited)
		}
	}
	return nil
}

// holdOf returns the hold of the units of a row, with a sku.
func (r *row) holdOf(sku string) string {
	return lua.FormatHeld(sku, r.Point, max(r.Quantity, -r.Quantity), r.User)
}
