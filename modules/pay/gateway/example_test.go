package gateway_test

import (
	"fmt"
	"time"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

func ExampleCheckJSON() {
	fmt.Println(gateway.CheckJSON([]byte(`{"amount":1990}`)))
	fmt.Println(gateway.CheckJSON([]byte(`{"amount":1990,"amount":1}`)) != nil)
	// Output:
	// <nil>
	// true
}

func ExampleCheckYuan() {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, gateway.ChinaTime)
	p := &pay.Payment{Currency: gateway.CNY, Amount: 1990, ExpiresMS: now.Add(time.Minute).UnixMilli()}
	fmt.Println(gateway.CheckYuan(p, now))
	fmt.Println(gateway.CheckYuan(p, now.Add(time.Hour)))
	p.Currency = "EUR"
	fmt.Println(gateway.CheckYuan(p, now))
	// Output:
	// <nil>
	// not_payable: The time to pay is over.
	// invalid_request: channel: takes CNY only, not EUR
}
