package vouchers

import (
	"context"
	"fmt"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// Pool counts a partner's codes for a sku: how many were imported, given to buyers and withdrawn, and how many units of
// paid orders wait for a code.
type Pool struct {
	SKU       string `json:"sku_id" db:"sku_id"`
	Imported  int64  `json:"imported" db:"imported"`
	Given     int64  `json:"given" db:"given"`
	Withdrawn int64  `json:"withdrawn" db:"withdrawn"`
	Left      int64  `json:"left" db:"remaining"`
	Waiting   int64  `json:"waiting" db:"waiting"`

	WaitingSince api.Millis   `json:"waiting_since,omitzero" db:"since_ms"`
	OldestOrder  order.Number `json:"oldest_order,omitzero" db:"oldest"` // that waits
}

// Pools lists the skus with a partner's codes after a sku, by their ids; onlyWaiting are those for whose codes paid
// orders wait. shop selects its skus; "" all.
func (s *Service) Pools(
	ctx context.Context, shop string, onlyWaiting bool, after string, size int,
) (api.List[Pool], error) {
	list := api.List[Pool]{PageSize: size}
	var w sqldb.Where
	w.AndIf(after != "", "p.sku_id > ?", after)
	w.AndIf(onlyWaiting, "EXISTS (SELECT 1 FROM voucher_waits o WHERE o.sku_id = p.sku_id AND o.held = 0)")
	w.AndIf(shop != "", "p.sku_id IN (SELECT sku_id FROM skus WHERE shop_id = ?)", shop)
	query := `SELECT p.sku_id, imported, given, withdrawn, imported - given - withdrawn AS remaining,
		(SELECT COUNT(*) FROM voucher_waits n WHERE n.sku_id = p.sku_id AND n.held = 0) AS waiting,
		COALESCE((SELECT MIN(since_ms) FROM voucher_waits s WHERE s.sku_id = p.sku_id AND s.held = 0), 0) AS since_ms,
		COALESCE((SELECT order_number FROM voucher_waits f WHERE f.sku_id = p.sku_id AND f.held = 0
			ORDER BY since_ms, order_number LIMIT 1), 0) AS oldest
		FROM voucher_pools p` + w.String() + ` ORDER BY p.sku_id LIMIT ?`
	if err := s.db.Read.SelectContext(ctx, &list.Items, query, w.Args(size+1)...); err != nil {
		return list, fmt.Errorf("select the counts of codes: %w", err)
	}
	if len(list.Items) > size {
		list.Items = list.Items[:size]
		list.NextCursor = list.Items[size-1].SKU
	}
	return list, nil
}
