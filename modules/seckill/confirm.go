package seckill

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/netip"
	"strings"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sign"
)

// Choice is what a buyer chooses to confirm and to submit: quantity in units, delivery and destination.
type Choice struct {
	Quantity    int64              `json:"quantity" validate:"min=1,max=9999"` // 1 in a body without one
	Delivery    catalogue.Delivery `json:"delivery,omitempty" validate:"omitempty,oneof=express pickup none"`
	AddressID   string             `json:"address_id,omitempty" validate:"omitempty,id"`
	PickupPoint string             `json:"pickup_point_id,omitempty" validate:"omitempty,id"`
}

// oneUnit is the choice of a body that says nothing else.
func oneUnit() Choice { return Choice{Quantity: 1} }

// Confirmed is the destination and the cost of a future order. Amounts are in minor units. Confirmation is a
// signed text that contains all of it, so that a submit with it needs no SQL.
type Confirmed struct {
	Items         []order.Item       `json:"items"`
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

// quote is the signed content of a confirmation: everything that determines where an order goes and its cost.
type quote struct {
	User        string             `json:"u"`
	Activity    string             `json:"a"`
	SKU         string             `json:"s"`
	Kind        catalogue.Kind     `json:"i"`
	Currency    string             `json:"c"`
	Quantity    int64              `json:"q"`
	Price       int64              `json:"p"`
	Freight     int64              `json:"f"`
	Delivery    catalogue.Delivery `json:"d"`
	Point       string             `json:"o"`
	PickupPoint string             `json:"k,omitempty"`
	Address     *catalogue.Address `json:"r,omitempty"`
	ExpiresMS   int64              `json:"x"`
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
	a, g, err := s.cache.goods(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := s.limits.Request(ctx, a.Limits, a.ID, user, from); err != nil {
		return nil, err
	}
	if e := s.running(a); e != nil {
		return nil, e
	}
	if e := s.anyLeft(ctx, a, g); e != nil {
		return nil, e
	}
	q, err := s.quote(ctx, user, a, g, c)
	if err != nil {
		return nil, err
	}
	if e := s.leftAt(ctx, a, g, q.Point); e != nil {
		return nil, e
	}
	if err := s.limitReached(ctx, a, g, user, q.Quantity); err != nil {
		return nil, err
	}
	goods, err := catalogue.Amount(q.Price, q.Quantity)
	if err != nil {
		return nil, err
	}
	return &Confirmed{
		Items: []order.Item{
			{
				SKU: g.SKU, Kind: g.Kind, Title: g.Title, ImageURL: g.ImageURL, Quantity: q.Quantity, Price: q.Price,
				Point: q.Point,
			},
		},
		PointID: q.Point, Delivery: q.Delivery, Address: q.Address, PickupPoint: q.PickupPoint,
		GoodsAmount: goods, FreightAmount: q.Freight, TotalAmount: goods + q.Freight, Currency: g.Currency,
		Confirmation: s.sign.sealQuote(q), ExpiresAt: api.Millis(q.ExpiresMS),
	}, nil
}

// quote determines delivery, stock point and amounts.
func (s *Service) quote(ctx context.Context, user string, a *Activity, g *ActivitySKU, c Choice) (quote, error) {
	if g.Kind == catalogue.Voucher && c.Quantity > order.MaxVouchers {
		return quote{}, problem.Invalid("quantity", "an order has at most %d vouchers", order.MaxVouchers)
	}
	want := catalogue.Want{Delivery: c.Delivery, AddressID: c.AddressID, PickupPoint: c.PickupPoint}
	dest, err := s.destinations.Resolve(ctx, user, g.Kind, want, g.serves)
	if err != nil {
		return quote{}, err
	}
	goods, err := catalogue.Amount(g.FlashPrice, c.Quantity)
	if err != nil {
		return quote{}, err
	}
	freight := catalogue.Freight(goods, []catalogue.FreightRule{{Fee: g.Fee, FreeOver: g.FreeOver}}, dest)
	if _, err := catalogue.Total(goods, freight); err != nil {
		return quote{}, err
	}
	return quote{
		User: user, Activity: a.ID, SKU: g.SKU, Kind: g.Kind, Currency: g.Currency, Quantity: c.Quantity,
		Price:    g.FlashPrice,
		Freight:  freight,
		Delivery: dest.Delivery, Point: dest.Point, PickupPoint: dest.PickupPoint, Address: dest.Address,
		ExpiresMS: s.clock.NowMS() + confirmedFor.Milliseconds(),
	}, nil
}

func (s signer) sealQuote(q quote) string {
	body, err := json.Marshal(q)
	if err != nil {
		panic("encode quote: " + err.Error())
	}
	sum := s.confirmation.Sign(string(body))
	return base64.RawURLEncoding.EncodeToString(body) + "." + base64.RawURLEncoding.EncodeToString(sum[:])
}

// openQuote verifies a confirmation, which must be of this user, sku and choice, and returns its quote.
func (s *Service) openQuote(user, sealed string, p path, c Choice) (quote, error) {
	invalid := func(format string, args ...any) (quote, error) {
		return quote{}, problem.Invalid("confirmation", format, args...)
	}
	bodyText, sumText, _ := strings.Cut(sealed, ".")
	body, err := sign.Decode(bodyText)
	if err != nil {
		return invalid("is not valid")
	}
	given, err := sign.Decode(sumText)
	if err != nil || !s.sign.confirmation.Accepts(given, string(body)) {
		return invalid("is not valid")
	}
	var q quote
	if err := json.Unmarshal(body, &q); err != nil {
		return invalid("is not valid")
	}
	switch {
	case q.User != user || q.Activity != p.activity || q.SKU != p.sku:
		return invalid("is for another order")
	case q.Quantity != c.Quantity:
		return invalid("is for a quantity of %d", q.Quantity)
	case c.Delivery != "" && c.Delivery != q.Delivery:
		return invalid("is for delivery %q", q.Delivery)
	case c.AddressID != "" && (q.Address == nil || q.Address.AddressID != c.AddressID):
		return invalid("is for another address")
	case c.PickupPoint != "" && c.PickupPoint != q.PickupPoint:
		return invalid("is for another pickup point")
	case s.clock.NowMS() >= q.ExpiresMS:
		return invalid("has expired; confirm again")
	}
	return q, nil
}
