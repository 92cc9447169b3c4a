// Package gatewaytest tests a payment gateway in a platform as it runs: what buyers pay, in which order and how often
// notifications come, which are lost, and how much is paid back.
//
// The test has a double of the gateway's other side, which takes the money of buyers and remembers what was paid back:
//
//	func TestGateway(t *testing.T) {
//		gatewaytest.Run(t, func(t *testing.T) gatewaytest.Subject {
//			bank := newBank(t) // answers as the bank's documents say
//			return gatewaytest.Subject{
//				Config: onrush.Config{Gateways: []onrush.Gateway{acme.New(bank.URL)}},
//				Channel: "acme", Bank: bank,
//			}
//		})
//	}
package gatewaytest
