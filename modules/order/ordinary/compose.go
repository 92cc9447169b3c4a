package ordinary

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/tracing"
)

// errOutdated says that SQL has other goods or stock points than orders were composed from.
var errOutdated = errors.New("the goods or the stock points have changed")

// composed are the orders of a request without numbers, one per shop, ordered by shop id, and what they were composed
// from.
type composed struct {
	orders []*order.Order
	units  []units
	points int64 // the version of the stock points that decided where the orders go; 0: none did
}

// units are what orders take of a sku.
type units struct {
	sku      catalogue.SKU
	quantity int64
}

// compose returns the orders of a request.
func (p *Placer) compose(ctx context.Context, user string, r Request) (*composed, error) {
	ids := make([]string, len(r.Items))
	for i, it := range r.Items {
		ids[i] = it.SKU
	}
	skus, err := p.catalogue.KnownSKUs(ctx, ids)
	if err != nil {
		return nil, err
	}
	if err := unknown(r.Items, skus); err != nil {
		return nil, err
	}
	baskets := fillBaskets(r.Items, skus)
	c := &composed{orders: make([]*order.Order, len(baskets))}
	for _, it := range r.Items {
		c.units = append(c.units, units{skus[it.SKU], it.Quantity})
	}
	dests, err := p.resolve(ctx, user, r, baskets)
	if err != nil {
		return nil, err
	}
	for i, b := range baskets {
		if c.orders[i], err = b.order(dests[i]); err != nil {
			return nil, err
		}
		c.orders[i].Trace = tracing.Parent(ctx)
		c.points = max(c.points, dests[i].PointsVersion)
		r.PutInto(c.orders[i])
		if err := r.PutExtras(c.orders[i]); err != nil {
			return nil, err
		}
		for _, sku := range b.skus {
			if err := r.RequireFields(sku.ID, sku.RequiredFields); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// ids returns the ids of the skus.
func (c *composed) ids() []string {
	ids := make([]string, len(c.units))
	for i := range c.units {
		ids[i] = c.units[i].sku.ID
	}
	return ids
}

// takeStock takes the units of all orders, if SQL still has what they were composed from, which then stays so until the
// transaction ends. It locks the skus in ascending order, like every change of several skus, and the stock points last.
// Errors: sold_out if a sku has too few units, errOutdated.
func (c *composed) takeStock(ctx context.Context, tx *sqlx.Tx) error {
	slices.SortFunc(c.units, func(a, b units) int { return cmp.Compare(a.sku.ID, b.sku.ID) })
	for i := range c.units {
		if err := c.units[i].take(ctx, tx); err != nil {
			return err
		}
	}
	if c.points == 0 {
		return nil
	}
	switch same, err := catalogue.SamePoints(ctx, tx, c.points); {
	case err != nil:
		return err
	case !same:
		return errOutdated
	}
	return nil
}

func (u *units) take(ctx context.Context, tx *sqlx.Tx) error {
	// A sku that was deleted and made again within a millisecond has the same version: so its price is compared, too.
	const update = `UPDATE skus SET stock = stock - ?, stock_version = stock_version + 1
		WHERE sku_id = ? AND stock >= ? AND updated_ms = ? AND price = ? AND currency = ?
		AND freight_fee = ? AND freight_free_over = ?`
	sku := &u.sku
	res, err := tx.ExecContext(ctx, update, u.quantity, sku.ID, u.quantity, sku.Version, sku.Price, sku.Currency,
		sku.Freight.Fee, sku.Freight.FreeOver)
	if err != nil {
		return fmt.Errorf("take %d of sku %s: %w", u.quantity, sku.ID, err)
	}
	switch n, err := res.RowsAffected(); {
	case err != nil:
		return fmt.Errorf("take %d of sku %s: %w", u.quantity, sku.ID, err)
	case n > 0:
		return nil
	}
	var same int
	const query = `SELECT COUNT(*) FROM skus WHERE sku_id = ? AND stock < ? AND updated_ms = ?`
	if err := tx.GetContext(ctx, &same, query, sku.ID, u.quantity, sku.Version); err != nil {
		return fmt.Errorf("look for sku %s: %w", sku.ID, err)
	}
	if same == 0 {
		return errOutdated
	}
	return tooFew(sku.ID, u.quantity)
}

// confirmationOf returns what a buyer who saw the orders hands back: a digest of all that concerns money.
func confirmationOf(orders []*order.Order) string {
	hash := sha256.New()
	for _, o := range orders {
		_, _ = fmt.Fprintf(hash, "%q %s %d %d\n", o.Shop, o.Currency, o.FreightAmount, o.TotalAmount)
		for _, it := range o.Items {
			_, _ = fmt.Fprintf(hash, "%q %d %d\n", it.SKU, it.Quantity, it.Price)
		}
	}
	return base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:16])
}
