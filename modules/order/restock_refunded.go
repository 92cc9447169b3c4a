package order

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/order/versions"
	"onrush/modules/problem"
)

// LoggedRestocked is the action in the log of a refunded order whose units were given back.
const LoggedRestocked = "restocked"

// errRestockRetired says that a sale has no stock any more.
var errRestockRetired = problem.Errorf(problem.CodeConflict,
	"The sale ended long ago; its stock doesn't change any more.")

// Restock gives back the units of a completely refunded order, and what they count under purchase limits, once: it
// reports false for an order that was restocked before. Redis gets them by a StockOutbox. Errors: not_found, conflict
// for an order that is not refunded, for a sale that is retired, and for vouchers with imported codes.
func Restock(
	ctx context.Context, tx *sqlx.Tx, n Number, atMS int64, e LogLine,
) (restocked *Order, won bool, err error) {
	o, err := LockOrder(ctx, tx, n)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false, problem.NotFound("order")
	case err != nil:
		return nil, false, err
	case o.Status != Refunded:
		return nil, false, problem.Errorf(problem.CodeConflict,
			"The order is %s; only an order that is completely refunded can be restocked.", o.Status)
	}
	var before int
	const query = `SELECT COUNT(*) FROM order_log WHERE order_number = ? AND what = ?`
	if err := tx.GetContext(ctx, &before, query, n, LoggedRestocked); err != nil {
		return nil, false, fmt.Errorf("look whether order %s was restocked: %w", n, err)
	}
	if before > 0 {
		return o, false, nil
	}
	if err := requireNoPool(ctx, tx, o); err != nil {
		return nil, false, err
	}
	e.Order, e.AtMS, e.Action = n, atMS, LoggedRestocked
	if err := AddLogLine(ctx, tx, e); err != nil {
		return nil, false, err
	}
	seckill, skus, err := taken([]*Order{o})
	if err != nil {
		return nil, false, err
	}
	if err := giveBackOrdinary(ctx, tx, skus); err != nil {
		return nil, false, err
	}
	if err := restockSale(ctx, tx, seckill, atMS); err != nil {
		return nil, false, err
	}
	return o, true, versions.Raise(ctx, tx, o.User)
}

// requireNoPool refuses vouchers with a partner's codes: the codes of the order are void, so its units can't be sold
// again.
func requireNoPool(ctx context.Context, tx *sqlx.Tx, o *Order) error {
	for _, it := range o.Items {
		if it.Kind != catalogue.Voucher {
			continue
		}
		if pooled, err := hasPool(ctx, tx, it.SKU); err != nil || pooled {
			refusal := problem.Errorf(problem.CodeConflict, "The codes of sku %s are imported, and the codes of the "+
				"order are void; raise the stock with new codes.", it.SKU)
			return cmp.Or(err, error(refusal))
		}
	}
	return nil
}

// restockSale gives back in SQL what orders of one sale took, and writes their restocks for Redis to the outbox.
func restockSale(ctx context.Context, tx *sqlx.Tx, orders []*Order, atMS int64) error {
	if len(orders) == 0 {
		return nil
	}
	if err := Unbuy(ctx, tx, orders, nil); err != nil {
		return err
	}
	if err := lowerSold(ctx, tx, orders); err != nil {
		return err
	}
	var sale struct {
		RetiredMS int64 `db:"retired_ms"`
		Epoch     int64 `db:"epoch"`
	}
	// The rows of the stock, which were just changed, keep a load and a retirement from beginning.
	const query = `SELECT retired_ms, (SELECT MAX(epoch) FROM activity_stock WHERE activity_id = ?) AS epoch
		FROM activities WHERE activity_id = ?`
	if err := tx.GetContext(ctx, &sale, query, orders[0].Activity, orders[0].Activity); err != nil {
		return fmt.Errorf("select activity %s: %w", orders[0].Activity, err)
	}
	if sale.RetiredMS != 0 {
		return errRestockRetired
	}
	suffix := ":" + strconv.FormatInt(sale.Epoch, 10)
	return enqueueStocks(ctx, tx, OutboxRestock, orders, suffix, atMS)
}

// restockRow is a row of the outbox. Its id ends with the epoch of the sale's load under which SQL gave the units back:
// a later load has read that.
type restockRow struct {
	ID       string `db:"outbox_id"`
	Number   Number `db:"order_number"`
	User     string `db:"user_id"`
	Point    string `db:"point_id"`
	SKU      string `db:"sku_id"`
	Quantity int64  `db:"quantity"`
}

// epoch returns the epoch in the row's id.
func (r *restockRow) epoch() (int64, error) {
	epoch, err := strconv.ParseInt(r.ID[strings.LastIndexByte(r.ID, ':')+1:], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read the id of restock %s: %w", r.ID, err)
	}
	return epoch, nil
}

// restock gives back in Redis what SQL has given back of refunded orders of an activity, at most one page, and returns
// how many rows it deleted.
func (s *StockOutbox) restock(ctx context.Context, activity string) (settled int, err error) {
	var rows []restockRow
	const page = `SELECT outbox_id, order_number, user_id, point_id, sku_id, quantity FROM stock_outbox
		WHERE state = 'pending' AND kind = ? AND activity_id = ? AND outbox_id > ? AND outbox_id < ?
		ORDER BY outbox_id LIMIT ?`
	if err := s.db.Write.SelectContext(ctx, &rows, page, OutboxRestock, activity, string(OutboxRestock)+":",
		string(OutboxRestock)+";", outboxPage); err != nil {
		return 0, fmt.Errorf("select pending restocks of %s: %w", activity, err)
	}
	if len(rows) == 0 {
		return 0, nil
	}
	epoch, err := s.epochOf(ctx, activity)
	if err != nil {
		return 0, err
	}
	ids := make([]any, len(rows))
	var due []lua.Restocked
	for i := range rows {
		r := &rows[i]
		ids[i] = r.ID
		given, err := r.epoch()
		if err != nil {
			return 0, err
		}
		if given == epoch {
			due = append(due, lua.Restocked{ID: r.ID, Hold: lua.FormatHeld(r.SKU, r.Point, r.Quantity, r.User)})
		}
	}
	if len(due) > 0 {
		loaded, err := s.lua.Restock(ctx, rows[0].Number.Lane(), activity, epoch, due)
		if err != nil || !loaded {
			return 0, err
		}
	}
	if err := s.faults.After("restock"); err != nil {
		return 0, err
	}
	return s.remove(ctx, OutboxRestock, activity, epoch, ids)
}

// RestockAtOnce gives back in Redis what a restock has given back in SQL, if that can be done now; else RunOnce does.
func (s *StockOutbox) RestockAtOnce(ctx context.Context, o *Order) {
	if o.Type != Seckill {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, giveBackWithin)
	defer cancel()
	_, err := s.carryOut(ctx, OutboxConfirm, o.Activity, []Number{o.Number}) // in case that wasn't done yet
	if err == nil {
		_, err = s.restock(ctx, o.Activity)
	}
	if err != nil {
		s.log.WarnContext(ctx, "units of a restocked order will be given back later", "order_number", o.Number,
			"error", err)
	}
}
