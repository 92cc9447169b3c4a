package seckill

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
)

// Line is units of one sku of an order of several skus, a basket.
type Line struct {
	SKU      string `json:"sku_id" validate:"required,id"`
	Quantity *int64 `json:"quantity" validate:"omitempty,min=1,max=9999"` // nil in a body without one: 1
}

// skuSeparator separates the skus of a basket in a path. No id has it.
const skuSeparator = ","

// tidy orders lines by sku, so that the same lines in another order are the same request.
func tidy(lines []Line) {
	for i := range lines {
		if lines[i].Quantity == nil {
			lines[i].Quantity = new(int64)
			*lines[i].Quantity = 1
		}
	}
	slices.SortStableFunc(lines, func(a, b Line) int { return strings.Compare(a.SKU, b.SKU) })
}

// skusOf returns the skus of lines as a path has them. The error is invalid_request for a sku that is given twice.
func skusOf(lines []Line) (string, error) {
	skus := make([]string, len(lines))
	for i, l := range lines {
		if slices.Contains(skus[:i], l.SKU) {
			return "", problem.Invalid(fmt.Sprintf("lines[%d].sku_id", i), "is given twice")
		}
		skus[i] = l.SKU
	}
	slices.Sort(skus)
	return strings.Join(skus, skuSeparator), nil
}

// goods returns the activity and the skus of a path.
func (ac *ActivityCache) goods(ctx context.Context, p path) (*Activity, []*ActivitySKU, error) {
	a, err := ac.Get(ctx, p.activity)
	if err != nil {
		return nil, nil, err
	}
	goods, err := a.goods(p.sku)
	return a, goods, err
}

// goods returns the skus of a path. Errors: not_found for a sku that the sale doesn't have, invalid_request for more
// skus than an order of it may have.
func (a *Activity) goods(skus string) ([]*ActivitySKU, error) {
	if g, ok := a.sku(skus); ok {
		return []*ActivitySKU{g}, nil
	}
	ids := strings.Split(skus, skuSeparator)
	if len(ids) > max(1, a.BasketMax) {
		return nil, problem.Invalid("lines", "has %d skus; an order of this sale has at most %d", len(ids),
			max(1, a.BasketMax))
	}
	goods := make([]*ActivitySKU, len(ids))
	for i, id := range ids {
		g, ok := a.sku(id)
		if !ok {
			return nil, problem.NotFound("sku in this sale")
		}
		if g.Bundle() {
			return nil, problem.Invalid(fmt.Sprintf("lines[%d].sku_id", i), "is a bundle, which is ordered alone")
		}
		goods[i] = g
	}
	return goods, nil
}

// orderLine is units of a sku that an order takes.
type orderLine struct {
	*ActivitySKU
	quantity int64
	bundle   *orderLine // that it is a part of; nil: none
}

func (l orderLine) limited() bool { return l.PurchaseLimit != Unlimited }

// linesOf returns what an order with a path for goods takes; the lines of the choice must be tidy.
func linesOf(goods []*ActivitySKU, c Choice) ([]orderLine, error) {
	if len(c.Lines) == 0 && len(goods) == 1 {
		return []orderLine{{goods[0], c.Quantity, nil}}, nil
	}
	if c.Quantity != 1 {
		return nil, problem.Invalid("quantity", "can't be given beside lines")
	}
	if !slices.EqualFunc(goods, c.Lines, func(g *ActivitySKU, l Line) bool { return g.SKU == l.SKU }) {
		return nil, problem.Invalid("lines", "must have each sku of the path once, and no other")
	}
	lines := make([]orderLine, len(goods))
	for i, g := range goods {
		lines[i] = orderLine{g, *c.Lines[i].Quantity, nil}
	}
	return lines, nil
}

// serving returns whether a stock point has all the skus.
func serving(lines []orderLine) func(point string) bool {
	return func(point string) bool {
		return !slices.ContainsFunc(lines, func(l orderLine) bool { return !l.serves(point) })
	}
}

// amountsOf returns what lines of a kind cost and how many units they are. Errors are invalid_request.
func amountsOf(lines []orderLine) (goods, units int64, err error) {
	for _, l := range lines {
		if l.Kind != lines[0].Kind {
			return 0, 0, problem.Invalid("lines", "must be of goods of one kind")
		}
		amount, err := catalogue.Amount(l.FlashPrice, l.quantity)
		if err != nil {
			return 0, 0, err
		}
		if goods, err = catalogue.Total(goods, amount); err != nil {
			return 0, 0, err
		}
		units += l.quantity
	}
	if lines[0].Kind == catalogue.Voucher && units > order.MaxVouchers {
		return 0, 0, problem.Invalid("quantity", "an order has at most %d vouchers", order.MaxVouchers)
	}
	return goods, units, nil
}

// itemsOf returns the items of an order of lines from a stock point.
func itemsOf(lines []orderLine, point string) []order.Item {
	items := make([]order.Item, len(lines))
	for i, l := range lines {
		items[i] = order.Item{
			SKU: l.SKU, Kind: l.Kind, Title: l.Title, ImageURL: l.ImageURL, Quantity: l.quantity, Price: l.FlashPrice,
			Point: point,
		}
	}
	return items
}

// quotedLine is a line of a basket in a quote.
type quotedLine struct {
	SKU      string `json:"s"`
	Quantity int64  `json:"q"`
	Price    int64  `json:"p"`
}

// put writes lines into a quote.
func (q *quote) put(lines []orderLine, units int64) {
	q.SKU, q.Kind, q.Currency, q.Quantity = lines[0].SKU, lines[0].Kind, lines[0].Currency, units
	if len(lines) == 1 {
		q.Price = lines[0].FlashPrice
		return
	}
	skus := make([]string, len(lines))
	for i, l := range lines {
		skus[i] = l.SKU
		q.Lines = append(q.Lines, quotedLine{l.SKU, l.quantity, l.FlashPrice})
	}
	q.SKU = strings.Join(skus, skuSeparator)
	if b := bundleOf(lines); b != nil {
		q.SKU = b.SKU
	}
}

// isOf reports whether a quote has these units of the lines.
func (q *quote) isOf(lines []orderLine) bool {
	if len(q.Lines) == 0 {
		return len(lines) == 1 && q.Quantity == lines[0].quantity
	}
	return slices.EqualFunc(q.Lines, lines, func(had quotedLine, l orderLine) bool {
		return had.SKU == l.SKU && had.Quantity == l.quantity
	})
}

// isPriced reports whether the lines of a quote still have its kind, currency and prices.
func (q *quote) isPriced(lines []orderLine) bool {
	for i, l := range lines {
		price := q.Price
		if len(q.Lines) > 0 {
			price = q.Lines[i].Price
		}
		if l.Kind != q.Kind || l.Currency != q.Currency || l.FlashPrice != price {
			return false
		}
	}
	return true
}

// lineOf returns the line of a sku that the script refused, which may be a bundle; of an order of one sku its only one.
func lineOf(lines []orderLine, sku string) orderLine {
	if b := bundleOf(lines); b != nil && b.SKU == sku {
		return *b
	}
	for _, l := range lines {
		if l.SKU == sku {
			return l
		}
	}
	return lines[0]
}

// named returns the refusal of an order because of one of its skus. The refusal of a basket names the sku, and the
// refusal of a bundle names a part.
func named(err error, goods []*ActivitySKU, sku string) error {
	var e *problem.Error
	if !errors.As(err, &e) {
		return err
	}
	reason := problem.Field{Name: "sku_id", Detail: "its part " + sku + " is the reason"}
	isSKU := func(g *ActivitySKU) bool { return g.SKU == sku }
	switch at := slices.IndexFunc(goods, isSKU); {
	case len(goods) > 1 && at >= 0:
		reason = problem.Field{Name: fmt.Sprintf("lines[%d].sku_id", at), Detail: "sku " + sku + " is the reason"}
	case len(goods) > 1 || !slices.ContainsFunc(goods[0].Parts, func(p Part) bool { return p.SKU == sku }):
		return err
	}
	about := *e
	about.Fields = append(slices.Clone(e.Fields), reason)
	return &about
}

// CheckBasket returns why a sale can't let an order take several skus, or nil: it may not have a waiting list, which
// offers units of one sku.
func (a *Activity) CheckBasket() error {
	switch {
	case a.BasketMax == 0:
		return nil
	case a.BasketMax < 2 || a.BasketMax > lua.MaxTakes:
		return problem.Invalid("basket_max", "must be 0 or from 2 to %d", lua.MaxTakes)
	case a.OfferWithinS > 0:
		return problem.Invalid("offer_within_s", "can't be used with basket_max: it offers units of one sku")
	}
	return nil
}
