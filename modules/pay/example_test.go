package pay_test

import (
	"fmt"
	"log/slog"
	"time"

	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/pay/sandbox"
	"onrush/modules/redisdb"
	"onrush/test/kit"
	"onrush/test/stage"
)

// A buyer begins a payment at the sandbox, which then reports the money with a signed notification, as all gateways do.
func ExampleProcessor_Process() {
	const secret = "whsec_YW4gZXhhbXBsZSBzZWNyZXQgb2YgdGhpcnR5IGJ5dGVz"
	tb := kit.NewExample()
	defer tb.End()
	stores, log := kit.OnEmbedded(tb), slog.New(slog.DiscardHandler)
	sale := stage.Open(tb, stores, stage.Sale{})
	o := sale.Place(tb, "ada", 1)
	bank, err := sandbox.New(tb.Context(), sandbox.Config{Secret: secret, BaseURL: "http://127.0.0.1:8080"},
		sandbox.Deps{DB: stores.DB, Now: time.Now, NewID: kit.IDs(1), Log: log})
	fmt.Println("sandbox:", err)
	deps := pay.Deps{
		DB: stores.DB, Ensure: sale.Ensurer, Payer: order.NewPayer(kit.IDs(2), nil, nil),
		Locks:    redisdb.NewLocks(stores.Redis),
		Gateways: pay.Gateways{sandbox.Channel: bank}, Keys: stores.Keys, Clock: clock.Fixed(time.Now), Log: log,
		Number: func() order.Number { return order.NewNumber(time.Now(), 0, 1) }, Random: kit.Rand(3).Uint64,
	}
	processor := pay.NewProcessor(pay.Config{}, deps)
	service, err := pay.NewService(pay.Config{}, deps, processor)
	fmt.Println("service:", err)
	p, err := service.Begin(tb.Context(), "ada", "key", pay.Request{
		Orders: []order.Number{o.Number}, Channel: sandbox.Channel,
	})
	fmt.Println("begin:", err)
	body := fmt.Appendf(nil, `{"type":"payment.succeeded","data":{"pay_number":"%s","transaction_id":"txn_1",
		"amount":%d,"currency":%q}}`, p.Number, p.Amount, p.Currency)
	notification, err := bank.Verify(sandbox.Sign(secret, "evt_1", time.Now(), body), body)
	fmt.Println("verify:", err)
	fmt.Println("process:", processor.Process(tb.Context(), bank.Channel(), notification))
	fmt.Println("the order is", sale.Stored(tb)[o.Number])
	// Output:
	// sandbox: <nil>
	// service: <nil>
	// begin: <nil>
	// verify: <nil>
	// process: <nil>
	// the order is paid
}
