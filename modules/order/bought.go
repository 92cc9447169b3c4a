package order

import (
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
	args := make([]any, 0, 2*len(activities))
	for range 2 {
		for _, a := range activities {
			args = append(args, a)
		}
	}
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

// underLimits returns the units of orders that count against a limit, and these limits.
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
	if err != nil || len(limits) == 0 {
		return units, nil, err
	}
	for _, o := range orders {
		if o.Type != Seckill || o.Status == Failed {
			continue
		}
		for _, counted := range [...]string{lua.CountedAll, lua.CountedSKU(o.Items[0].SKU)} {
			if _, limited := limits[countKey{activity: o.Activity, counted: counted}]; limited {
				units[countKey{o.Activity, counted, o.User}] += o.Items[0].Quantity
			}
		}
	}
	return units, limits, nil
}

// buy adds the units of orders that are being stored to the counts of the purchase limits, and other numbers to other
// counts. If an order would exceed a limit, the error is ErrLimit and the caller must roll back.
func buy(ctx context.Context, tx *sqlx.Tx, orders []*Order, others map[countKey]int64) error {
	units, limits, err := underLimits(ctx, tx, orders)
	if err != nil {
		return err
	}
	maps.Copy(others, units)
	return raiseCounts(ctx, tx, others, limits)
}

// unbuy subtracts the units of cancelled orders from what their buyers bought, and other numbers from other counts. A
// count below these units is not changed: the order was stored before its limit was counted.
func unbuy(ctx context.Context, tx *sqlx.Tx, orders []*Order, others map[countKey]int64) error {
	units, _, err := underLimits(ctx, tx, orders)
	if err != nil {
		return err
	}
	maps.Copy(units, others)
	return lowerCounts(ctx, tx, units)
}

// SelectBought reads the counts of a user in SQL: the units in the activity and of the sku.
func SelectBought(
	ctx context.Context, q sqlx.QueryerContext, activity, user, sku string,
) (all, ofSKU int64, err error) {
	var rows []struct {
		Counted string `db:"counted"`
		N       int64  `db:"n"`
	}
	const query = `SELECT counted, n FROM activity_counts WHERE activity_id = ? AND counted IN (?, ?) AND name = ?`
	if err := sqlx.SelectContext(ctx, q, &rows, query, activity, lua.CountedAll,
		lua.CountedSKU(sku), user); err != nil {
		return 0, 0, fmt.Errorf("select what a user bought in %s: %w", activity, err)
	}
	for _, r := range rows {
		if r.Counted == lua.CountedAll {
			all = r.N
		} else {
			ofSKU = r.N
		}
	}
	return all, ofSKU, nil
}
