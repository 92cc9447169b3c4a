package bench

import (
	"fmt"
	"net/http"
	"testing"

	"onrush/modules/catalogue"
	"onrush/test/load"
	"onrush/web/client"
)

const (
	manyPoints   = 30
	pointsBuyers = 5000 // of one turn
	// leastPoints is what orders of a sale at 30 points have to bring of orders of a sale at one.
	leastPoints = 0.72
)

// BenchmarkPoints places orders of physical goods in a sale at 30 points, each of which serves a region, and compares
// that with a sale at one point. Each order is the first one of its buyer, who took a path and confirmed the address
// shortly before; the buyers live in all regions.
func BenchmarkPoints(b *testing.B) {
	p := startProgram(b)
	at, regions := map[string]int64{}, map[string][]string{}
	for i := range manyPoints {
		point := fmt.Sprint("point-", i)
		at[point], regions[point] = 1<<40, []string{regionOf(i)}
	}
	s := physical{program: p, regionOf: regionOf}
	many, one := withEverything(), withEverything()
	many.SKU, many.Kind, many.Stock, many.Regions = "lamp", catalogue.Physical, at, regions
	one.SKU, one.Kind = "vase", catalogue.Physical
	atMany, atOne := p.inspector.Open(b, many), p.inspector.Open(b, one)
	var speeds turns
	var ofMany, ofOne used
	for b.Loop() {
		buyers := s.next(b, pointsBuyers)
		speeds.take(
			func() float64 { return p.placeAt(b, s.confirmed(b, atMany, "lamp", buyers), pointsBuyers, &ofMany) },
			func() float64 { return p.placeAt(b, s.confirmed(b, atOne, "vase", buyers), pointsBuyers, &ofOne) },
		)
	}
	orders := float64(len(speeds.ratios) * pointsBuyers)
	ofMany.report(b, orders, "")
	ofOne.report(b, orders, "one-")
	speeds.report(b, "orders/s", "at-one/s", leastPoints)
}

func regionOf(i int) string { return fmt.Sprint("region-", i%manyPoints) }

// confirmed returns the submits of buyers who have a path, a permit and a confirmation.
func (s *physical) confirmed(b *testing.B, activity, sku string, users []string) []load.Request {
	b.Helper()
	submits := make([]load.Request, len(users))
	for i, user := range users {
		buyer := s.program.inspector.Buyer(b, user)
		path := buyer.Path(b, activity, sku)
		confirmed := buyer.Confirm(b, path, client.ConfirmRequest{
			Quantity: 1, Delivery: "express", AddressID: addressOf(user),
		})
		submits[i] = load.Request{
			Method: http.MethodPost, Path: "/api/v1/seckill/" + path + "/submit", Token: s.program.token(b, user),
			Body: fmt.Sprintf(`{"confirmation":%q,"room_id":"live-42"}`, confirmed.Confirmation), NewKey: true,
		}
	}
	return submits
}
