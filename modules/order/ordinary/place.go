package ordinary

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

const (
	// numberTries bounds how often numbers are generated, in case one is taken.
	numberTries = 5
	// composeTries bounds how often orders are composed, in case the goods are changed meanwhile.
	composeTries = 4
)

// Request is the body of a request that places ordinary orders.
type Request struct {
	Items       []Item             `json:"items" validate:"required,min=1,max=50,unique=SKU,dive"`
	Delivery    catalogue.Delivery `json:"delivery,omitempty" validate:"omitempty,oneof=express pickup none"`
	AddressID   string             `json:"address_id,omitempty" validate:"omitempty,id"`
	PickupPoint string             `json:"pickup_point_id,omitempty" validate:"omitempty,id"`
	// Confirmation is the confirmation of the Quotes that the buyer saw; "" if they saw none.
	Confirmation string `json:"confirmation,omitempty" validate:"max=64,visible"`
	order.ClientTexts
	order.Extras
	// Deliveries are what the orders of some shops have instead of Delivery, AddressID and PickupPoint.
	Deliveries []ShopDelivery `json:"deliveries,omitempty" validate:"max=50,unique=Shop,dive"`
}

// ShopDelivery is where the order of one shop goes.
type ShopDelivery struct {
	Shop        string             `json:"shop_id" validate:"required,id"`
	Delivery    catalogue.Delivery `json:"delivery,omitempty" validate:"omitempty,oneof=express pickup none"`
	AddressID   string             `json:"address_id,omitempty" validate:"omitempty,id"`
	PickupPoint string             `json:"pickup_point_id,omitempty" validate:"omitempty,id"`
}

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
// of a user return the same orders again, in their current state, as replayed; the key with another request is
// idempotency_key_reused. from is the client's IP address. Errors: invalid_request, address_required,
// not_found (a sku, an address), sold_out, price_changed, unavailable.
func (p *Placer) Place(
	ctx context.Context, user, key, from string, r Request,
) (views []order.View, replayed bool, err error) {
	digest, err := digestOf(r)
	if err != nil {
		return nil, false, err
	}
	prefix := taskPrefix(user, key)
	if views, err := p.replay(ctx, user, prefix, digest); err != nil || views != nil {
		return views, true, err
	}
	orders, err := p.placeAt(ctx, user, r, func(orders []*order.Order) {
		for i, o := range orders {
			o.User, o.Task, o.Digest, o.PlacedFrom = user, taskOf(prefix, i), digest, from
		}
	})
	if err == nil {
		return viewsOf(orders, nil), false, nil
	}
	// A concurrent call may have placed the same request, and perhaps taken the last unit, or before the price was
	// changed. Then its orders are the answer.
	if code := problem.CodeOf(err); sqldb.IsDuplicate(err) || code == order.CodeSoldOut || code == CodePriceChanged ||
		code == order.CodeTooManyUnpaid {
		if views, replayErr := p.replay(ctx, user, prefix, digest); replayErr != nil || views != nil {
			return views, true, replayErr
		}
	}
	return nil, false, err
}

// placeAt composes and stores the orders of a request, at the price that the buyer saw or, if they saw none, at the
// price that this instance knows. If SQL has another price, the error is price_changed. If something else has changed,
// such as a title, the orders are composed again. complete fills in what the request doesn't have.
func (p *Placer) placeAt(
	ctx context.Context, user string, r Request, complete func([]*order.Order),
) ([]*order.Order, error) {
	price := r.Confirmation
	for try := range composeTries {
		c, err := p.compose(ctx, user, r)
		if err != nil {
			return nil, err
		}
		complete(c.orders)
		is := confirmationOf(c.orders)
		switch {
		case price == "" || price == is:
			price = is
			if err := p.store(ctx, c); !errors.Is(err, errOutdated) {
				return c.orders, err
			}
		case try > 0: // the copies were read for this request
			return nil, priceChanged(c.orders)
		}
		p.catalogue.ForgetSKUs(c.ids())
		p.catalogue.ForgetPoints()
	}
	return nil, problem.Unavailable(errOutdated, "The goods are being changed; try again.")
}

// priceChanged says what orders cost now.
func priceChanged(orders []*order.Order) *problem.Error {
	costs := make([]string, len(orders))
	for i, o := range orders {
		costs[i] = api.Money(o.TotalAmount, o.Currency)
	}
	e := problem.Errorf(CodePriceChanged, "The orders cost %s now, which the buyer has not seen; confirm them again.",
		strings.Join(costs, " and "))
	e.Fields = []problem.Field{{Name: "confirmation", Detail: "is for other amounts"}}
	return e
}

// store stores the orders and takes their stock in one transaction. If a number is taken, it tries again
// with new numbers. The error is errOutdated if what they were composed from has changed.
func (p *Placer) store(ctx context.Context, c *composed) error {
	return p.db.Share(ctx, order.ContendedRows(c.orders...), func() error {
		if p.maxUnpaid <= 0 {
			return p.insert(ctx, c)
		}
		return catalogue.WithLockRow(ctx, p.db, c.orders[0].User, func() error { return p.insert(ctx, c) })
	})
}

func (p *Placer) insert(ctx context.Context, c *composed) (err error) {
	orders := c.orders
	for range numberTries {
		p.number(orders)
		err = p.db.InTx(ctx, func(tx *sqlx.Tx) error {
			if err := p.requireFew(ctx, tx, orders[0].User); err != nil {
				return err
			}
			if err := order.Write(ctx, tx, orders, p.changed); err != nil {
				return err
			}
			if err := c.takeStock(ctx, tx); err != nil { // after the host, since others wait for the rows
				return err
			}
			return order.Count(ctx, tx, orders)
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
		o.PlacedAt, o.PayBefore = api.Millis(at.UnixMilli()), api.Millis(at.Add(payWithin).UnixMilli())
	}
}

// tooFew says that a sku has fewer units than are wanted, and not how many.
func tooFew(sku string, quantity int64) *problem.Error {
	return problem.Errorf(order.CodeSoldOut, "Sku %s has fewer than %d left.", sku, quantity)
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
