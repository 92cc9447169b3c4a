package bench

import (
	"testing"

	"onrush/modules/catalogue"
	"onrush/test/site"
)

const (
	manyActivities   = 500
	activitiesBuyers = 2000
	// activitiesOrders is how many orders one turn places on each side.
	activitiesOrders = 6000
	// leastActivities is what submits to 500 activities have to bring of submits to one.
	leastActivities = 0.3
)

// BenchmarkActivities places orders of 2,000 buyers over 64 connections in 500 activities, each buyer in one of them,
// and compares that with orders of the same buyers in one activity of the same program, which has all 501 activities
// in both cases. The movers run.
func BenchmarkActivities(b *testing.B) {
	skipLarge(b)
	p := startProgram(b)
	stock := map[string]int64{catalogue.DefaultPoint: 1 << 40}
	one := p.inspector.Open(b, site.Sale{Stock: stock})
	activities := make([]string, manyActivities)
	for i := range activities {
		activities[i] = p.inspector.Open(b, site.Sale{Stock: stock})
	}
	inMany := p.submits(b, 0, activitiesBuyers, func(i int) string { return activities[i%manyActivities] })
	inOne := p.submits(b, 0, activitiesBuyers, always(one))
	p.place(b, inMany, activitiesBuyers) // warm up
	p.place(b, inOne, activitiesBuyers)
	p.drain(b)
	var cost, costOfOne used
	orders := 0.0
	var speeds turns
	for b.Loop() {
		speeds.take(
			func() float64 { return p.placeAt(b, inMany, activitiesOrders, &cost) },
			func() float64 { return p.placeAt(b, inOne, activitiesOrders, &costOfOne) },
		)
		orders += activitiesOrders
	}
	cost.report(b, orders, "")
	costOfOne.report(b, orders, "one-")
	speeds.report(b, "orders/s", "in-one/s", leastActivities)
}
