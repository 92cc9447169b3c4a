package ordinary

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"onrush/modules/catalogue"
	"onrush/modules/problem"
)

// resolve returns where each basket goes: to the destination that the request names for its shop or, if it names none,
// to the destination for all shops. The destination for all is meant for physical goods, if there are any. A
// destination of several baskets is looked up once.
func (p *Placer) resolve(
	ctx context.Context, user string, r Request, baskets []*basket,
) ([]catalogue.Destination, error) {
	own := map[string]int{} // index in Deliveries, by shop
	for i, d := range r.Deliveries {
		if !slices.ContainsFunc(baskets, func(b *basket) bool { return b.shop == d.Shop }) {
			return nil, problem.Invalid(fmt.Sprintf("deliveries[%d].shop_id", i), "sells none of the items")
		}
		own[d.Shop] = i
	}
	forAll := catalogue.Want{Delivery: r.Delivery, AddressID: r.AddressID, PickupPoint: r.PickupPoint}
	sends := slices.ContainsFunc(baskets, func(b *basket) bool {
		_, has := own[b.shop]
		return !has && b.kind == catalogue.Physical
	})
	found := map[catalogue.Want]catalogue.Destination{} // of physical goods
	dests := make([]catalogue.Destination, len(baskets))
	for i, b := range baskets {
		at, has := own[b.shop]
		want := forAll
		switch {
		case has:
			d := r.Deliveries[at]
			want = catalogue.Want{Delivery: d.Delivery, AddressID: d.AddressID, PickupPoint: d.PickupPoint}
		case b.kind != catalogue.Physical && sends:
			want = catalogue.Want{}
		}
		if dest, known := found[want]; known && b.kind == catalogue.Physical {
			dests[i] = dest
			continue
		}
		dest, err := p.destinations.Resolve(ctx, user, b.kind, want, nil)
		switch {
		case err != nil && has:
			return nil, inDelivery(err, at)
		case err != nil:
			return nil, err
		case b.kind == catalogue.Physical:
			found[want] = dest
		}
		dests[i] = dest
	}
	return dests, nil
}

// inDelivery names the delivery in a problem with it.
func inDelivery(err error, at int) error {
	var e *problem.Error
	if !errors.As(err, &e) {
		return err
	}
	named, is := *e, fmt.Sprintf("deliveries[%d]", at)
	named.Detail = is + ": " + e.Detail
	named.Fields = make([]problem.Field, len(e.Fields))
	for i, f := range e.Fields {
		named.Fields[i] = problem.Field{Name: is + "." + f.Name, Detail: f.Detail}
	}
	return &named
}
