package order

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/sqldb"
)

var (
	// ErrLimit says that a buyer would have more units than a purchase limit allows.
	ErrLimit = errors.New("purchase limit refused")
	// ErrRaced says that another transaction inserted the first count at the same time; the transaction must run again.
	ErrRaced = errors.New("another transaction inserted the same count")
)

// selectLimits reads the purchase limits of activities, by activity and counted.
func selectLimits(ctx context.Context, q sqlx.QueryerContext, activities []string) (map[countKey]int64, error) {
	if len(activities) == 0 {
		return nil, nil
	}
	args := slices.Concat(sqldb.Args(activities), sqldb.Args(activities))
	in := ` IN (` + sqldb.In(len(activities)) + `)`
	var rows []struct {
		Activity string `db:"activity_id"`
		SKU      string `db:"sku_id"`
		Limit    int64  `db:"purchase_limit"`
	}
	query := `SELECT activity_id, '' AS sku_id, purchase_limit FROM activities
		WHERE purchase_limit >= 0 AND activity_id` + in +
		` UNION ALL SELECT activity_id, sku_id, purchase_limit FROM activity_skus
			WHERE purchase_limit >= 0 AND activity_id` + in
	if err := sqlx.SelectContext(ctx, q, &rows, query, args...); err != nil {
		return nil, fmt.Errorf("select limits of %d activities: %w", len(activities), err)
	}
	limits := make(map[countKey]int64, len(rows))
	for _, r := range rows {
		counted := lua.CountedAll
		if r.SKU != "" {
			counted = lua.CountedSKU(r.SKU)
		}
		limits[countKey{activity: r.Activity, counted: counted}] = r.Limit
	}
	return limits, nil
}

// underLimits returns the units of orders that count against a limit, and these limits. The units include the
// orders of buyers for whom units are reserved.
func underLimits(
	ctx context.Context, q sqlx.QueryerContext, orders []*Order,
) (units, limits map[countKey]int64, err error) {
	activities := map[string]bool{}
	for _, o := range orders {
		if o.Type == Seckill && o.Status != Failed {
			activities[o.Activity] = true
		}
	}
	units = map[countKey]int64{}
	limits, err = selectLimits(ctx, q, slices.Sorted(maps.Keys(activities)))
	if err != nil {
		return nil, nil, err
	}
	for _, o := range orders {
		if o.Type != Seckill || o.Status == Failed || len(limits) == 0 && !o.Reserved {
			continue
		}
		for c, n := range o.Held().Counts() {
			_, limited := limits[countKey{activity: o.Activity, counted: c.Counted}]
			if limited || lua.IsReserved(c.Counted) {
				units[countKey{o.Activity, c.Counted, c.Name}] += n
			}
		}
	}
	return units, limits, nil
}

// Buy adds the units of orders that are being stored to the counts of the purchase limits, and other numbers to other
// counts. If an order would exceed a limit, the error is ErrLimit and the caller must roll back.
func Buy(ctx context.Context, tx *sqlx.Tx, orders []*Order, others map[countKey]int64) error {
	units, limits, err := underLimits(ctx, tx, orders)
	if err != nil {
		return err
	}
	maps.Copy(units, others)
	return raiseCounts(ctx, tx, units, limits)
}

// Unbuy subtracts the units of cancelled orders from what their buyers bought, and other numbers from other counts. A
// count below these units is not changed: the order was stored before its limit was counted.
func Unbuy(ctx context.Context, tx *sqlx.Tx, orders []*Order, others map[countKey]int64) error {
	units, _, err := underLimits(ctx, tx, orders)
	if err != nil {
		return err
	}
	maps.Copy(units, others)
	return lowerCounts(ctx, tx, units)
}

// Buyer returns under which name purchase limits count the order: its limit key if its activity has one, or its user.
func (o *Order) Buyer() string { return cmp.Or(o.LimitKey, o.User) }

// Held returns what the order of a sale holds until it is paid or its units are returned.
func (o *Order) Held() lua.Held {
	sku, units := o.Takes()
	return lua.Held{SKU: sku, Point: o.Point, Quantity: units, User: o.User, Key: o.LimitKey, Reserved: o.Reserved}
}

// Takes returns the skus of the order of a sale, and all its units, as of lua.JoinTakes, or of lua.JoinBundle.
func (o *Order) Takes() (sku string, units int64) {
	if len(o.Items) == 1 && o.Bundle == nil {
		return o.Items[0].SKU, o.Items[0].Quantity
	}
	takes := make([]lua.Take, len(o.Items))
	for i := range o.Items {
		takes[i] = lua.Take{SKU: o.Items[i].SKU, Quantity: o.Items[i].Quantity}
	}
	if o.Bundle != nil {
		return lua.JoinBundle(o.Bundle.SKU, o.Bundle.Quantity, takes)
	}
	return lua.JoinTakes(takes)
}
