package ordinary

import (
	"context"
	"errors"
	"slices"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
)

// Quotes says what the orders of a request would cost.
type Quotes struct {
	// Quotes are one per shop, ordered by shop id, of the items without a problem.
	Quotes []Quote `json:"quotes"`
	// Problems are why the other items can't be ordered now. With none, Place accepts the request if it has the
	// fields that the skus require, unless somebody else is faster.
	Problems []ItemProblem `json:"problems"`
	// Confirmation stands for the amounts. Place with it charges no others.
	Confirmation string `json:"confirmation"`
}

// Quote is the destination and the cost of a future order. Amounts are in minor units.
type Quote struct {
	Shop          string             `json:"shop_id"`
	Kind          catalogue.Kind     `json:"kind"`
	Items         []order.Item       `json:"items"`
	PointID       string             `json:"point_id"`
	Delivery      catalogue.Delivery `json:"delivery"`
	Address       *catalogue.Address `json:"address,omitempty"`
	PickupPoint   string             `json:"pickup_point_id,omitempty"`
	GoodsAmount   int64              `json:"goods_amount"`
	FreightAmount int64              `json:"freight_amount"`
	TotalAmount   int64              `json:"total_amount"`
	Currency      string             `json:"currency"`
}

// ItemProblem is why an item can't be ordered: the code is not_found, sold_out or invalid_request.
type ItemProblem struct {
	SKU    string `json:"sku_id"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// Confirm determines where the orders of a request would go and what they would cost, by the same rules as Place, from
// copies that are at most a second old. It changes nothing and holds no units. A problem of one item doesn't hide the
// cost of the others; a problem of the delivery is an error: invalid_request, address_required, not_found (the
// address).
func (p *Placer) Confirm(ctx context.Context, user string, r Request) (*Quotes, error) {
	ids := make([]string, len(r.Items))
	for i, it := range r.Items {
		ids[i] = it.SKU
	}
	skus, err := p.catalogue.KnownSKUs(ctx, ids)
	if err != nil {
		return nil, err
	}
	quotes := &Quotes{Quotes: []Quote{}, Problems: []ItemProblem{}}
	for _, it := range r.Items {
		sku, ok := skus[it.SKU]
		switch {
		case !ok:
			quotes.add(it.SKU, problem.NotFound("sku"))
		case sku.Stock < it.Quantity:
			quotes.add(it.SKU, tooFew(it.SKU, it.Quantity))
			delete(skus, it.SKU)
		}
	}
	baskets := quotes.leaveOut(fillBaskets(r.Items, skus))
	dests, err := p.resolve(ctx, user, r, baskets)
	if err != nil {
		return nil, err
	}
	orders := make([]*order.Order, len(baskets))
	for i, b := range baskets {
		if orders[i], err = b.order(dests[i]); err != nil {
			return nil, err
		}
		quotes.Quotes = append(quotes.Quotes, quoteOf(orders[i], dests[i]))
	}
	quotes.Confirmation = confirmationOf(orders)
	slices.SortFunc(quotes.Problems, func(a, b ItemProblem) int {
		return slices.Index(ids, a.SKU) - slices.Index(ids, b.SKU)
	})
	return quotes, nil
}

func (q *Quotes) add(sku string, e *problem.Error) {
	q.Problems = append(q.Problems, ItemProblem{SKU: sku, Code: e.Code.Name, Detail: e.Detail})
}

// leaveOut removes items that can't be in one order with the items before them, and then baskets without items. The
// destination isn't known yet, and doesn't matter here: it only changes the freight, which is bounded.
func (q *Quotes) leaveOut(baskets []*basket) []*basket {
	for _, b := range baskets {
		for len(b.skus) > 0 {
			_, err := b.order(catalogue.Destination{Delivery: catalogue.Express})
			var wrong *itemError
			if !errors.As(err, &wrong) {
				break
			}
			q.add(b.skus[wrong.at].ID, wrong.err)
			b.drop(wrong.at)
		}
	}
	return slices.DeleteFunc(baskets, func(b *basket) bool { return len(b.skus) == 0 })
}

func quoteOf(o *order.Order, dest catalogue.Destination) Quote {
	return Quote{
		Shop: o.Shop, Kind: o.Kind, Items: o.Items, PointID: o.Point, Delivery: o.Delivery, Address: dest.Address,
		PickupPoint: o.PickupPoint, GoodsAmount: o.GoodsAmount, FreightAmount: o.FreightAmount,
		TotalAmount: o.TotalAmount, Currency: o.Currency,
	}
}
