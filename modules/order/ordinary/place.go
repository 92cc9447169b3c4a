package ordinary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
	"onrush/modules/tracing"
)

// numberTries bounds how often numbers are generated, in case one is taken.
const numberTries = 5

// Request is the body of a request that places ordinary orders.
type Request struct {
	Items       []Item             `json:"items" validate:"required,min=1,max=50,unique=SKU,dive"` // at most maxItems
	Delivery    catalogue.Delivery `json:"delivery,omitempty" validate:"omitempty,oneof=express pickup none"`
	AddressID   string             `json:"address_id,omitempty" validate:"omitempty,id"`
	PickupPoint string             `json:"pickup_point_id,omitempty" validate:"omitempty,id"`
	order.ClientTexts
}

// maxItems bounds the items of a request, and so its orders.
const maxItems = 50

// Item is a quantity of one sku.
type Item struct {
	SKU      string `json:"sku_id" validate:"required,id"`
	Quantity int64  `json:"quantity" validate:"min=1,max=9999"` // 1 in a body without one
}

// UnmarshalJSONFrom reads an item; without a quantity it is one unit.
func (it *Item) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type item Item
	read := item{Quantity: 1}
	if err := json.UnmarshalDecode(dec, &read); err != nil {
		return err
	}
	*it = Item(read)
	return nil
}

// Place places one order per shop, all or none. The caller has checked r by its tags. The same key and request
// of a user return the same orders again, in their current state; the key with another request is
// idempotency_key_reused. from is the client's IP address. Errors: invalid_request, address_required,
// not_found (a sku, an address), sold_out, unavailable.
func (p *Placer) Place(ctx context.Context, user, key, from string, r Request) ([]order.View, error) {
	digest, err := digestOf(r)
	if err != nil {
		return nil, err
	}
	prefix := taskPrefix(user, key)
	if views, err := p.replay(ctx, user, prefix, digest); err != nil || views != nil {
		return views, err
	}
	orders, err := p.compose(ctx, user, r)
	if err != nil {
		return nil, err
	}
	for i, o := range orders {
		o.User, o.Task, o.Digest, o.PlacedFrom = user, taskOf(prefix, i), digest, from
	}
	err = p.store(ctx, orders)
	if err == nil {
		return viewsOf(orders, nil), nil
	}
	// A concurrent call may have placed the same request, and perhaps taken the last unit. Then its
	// orders are the answer.
	if sqldb.IsDuplicate(err) || problem.CodeOf(err) == order.CodeSoldOut {
		if views, replayErr := p.replay(ctx, user, prefix, digest); replayErr != nil || views != nil {
			return views, replayErr
		}
	}
	return nil, sqldb.Problem(err, "place ordinary orders")
}

// store stores the orders and takes their stock in one transaction. If a number is taken, it tries again
// with new numbers.
func (p *Placer) store(ctx context.Context, orders []*order.Order) error {
	release, err := p.db.Share(ctx, order.ContendedRows(orders...)...)
	if err != nil {
		return err
	}
	defer release()
	for range numberTries {
		p.number(orders)
		err = p.db.InTx(ctx, func(tx *sqlx.Tx) error {
			if err := takeStock(ctx, tx, orders); err != nil {
				return err
			}
			return order.Insert(ctx, tx, orders)
		})
		if !sqldb.IsDuplicate(err) {
			return err
		}
		if taken, readErr := p.taskTaken(ctx, orders[0].Task); readErr != nil || taken {
			return errors.Join(err, readErr)
		}
	}
	return err
}

// number sets the orders' times and their numbers, which are of lane 0 and unique among the orders.
func (p *Placer) number(orders []*order.Order) {
	at := p.now()
	used := make(map[order.Number]bool, len(orders))
	for _, o := range orders {
		o.Number = order.NewNumber(at, 0, p.random())
		for used[o.Number] { // at most 50 of 4 million are used
			o.Number = order.NewNumber(at, 0, uint32(o.Number&order.SeqMask)+1)
		}
		used[o.Number] = true
		o.PlacedAt, o.PayBefore = api.Millis(at.UnixMilli()), api.Millis(at.Add(p.cfg.PayWithin).UnixMilli())
	}
}

// takeStock takes the units of all orders. It locks the skus in ascending order, like every change of
// several skus. If a sku has too few units, the error is sold_out.
func takeStock(ctx context.Context, tx *sqlx.Tx, orders []*order.Order) error {
	var items []order.Item
	for _, o := range orders {
		items = append(items, o.Items...)
	}
	slices.SortFunc(items, func(a, b order.Item) int { return cmp.Compare(a.SKU, b.SKU) })
	for _, it := range items {
		const update = `UPDATE skus SET stock = stock - ?, stock_version = stock_version + 1
			WHERE sku_id = ? AND stock >= ?`
		res, err := tx.ExecContext(ctx, update, it.Quantity, it.SKU, it.Quantity)
		if err != nil {
			return fmt.Errorf("take %d of sku %s: %w", it.Quantity, it.SKU, err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return fmt.Errorf("take %d of sku %s: %w", it.Quantity, it.SKU, err)
		}
		if n == 0 {
			return tooFew(it.SKU, it.Quantity)
		}
	}
	return nil
}

// tooFew says that a sku has fewer units than are wanted, and not how many.
func tooFew(sku string, quantity int64) *problem.Error {
	return problem.Errorf(order.CodeSoldOut, "Sku %s has fewer than %d left.", sku, quantity)
}

// compose returns the orders of a request without numbers, one per shop, ordered by shop id.
func (p *Placer) compose(ctx context.Context, user string, r Request) ([]*order.Order, error) {
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
	orders := make([]*order.Order, len(baskets))
	dests, err := p.resolve(ctx, user, r, baskets)
	if err != nil {
		return nil, err
	}
	for i, b := range baskets {
		if orders[i], err = b.order(dests[i]); err != nil {
			return nil, err
		}
		orders[i].Trace = tracing.Parent(ctx)
		r.PutInto(orders[i])
	}
	return orders, nil
}

// unknown returns a not_found that names the items whose sku doesn't exist, or nil if there is none.
func unknown(items []Item, skus map[string]catalogue.SKU) error {
	var ids []string
	var wrong []problem.Field
	for i, it := range items {
		if _, ok := skus[it.SKU]; !ok {
			ids = append(ids, it.SKU)
			wrong = append(wrong, problem.Field{Name: fmt.Sprintf("items[%d].sku_id", i), Detail: "does not exist"})
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	e := problem.NotFound("sku: " + strings.Join(ids, ", "))
	e.Fields = wrong[:min(len(wrong), problem.MaxFields)]
	return e
}

// resolve returns where each basket goes. All baskets with physical goods go to the same place, which is looked
// up once.
func (p *Placer) resolve(
	ctx context.Context, user string, r Request, baskets []*basket,
) ([]catalogue.Destination, error) {
	want := catalogue.Want{Delivery: r.Delivery, AddressID: r.AddressID, PickupPoint: r.PickupPoint}
	dests := make([]catalogue.Destination, len(baskets))
	first := slices.IndexFunc(baskets, func(b *basket) bool { return b.kind == catalogue.Physical })
	if first >= 0 {
		dest, err := p.destinations.Resolve(ctx, user, catalogue.Physical, want, nil)
		if err != nil {
			return nil, err
		}
		dests[first], want = dest, catalogue.Want{} // the requested delivery is for the physical goods
	}
	for i, b := range baskets {
		if b.kind == catalogue.Physical {
			dests[i] = dests[first]
			continue
		}
		var err error
		if dests[i], err = p.destinations.Resolve(ctx, user, b.kind, want, nil); err != nil {
			return nil, err
		}
	}
	return dests, nil
}
