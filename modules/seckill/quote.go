package seckill

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sign"
)

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
