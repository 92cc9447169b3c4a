package catalogue

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/ids"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// Filter selects skus or stock points; zero values select all. It selects by the last change (of a sku, except of its
// stock) from From, which is included, to To. Shop applies to skus only.
type Filter struct {
	Shop, Activity string
	From, To       api.Millis
}

// errCursor says that a cursor is of another list, or none.
var errCursor = problem.Invalid("after", "must be the next_cursor of a page of this list")

// byTime reports whether skus are listed by their last change, newest first, and not by id.
func (f Filter) byTime() bool { return f.From != 0 || f.To != 0 }

// skuQuery returns the conditions of a list of skus without its cursor, and with it, and the order.
func (f Filter) skuQuery(before string) (all, page sqldb.Where, order string, err error) {
	all.AndIf(f.Shop != "", "shop_id = ?", f.Shop)
	all.AndIf(f.Activity != "", "sku_id IN (SELECT sku_id FROM activity_skus WHERE activity_id = ?)", f.Activity)
	all.AndIf(f.From != 0, "updated_ms >= ?", int64(f.From))
	all.AndIf(f.To != 0, "updated_ms < ?", int64(f.To))
	page.And("1 = 1")
	if f.byTime() {
		order = " ORDER BY updated_ms DESC, sku_id DESC"
	} else {
		order = " ORDER BY sku_id"
	}
	if before == "" {
		return all, page, order, nil
	}
	if !f.byTime() {
		keys, ok := api.ParseCursor(before, 1)
		if !ok || !ids.Valid(keys[0]) {
			return all, page, order, errCursor
		}
		page.And("sku_id > ?", keys[0])
		return all, page, order, nil
	}
	keys, ok := api.ParseCursor(before, 2)
	if !ok || !ids.Valid(keys[1]) {
		return all, page, order, errCursor
	}
	ms, err := strconv.ParseInt(keys[0], 10, 64)
	if err != nil {
		return all, page, order, errCursor
	}
	page.And("updated_ms <= ? AND (updated_ms < ? OR sku_id < ?)", ms, ms, keys[1])
	return all, page, order, nil
}

// SKUs lists skus by id, or, if the filter has a time, by their last change, newest first.
func (c *Catalogue) SKUs(ctx context.Context, f Filter, page api.KeyPage) (api.List[SKU], error) {
	list := api.List[SKU]{Page: page.Page, PageSize: page.Size}
	all, after, order, err := f.skuQuery(page.After)
	if err != nil {
		return list, err
	}
	err = c.db.InView(ctx, func(tx *sqlx.Tx) error {
		if page.After == "" {
			var total int64
			if err := tx.GetContext(ctx, &total, `SELECT COUNT(*) FROM skus`+all.String(), all.Args()...); err != nil {
				return fmt.Errorf("count skus: %w", err)
			}
			list.Total = &total
		}
		where := all
		where.And("("+after.String()[len(" WHERE "):]+")", after.Args()...)
		var rows []skuRow
		query := `SELECT ` + skuColumns + ` FROM skus` + where.String() + order + ` LIMIT ? OFFSET ?`
		if err := tx.SelectContext(ctx, &rows, query, where.Args(page.Size+1, page.Offset())...); err != nil {
			return fmt.Errorf("select skus: %w", err)
		}
		for _, r := range rows[:min(len(rows), page.Size)] {
			list.Items = append(list.Items, r.sku())
		}
		if len(rows) > page.Size {
			last := rows[page.Size-1]
			list.NextCursor = api.FormatCursor(last.ID)
			if f.byTime() {
				list.NextCursor = api.FormatCursor(strconv.FormatInt(last.Version, 10), last.ID)
			}
		}
		return nil
	})
	return list, err
}

// Points lists the stored stock points by id. There are at most 10,000, so no filter needs an index.
func (c *Catalogue) Points(ctx context.Context, f Filter, page api.KeyPage) (api.List[Point], error) {
	list := api.List[Point]{Page: page.Page, PageSize: page.Size}
	var w sqldb.Where
	w.AndIf(f.Activity != "", "point_id IN (SELECT point_id FROM activity_stock WHERE activity_id = ?)", f.Activity)
	w.AndIf(f.From != 0, "updated_ms >= ?", int64(f.From))
	w.AndIf(f.To != 0, "updated_ms < ?", int64(f.To))
	all := w
	if page.After != "" {
		keys, ok := api.ParseCursor(page.After, 1)
		if !ok || !ids.Valid(keys[0]) {
			return list, errCursor
		}
		w.And("point_id > ?", keys[0])
	}
	err := c.db.InView(ctx, func(tx *sqlx.Tx) error {
		if page.After == "" {
			var total int64
			if err := tx.GetContext(ctx, &total, `SELECT COUNT(*) FROM stock_points`+all.String(),
				all.Args()...); err != nil {
				return fmt.Errorf("count stock points: %w", err)
			}
			list.Total = &total
		}
		points, err := selectPoints(ctx, tx, w, page.Size+1, page.Offset())
		if err != nil {
			return err
		}
		list.Items = points[:min(len(points), page.Size)]
		if len(points) > page.Size {
			list.NextCursor = api.FormatCursor(points[page.Size-1].ID)
		}
		return nil
	})
	return list, err
}

// StoredSKU reads a sku from SQL; if it doesn't exist, the error is not_found.
func (c *Catalogue) StoredSKU(ctx context.Context, id string) (SKU, error) {
	sku, err := selectSKU(ctx, c.db.Read, id)
	if err == nil && sku == nil {
		err = problem.NotFound("sku")
	}
	if err != nil {
		return SKU{}, err
	}
	return *sku, nil
}

// StoredPoint reads a stock point from SQL; if it is not stored, the error is not_found.
func (c *Catalogue) StoredPoint(ctx context.Context, id string) (Point, error) {
	var w sqldb.Where
	w.And("point_id = ?", id)
	points, err := selectPoints(ctx, c.db.Read, w, 1, 0)
	if err == nil && len(points) == 0 {
		err = problem.NotFound("stock point")
	}
	if err != nil {
		return Point{}, err
	}
	return points[0], nil
}
