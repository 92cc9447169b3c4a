// Package onrushtest runs a platform in a test: on embedded stores, with a clock that the test sets forward, jobs that
// run when the test says so too, and buyers.
//
//	p := onrushtest.New(t, onrush.Config{})
//	sale := p.Sale(onrushtest.Sale{Units: 10, Price: 4900})
//	ada := p.Buyer("ada")
//	number := ada.Buy(sale, 1)
//	p.Advance(16 * time.Minute)
//	p.Job("cancel_unpaid")
//
// What goes wrong fails the test.
package onrushtest
