package order_test

import (
	"fmt"
	"time"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/stage"
)

// The units of a cancelled order return to the stock, once. Cancelling it again changes nothing.
func ExampleCanceller_Cancel() {
	tb := kit.NewExample()
	defer tb.End()
	sale := stage.Open(tb, kit.OnEmbedded(tb), stage.Sale{})
	o := sale.Place(tb, "ada", 3)
	fmt.Println(sale.Left(tb, ""), "of 10 left")
	for range 2 {
		fmt.Println(sale.Canceller.Cancel(tb.Context(), "ada", o.Number, "192.0.2.1"))
	}
	fmt.Println(sale.Left(tb, ""), "of 10 left")
	// Output:
	// 7 of 10 left
	// <nil>
	// <nil>
	// 10 of 10 left
}

// A number tells when the order was placed and in which lane it waits. Later orders have higher numbers.
func ExampleNumber() {
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	n := order.NewNumber(noon, 7, 1)
	fmt.Println(n, n.Time().Format(time.TimeOnly), n.Lane())
	fmt.Println(order.NewNumber(noon.Add(time.Second), 1, 0) > n)
	_, err := order.ParseNumber("0x10")
	fmt.Println(err)
	// Output:
	// 315979026009161729 12:00:00 7
	// true
	// not an order number: "0x10"
}
