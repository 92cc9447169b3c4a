package gather_test

import (
	"context"
	"fmt"

	"onrush/modules/gather"
)

// Prices of one currency share a query.
func ExampleGroup() {
	prices := gather.New(gather.Config[string, string, int]{
		MaxCall: 100,
		Call: func(currency string, skus []string, prices []int) error {
			for i, sku := range skus { // one query for all of them
				prices[i] = len(currency) + len(sku)
			}
			return nil
		},
	})
	price, err := prices.Do(context.Background(), "EUR", "lamp")
	fmt.Println(price, err)
	// Output: 7 <nil>
}
