package swap

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/catalogue"
	"onrush/modules/needs"
	"onrush/modules/order"
	"onrush/modules/order/complete"
	"onrush/modules/problem"
)

// offer is what a sale sells of a sku at a stock point.
type offer struct {
	Price    int64                `db:"flash_price"`
	Currency string               `db:"currency"`
	Kind     catalogue.Kind       `db:"kind"`
	Title    string               `db:"title"`
	ImageURL string               `db:"image_url"`
	Fee      int64                `db:"freight_fee"`
	FreeOver int64                `db:"freight_free_over"`
	Required catalogue.FieldNames `db:"required_fields"`

	State    string `db:"state"`
	StartsMS int64  `db:"starts_ms"`
	EndsMS   int64  `db:"ends_ms"`
	PausedMS int64  `db:"paused_ms"`

	Needs   needs.Set `db:"needs"`        // of the sale
	Permits float64   `db:"permit_ratio"` // 0: the sale has none
}

// selectOffer reads an offer. The error is not_found if the sale has no stock of the sku at the point.
func selectOffer(ctx context.Context, q sqlx.QueryerContext, activity, sku, point string) (o offer, err error) {
	const query = `SELECT a.flash_price, c.currency, c.kind, c.title, c.image_url, c.freight_fee, c.freight_free_over,
		COALESCE(c.required_fields, '') AS required_fields, v.state, v.starts_ms, v.ends_ms, v.paused_ms,
		v.needs, v.permit_ratio
		FROM activities v JOIN activity_skus a ON a.activity_id = v.activity_id
		JOIN sale_skus c ON c.activity_id = a.activity_id AND c.sku_id = a.sku_id
		JOIN activity_stock s ON s.activity_id = a.activity_id AND s.sku_id = a.sku_id
		WHERE v.activity_id = ? AND a.sku_id = ? AND s.point_id = ?`
	err = sqlx.GetContext(ctx, q, &o, query, activity, sku, point)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return o, problem.Errorf(problem.CodeNotFound, "The sale has no such sku where the order's goods come from.")
	case err != nil:
		return o, fmt.Errorf("select sku %s of %s: %w", sku, activity, err)
	}
	return o, nil
}

// requireOpen returns why an order, whose Fulfilment was read, can't be swapped: an already_packed or a conflict.
func requireOpen(o *order.Order, now time.Time) error {
	conflict := func(format string, args ...any) error {
		return problem.Errorf(problem.CodeConflict, format, args...)
	}
	status := order.StateOf(o).Status
	switch {
	case o.Type != order.Seckill || len(o.Items) != 1:
		return conflict("Only an order of one sku of a sale can be swapped for another sku.")
	case status == order.Unpaid:
		return nil
	case status != order.Paid || o.RefundedAmount > 0:
		return conflict("The order is %s, or a part of it was refunded.", status)
	case o.Delivery == catalogue.None:
		return conflict("The goods of the order were delivered with its payment.")
	case o.Fulfilment != nil:
		return problem.Errorf(complete.CodeAlreadyPacked, "The order is %s; its sku doesn't change any more.",
			o.Fulfilment.State)
	case now.Sub(time.UnixMilli(o.PaidMS)) >= complete.AddressOpenFor:
		return conflict("The order was paid more than %d days ago.", complete.AddressOpenFor/(24*time.Hour))
	}
	return nil
}

// requireWhole returns a conflict if units of an order were refunded, which may have moved no money.
func requireWhole(ctx context.Context, q sqlx.QueryerContext, o *order.Order) error {
	var lines int
	const query = `SELECT COUNT(*) FROM order_items WHERE order_number = ? AND refunded_quantity > 0`
	if err := sqlx.GetContext(ctx, q, &lines, query, o.Number); err != nil {
		return fmt.Errorf("count the refunded items of order %s: %w", o.Number, err)
	}
	if lines > 0 {
		return problem.Errorf(problem.CodeConflict, "A part of the order was refunded.")
	}
	return nil
}

// requireAlike returns why an order with one offer can't be swapped for another one: a conflict.
func requireAlike(o *order.Order, from, to offer, now time.Time) error {
	item, at := o.Items[0], now.UnixMilli()
	conflict := func(what string) error { return problem.Errorf(problem.CodeConflict, "%s", what) }
	switch {
	case to.State != "published" || to.PausedMS != 0 || at < to.StartsMS || at >= to.EndsMS:
		return conflict("The sale doesn't sell now.")
	case to.Needs.Has(needs.Waves) || to.Needs.Has(needs.Waitlist) || to.Needs.Has(needs.LimitKey) ||
		to.Needs.Has(needs.Reserved):
		return conflict("Orders of a sale with waves, a waiting list, reserved units or limits by a claim " +
			"can't be swapped.")
	case to.Permits > 0:
		return conflict("Orders of a sale with permits can't be swapped.")
	case to.Price != item.Price || to.Currency != o.Currency:
		return conflict("The other sku has another price.")
	case to.Kind != item.Kind:
		return conflict("The other sku is of another kind.")
	case to.Fee != from.Fee || to.FreeOver != from.FreeOver:
		return conflict("The other sku has another freight.")
	}
	for _, name := range to.Required {
		if strings.TrimSpace(o.Fields[name]) == "" {
			return conflict("The other sku requires a field that the order doesn't have.")
		}
	}
	return nil
}
