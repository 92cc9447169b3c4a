package seckill

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"

	"onrush/modules/catalogue"
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
	Lines       []quotedLine       `json:"l,omitempty"` // of a basket, whose Quantity is all its units
}

// quote determines delivery, stock point and amounts.
func (s *Service) quote(ctx context.Context, user string, a *Activity, lines []orderLine, c Choice) (quote, error) {
	goods, units, err := amountsOf(lines)
	if err != nil {
		return quote{}, err
	}
	want := catalogue.Want{Delivery: c.Delivery, AddressID: c.AddressID, PickupPoint: c.PickupPoint}
	dest, err := s.destinations.Resolve(ctx, user, lines[0].Kind, want, serving(lines))
	if err != nil {
		return quote{}, err
	}
	fees := make([]catalogue.FreightRule, 0, 4) // few need no memory of the heap
	for _, l := range lines {
		fees = append(fees, catalogue.FreightRule{Fee: l.Fee, FreeOver: l.FreeOver})
	}
	if b := bundleOf(lines); b != nil {
		fees = []catalogue.FreightRule{{Fee: b.Fee, FreeOver: b.FreeOver}}
	}
	freight := catalogue.Freight(goods, fees, dest)
	if _, err := catalogue.Total(goods, freight); err != nil {
		return quote{}, err
	}
	q := quote{
		User: user, Activity: a.ID, Freight: freight,
		Delivery: dest.Delivery, Point: dest.Point, PickupPoint: dest.PickupPoint, Address: dest.Address,
		ExpiresMS: s.clock.NowMS() + confirmedFor.Milliseconds(),
	}
	q.put(lines, units)
	return q, nil
}

func (s signer) sealQuote(q quote) string {
	body, err := json.Marshal(q)
	if err != nil {
		panic("encode quote: " + err.Error())
	}
	sum := s.confirmation.Sign(string(body))
	return base64.RawURLEncoding.EncodeToString(body) + "." + base64.RawURLEncoding.EncodeToString(sum[:])
}

// openQuote verifies a confirmation, which must be of this user, lines and choice, and returns its quote.
func (s *Service) openQuote(user, sealed string, p path, lines []orderLine, c Choice) (quote, error) {
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
	case !q.isOf(lines):
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
