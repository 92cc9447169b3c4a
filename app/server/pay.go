package server

import (
	crand "crypto/rand"

	"onrush/modules/order"
	"onrush/modules/order/queue"
	"onrush/modules/pay"
)

// payment is what the routes and the jobs need of package pay.
type payment struct {
	service    *pay.Service
	operations *pay.Operations
	refunder   *pay.Refunder
	reconciler *pay.Reconciler
}

// wirePay builds the payments and their webhook.
func (s *Server) wirePay(base order.Deps, pools Pools) (*payment, error) {
	forWebhooks, forBuyers := base.Over(pools.Webhooks), base.Over(pools.Buyers)
	gateways, err := s.gateways(forWebhooks)
	if err != nil {
		return nil, configError(err)
	}
	cfg := pay.Config{Queries: s.cfg.PayQueries}
	payer := order.NewPayer(crand.Text)
	processor := func(p order.Deps) *pay.Processor {
		return pay.NewProcessor(cfg, p, queue.NewEnsurer(p, s.cfg.Lanes), payer, s.payNumber)
	}
	service, err := pay.NewService(cfg, forBuyers, queue.NewEnsurer(forBuyers, s.cfg.Lanes), processor(forBuyers),
		gateways, s.payNumber)
	if err != nil {
		return nil, configError(err)
	}
	pay.NewHTTPWebhooks(gateways, processor(forWebhooks)).Register(s.App)
	return &payment{
		service:    service,
		operations: pay.NewOperations(base.Over(pools.Operators), payer, s.payNumber),
		refunder:   pay.NewRefunder(cfg, base, gateways, s.parts.Random),
		reconciler: pay.NewReconciler(cfg, base, gateways, processor(base)),
	}, nil
}

// payNumber returns a new number of a payment or refund: sorted by time like an order's, with 32 random
// bits in a second.
func (s *Server) payNumber() order.Number {
	r := s.parts.Random()
	return order.NewNumber(s.clock.Now(), int(r>>54), uint32(r&order.SeqMask))
}
