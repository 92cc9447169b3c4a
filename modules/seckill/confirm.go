package seckill

import (
	"cmp"
	"context"
	"net/netip"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
)

// Choice is what a buyer chooses to confirm and to submit: quantity in units, delivery and destination.
type Choice struct {
	Quantity    int64              `json:"quantity" validate:"min=1,max=9999"` // 1 in a body without one
	Delivery    catalogue.Delivery `json:"delivery,omitempty" validate:"omitempty,oneof=express pickup none"`
	AddressID   string             `json:"address_id,omitempty" validate:"omitempty,id"`
	PickupPoint string             `json:"pickup_point_id,omitempty" validate:"omitempty,id"`
	// Lines are what an order of several skus takes; then Quantity is 1.
	Lines []Line `json:"lines,omitempty" validate:"omitempty,min=1,max=10,dive"`
}

// oneUnit is the choice of a body that says nothing else.
func oneUnit() Choice { return Choice{Quantity: 1} }

// Confirmed is the destination and the cost of a future order. Amounts are in minor units. Confirmation is a
// signed text that contains all of it, so that a submit with it needs no SQL.
type Confirmed struct {
	Items         []order.Item       `json:"items"`
	Bundle        *order.Bundle      `json:"bundle,omitempty"` // whose parts the items are
	PointID       string             `json:"point_id"`
	Delivery      catalogue.Delivery `json:"delivery"`
	Address       *catalogue.Address `json:"address,omitempty"`
	PickupPoint   string             `json:"pickup_point_id,omitempty"`
	GoodsAmount   int64              `json:"goods_amount"`
	FreightAmount int64              `json:"freight_amount"`
	TotalAmount   int64              `json:"total_amount"`
	Currency      string             `json:"currency"`
	Confirmation  string             `json:"confirmation"`
	ExpiresAt     api.Millis         `json:"expires_at"`
}

// Confirm determines where an order goes and what it costs, and signs that. It changes nothing and holds no units, but
// refuses goods that are sold out, and units above a limit. It counts under the limits of the sale, by the user and the
// address, which is an invalid one if it doesn't count.
func (s *Service) Confirm(
	ctx context.Context, user, sealed string, from netip.Addr, c Choice,
) (*Confirmed, error) {
	p, err := s.sign.openPath(user, sealed)
	if err != nil {
		return nil, err
	}
	confirmed, err := s.confirm(ctx, user, p, from, c)
	return confirmed, problem.About(p.activity, p.sku, "", err)
}

func (s *Service) confirm(ctx context.Context, user string, p path, from netip.Addr, c Choice) (*Confirmed, error) {
	if e := p.expired(s.clock.NowMS()); e != nil {
		return nil, e
	}
	a, of, err := s.cache.goods(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := s.limits.Request(ctx, a.Limits, a.ID, user, from); err != nil {
		return nil, err
	}
	if err := p.fits(a); err != nil {
		return nil, err
	}
	if e := s.running(a, p.earlyMS(a)); e != nil {
		return nil, e
	}
	if e := s.anyOfEachLeft(ctx, a, of, p.reserved); e != nil && !s.offered(ctx, a, p.sku, user) {
		return nil, e
	}
	tidy(c.Lines)
	lines, err := linesOf(of, c)
	if err != nil {
		return nil, err
	}
	if lines, err = a.unbundle(lines); err != nil {
		return nil, err
	}
	q, err := s.quote(ctx, user, a, lines, c)
	if err != nil {
		return nil, err
	}
	for _, l := range lines {
		if e := s.leftAt(ctx, a, l.ActivitySKU, q.Point, p.reserved); e != nil && !s.offered(ctx, a, p.sku, user) {
			return nil, named(e, of, l.SKU)
		}
	}
	if err := s.limitReached(ctx, a, lines, cmp.Or(p.limitKey, user)); err != nil {
		return nil, err
	}
	goods, _, err := amountsOf(lines)
	if err != nil {
		return nil, err
	}
	return &Confirmed{
		Items: itemsOf(lines, q.Point), Bundle: ordered(lines),
		PointID: q.Point, Delivery: q.Delivery, Address: q.Address, PickupPoint: q.PickupPoint,
		GoodsAmount: goods, FreightAmount: q.Freight, TotalAmount: goods + q.Freight, Currency: q.Currency,
		Confirmation: s.sign.sealQuote(q), ExpiresAt: api.Millis(q.ExpiresMS),
	}, nil
}
