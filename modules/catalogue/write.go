package catalogue

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/oplog"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// PutSKU creates or replaces a sku and returns the stored one. Stock is only used for a new sku; later
// it changes by ChangeStock and SetStock. If Version is not 0 and differs from the stored version, because another
// request has changed the sku, the error is stale_version, as of oplog.Check. Another kind or shop is a conflict while
// units that were sold as vouchers may need codes, or imported codes are left.
func (c *Catalogue) PutSKU(ctx context.Context, s SKU) (SKU, error) {
	if err := s.check(); err != nil {
		return SKU{}, err
	}
	if err := checkShop(ctx, s.Shop, "shop_id"); err != nil {
		return SKU{}, err
	}
	const update = `UPDATE skus SET shop_id = ?, title = ?, image_url = ?, description = ?, kind = ?, price = ?,
		currency = ?, freight_fee = ?, freight_free_over = ?, required_fields = ?, ` + newVersion + ` WHERE sku_id = ?`
	const insert = `INSERT INTO skus (shop_id, title, image_url, description, kind, price, currency, stock, freight_fee,
		freight_free_over, required_fields, updated_ms, sku_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	now := c.now().UnixMilli()
	var stored SKU
	err := c.put(ctx, func(tx *sqlx.Tx) (changed bool, err error) {
		before, err := lockSKU(ctx, tx, s.ID)
		if problem.CodeOf(err) == problem.CodeNotFound {
			return false, nil
		}
		if err == nil && api.Outside(ctx, before.Shop) {
			err = problem.NotFound("sku")
		}
		if err != nil {
			return false, err
		}
		if err := oplog.Check(ctx, tx, "sku:"+s.ID, s.Version, before.Version); err != nil {
			return false, err
		}
		if err := releaseIfOther(ctx, tx, before, s); err != nil {
			return false, err
		}
		if changed, err = execOne(ctx, tx, update, s.Shop, s.Title, s.ImageURL, s.Description, s.Kind, s.Price,
			s.Currency, s.Freight.Fee, s.Freight.FreeOver, s.RequiredFields, now, now, s.ID); err != nil || !changed {
			return false, err
		}
		found, err := selectSKU(ctx, tx, s.ID)
		if err != nil || found == nil {
			return false, err
		}
		stored = *found
		return true, recordSKU(ctx, tx, before, found)
	}, func(tx *sqlx.Tx) error {
		if err := oplog.Check(ctx, tx, "sku:"+s.ID, s.Version, 0); err != nil {
			return err
		}
		stored = s
		stored.Version, stored.StockVersion = now, 1
		_, err := tx.ExecContext(ctx, insert, s.Shop, s.Title, s.ImageURL, s.Description, s.Kind, s.Price, s.Currency,
			s.Stock, s.Freight.Fee, s.Freight.FreeOver, s.RequiredFields, now, s.ID)
		if err != nil {
			return err
		}
		return recordSKU(ctx, tx, nil, &stored)
	})
	if err != nil {
		return SKU{}, err
	}
	c.skus.Forget(s.ID)
	return stored, nil
}

// checkShop refuses to give a sku to another shop than that to which the request is confined.
func checkShop(ctx context.Context, shop, field string) error {
	if api.Outside(ctx, shop) {
		return problem.Invalid(field, "must be %s, the shop of this operator", api.ShopOf(ctx))
	}
	return nil
}

// PutPoint creates or replaces a stock point and returns it. It is a conflict if there are 10,000
// already. Version is as in PutSKU.
func (c *Catalogue) PutPoint(ctx context.Context, p Point) (Point, error) {
	p.Regions = regionNames(p.Regions)
	if err := p.check(); err != nil {
		return Point{}, err
	}
	regions, err := json.Marshal(p.Regions)
	if err != nil {
		return Point{}, fmt.Errorf("write regions of point %s: %w", p.ID, err)
	}
	const update = `UPDATE stock_points SET name = ?, regions = ?, freight_extra = ?, pickup = ?, address = ?,
		hours = ?, ` + newVersion + ` WHERE point_id = ?`
	const insert = `INSERT INTO stock_points (name, regions, freight_extra, pickup, address, hours, updated_ms,
		point_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
	now, had := c.now().UnixMilli(), p.Version
	err = c.put(ctx, func(tx *sqlx.Tx) (changed bool, err error) {
		before, err := lockPoint(ctx, tx, p.ID)
		if err != nil || before == nil {
			return false, err
		}
		if err := oplog.Check(ctx, tx, "point:"+p.ID, had, before.Version); err != nil {
			return false, err
		}
		if changed, err = execOne(ctx, tx, update, p.Name, string(regions), p.FreightExtra, flag(p.Pickup), p.Address,
			p.Hours, now, now, p.ID); err != nil || !changed {
			return false, err
		}
		p.Version = nextVersion(before.Version, now)
		if err := raisePoints(ctx, tx); err != nil {
			return false, err
		}
		return true, recordPoint(ctx, tx, before, &p)
	}, func(tx *sqlx.Tx) error {
		if err := oplog.Check(ctx, tx, "point:"+p.ID, had, 0); err != nil {
			return err
		}
		if err := checkRoom(ctx, tx, 1); err != nil {
			return err
		}
		p.Version = now
		_, err := tx.ExecContext(ctx, insert, p.Name, string(regions), p.FreightExtra, flag(p.Pickup), p.Address,
			p.Hours, now, p.ID)
		if err != nil {
			return err
		}
		if err := raisePoints(ctx, tx); err != nil {
			return err
		}
		return recordPoint(ctx, tx, nil, &p)
	})
	if err != nil {
		return Point{}, err
	}
	c.points.Forget(allPoints)
	return p, nil
}

// updated_ms is the version of a row: the time of its last change, or the old version plus 1 if that is
// higher. Ordinary orders and ChangeStock don't change it. newVersion has the time as argument, twice.
const newVersion = `updated_ms = CASE WHEN updated_ms >= ? THEN updated_ms + 1 ELSE ? END`

// nextVersion returns the version that newVersion sets.
func nextVersion(had, now int64) int64 {
	if had >= now {
		return had + 1
	}
	return now
}

// execOne runs an UPDATE of one row and reports whether it found the row. The UPDATE must always change
// the row.
func execOne(ctx context.Context, tx *sqlx.Tx, query string, args ...any) (bool, error) {
	res, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// putTries bounds how often put tries again after another request has inserted the row.
const putTries = 3

// put updates a row or, if update returns that there is none, inserts it in another transaction: an
// UPDATE that finds no row may lock the gap into which another transaction inserts its row.
func (c *Catalogue) put(ctx context.Context, update func(*sqlx.Tx) (bool, error), insert func(*sqlx.Tx) error) error {
	var err error
	for range putTries {
		var found bool
		err = c.db.InTx(ctx, func(tx *sqlx.Tx) (err error) {
			found, err = update(tx)
			return err
		})
		if err != nil || found {
			return err
		}
		if err = c.db.InTx(ctx, insert); !sqldb.IsDuplicate(err) {
			return err
		}
	}
	return err
}
