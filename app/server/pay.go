package server

import (
	crand "crypto/rand"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/order"
	"onrush/modules/order/queue"
	"onrush/modules/order/vouchers"
	"onrush/modules/pay"
	payadmin "onrush/modules/pay/admin"
	"onrush/modules/sqldb"
)

// payment is what the routes and the jobs need of package pay.
type payment struct {
	service    *pay.Service
	admin      *payadmin.Service
	operators  []routes
	refunder   *pay.Refunder
	reconciler *pay.Reconciler
}

// Register adds the operators' routes of payments, refunds and vouchers.
func (p *payment) Register(r fiber.Router) {
	for _, part := range p.operators {
		part.Register(r)
	}
}

// wirePay builds the payments and their webhook.
func (s *Server) wirePay(base deps, pools Pools) (*payment, error) {
	gateways, err := s.gateways(pools.Webhooks)
	if err != nil {
		return nil, configError(err)
	}
	cfg := pay.Config{Queries: s.cfg.PayQueries, ReturnOrigins: s.cfg.returnOrigins()}
	payer := order.NewPayer(crand.Text)
	over := func(db *sqldb.DB) pay.Deps {
		d := base.over(db)
		return pay.Deps{
			DB: db, Ensure: queue.NewEnsurer(d.queue(), s.cfg.Lanes), Payer: payer, Gateways: gateways,
			Locks: d.locks, Keys: d.lua.Keys, Clock: d.clock, Number: s.payNumber, Random: s.parts.Random,
			Log: d.log, Faults: d.faults,
		}
	}
	forJobs, forBuyers, forWebhooks := over(base.db), over(pools.Buyers), over(pools.Webhooks)
	service, err := pay.NewService(cfg, forBuyers, pay.NewProcessor(cfg, forBuyers))
	if err != nil {
		return nil, configError(err)
	}
	pay.NewHTTPWebhooks(gateways, pay.NewProcessor(cfg, forWebhooks)).Register(s.App)
	forOperators := payadmin.NewService(payadmin.Deps{DB: pools.Operators, Now: base.clock.Now, Number: s.payNumber})
	return &payment{
		service: service, admin: forOperators,
		operators: []routes{
			pay.NewHTTPOperator(pay.NewOperations(over(pools.Operators))),
			payadmin.NewHTTPOperator(forOperators),
			vouchers.NewHTTPOperator(vouchers.NewService(vouchers.Deps{DB: pools.Operators, Now: base.clock.Now})),
		},
		refunder:   pay.NewRefunder(cfg, forJobs),
		reconciler: pay.NewReconciler(cfg, forJobs, pay.NewProcessor(cfg, forJobs)),
	}, nil
}

// payNumber returns a new number of a payment or refund: sorted by time like an order's, with 32 random
// bits in a second.
func (s *Server) payNumber() order.Number {
	r := s.parts.Random()
	return order.NewNumber(s.clock.Now(), int(r>>54), uint32(r&order.SeqMask))
}
