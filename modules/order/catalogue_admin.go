package order

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order/sqldb"
	"onrush/web"
)

// PutSKU stores a sku, new or changed. Stock becomes what is given, whatever was sold meanwhile.
func (c *Catalogue) PutSKU(ctx context.Context, s SKU) (SKU, error) {
	if err := s.check(); err != nil {
		return SKU{}, err
	}
	const update = `UPDATE skus SET shop_id = ?, title = ?, image_url = ?, kind = ?, price = ?, currency = ?,
		stock = ?, freight_fee = ?, freight_free_over = ?, updated_ms = ? WHERE sku_id = ?`
	const insert = `INSERT INTO skus (shop_id, title, image_url, kind, price, currency, stock, freight_fee,
		freight_free_over, updated_ms, sku_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	args := []any{
		s.Shop, s.Title, s.ImageURL, s.Kind, s.Price, s.Currency, s.Stock,
		s.Freight.Fee, s.Freight.FreeOver, Millis(c.now()), s.ID,
	}
	err := c.put(ctx, s.ID, `SELECT COUNT(*) FROM skus WHERE sku_id = ?`, update, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, insert, args...)
		return err
	}, args)
	if err != nil {
		return SKU{}, sqlError(err, "put sku "+s.ID)
	}
	c.skus.Forget(s.ID)
	return s, nil
}

// PutPoint stores a stock point, new or changed; one more than 10,000 is a conflict.
func (c *Catalogue) PutPoint(ctx context.Context, p Point) (Point, error) {
	if err := p.check(); err != nil {
		return Point{}, err
	}
	if p.Regions == nil {
		p.Regions = []string{}
	}
	regions, err := json.Marshal(p.Regions)
	if err != nil {
		return Point{}, fmt.Errorf("write regions of point %s: %w", p.ID, err)
	}
	const update = `UPDATE stock_points SET name = ?, regions = ?, freight_extra = ?, pickup = ?, updated_ms = ? WHERE point_id = ?`
	const insert = `INSERT INTO stock_points (name, regions, freight_extra, pickup, updated_ms, point_id) VALUES (?, ?, ?, ?, ?, ?)`
	args := []any{p.Name, string(regions), p.FreightExtra, flag(p.Pickup), Millis(c.now()), p.ID}
	err = c.put(ctx, p.ID, `SELECT COUNT(*) FROM stock_points WHERE point_id = ?`, update, func(tx *sqlx.Tx) error {
		var n int
		if err := tx.GetContext(ctx, &n, `SELECT COUNT(*) FROM stock_points`); err != nil {
			return fmt.Errorf("count stock points: %w", err)
		}
		if n >= maxPoints {
			return web.Errorf(web.CodeConflict, "There are %d stock points already.", n)
		}
		_, err := tx.ExecContext(ctx, insert, args...)
		return err
	}, args)
	if err != nil {
		return Point{}, sqlError(err, "put stock point "+p.ID)
	}
	c.points.Forget(allPoints)
	return p, nil
}

// put updates a row or, if it isn't there, inserts it. Affected rows don't tell: on MySQL they
// are 0 for a row that has these values already. When somebody else inserts the row at the same
// time, the second try updates it.
func (c *Catalogue) put(ctx context.Context, id, count, update string, insert func(*sqlx.Tx) error, args []any) error {
	try := func() error {
		return c.db.InTx(ctx, func(tx *sqlx.Tx) error {
			res, err := tx.ExecContext(ctx, update, args...)
			if err != nil {
				return err
			}
			if changed, err := res.RowsAffected(); err != nil || changed > 0 {
				return err
			}
			var there int
			if err := tx.GetContext(ctx, &there, count, id); err != nil || there > 0 {
				return err
			}
			return insert(tx)
		})
	}
	err := try()
	if sqldb.IsDuplicate(err) {
		err = try()
	}
	return err
}

// SKUs lists skus by id.
func (c *Catalogue) SKUs(ctx context.Context, page web.Page) (web.List[SKU], error) {
	list := web.List[SKU]{Page: max(page.Page, 1), PageSize: page.Size}
	var total int64
	err := c.db.InView(ctx, func(tx *sqlx.Tx) error {
		if err := tx.GetContext(ctx, &total, `SELECT COUNT(*) FROM skus`); err != nil {
			return fmt.Errorf("count skus: %w", err)
		}
		var rows []skuRow
		query := `SELECT ` + skuColumns + ` FROM skus ORDER BY sku_id LIMIT ? OFFSET ?`
		if err := tx.SelectContext(ctx, &rows, query, page.Size, page.Offset()); err != nil {
			return fmt.Errorf("select skus: %w", err)
		}
		for _, r := range rows {
			list.Items = append(list.Items, r.sku())
		}
		return nil
	})
	list.Total = &total
	return list, sqlError(err, "list skus")
}

// Points lists the stock points that operators made, by id.
func (c *Catalogue) Points(ctx context.Context, page web.Page) (web.List[Point], error) {
	list := web.List[Point]{Page: max(page.Page, 1), PageSize: page.Size}
	var total int64
	err := c.db.InView(ctx, func(tx *sqlx.Tx) error {
		err := tx.GetContext(ctx, &total, `SELECT COUNT(*) FROM stock_points`)
		if err != nil {
			return fmt.Errorf("count stock points: %w", err)
		}
		list.Items, err = selectPoints(ctx, tx, page.Size, page.Offset())
		return err
	})
	list.Total = &total
	return list, sqlError(err, "list stock points")
}
