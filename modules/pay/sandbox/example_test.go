package sandbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"onrush/modules/pay/sandbox"
)

// A notification is accepted with the signature of its own body, for a few minutes.
func ExampleGateway_Verify() {
	const secret = "whsec_YW4gZXhhbXBsZSBzZWNyZXQgb2YgdGhpcnR5IGJ5dGVz"
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	bank, err := sandbox.New(context.Background(), sandbox.Config{Secret: secret, BaseURL: "http://127.0.0.1:8080"},
		sandbox.Deps{Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		panic(err)
	}
	body := []byte(`{"type":"payment.succeeded","data":{"pay_number":"12345","transaction_id":"txn_1",` +
		`"amount":1900,"currency":"EUR"}}`)
	header := sandbox.Sign(secret, "evt_1", now, body)
	n, err := bank.Verify(header, body)
	fmt.Println(n.PayNumber, n.Amount, n.Currency, err)
	_, err = bank.Verify(header, append(body, ' '))
	fmt.Println(err)
	now = now.Add(time.Hour)
	_, err = bank.Verify(header, body)
	fmt.Println(err)
	// Output:
	// 12345 1900 EUR <nil>
	// signature is wrong or too old
	// signature is wrong or too old
}
