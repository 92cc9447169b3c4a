package pay

import (
	"context"
	"time"

	"onrush/modules/order"
	"onrush/modules/pay/counts"
	"onrush/modules/refusals"
	"onrush/modules/sqldb"
)

// Service begins and reads payments for buyers.
type Service struct {
	cfg      Config
	db       *sqldb.DB
	ensure   ensurer
	free     freeProcessor
	gateways Gateways
	now      func() time.Time
	number   func() order.Number
	begins   map[string]chan struct{} // by channel: the payments that begin at the gateway now
	refusals *refusals.Log
	counts   *counts.Counts
	faults   order.Faults
}

// freeProcessor processes payments with amount 0.
type freeProcessor interface {
	ProcessFree(ctx context.Context, p *Payment) error
}

// NewService returns a Service. It returns an error if cfg is invalid.
func NewService(cfg Config, d Deps, free freeProcessor) (*Service, error) {
	cfg = cfg.WithDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	begins := make(map[string]chan struct{}, len(d.Gateways))
	for channel := range d.Gateways {
		begins[channel] = make(chan struct{}, maxBegins)
	}
	return &Service{
		cfg: cfg, db: d.DB, ensure: d.Ensure, free: free, gateways: d.Gateways, now: d.Clock.Now, number: d.Number,
		begins: begins, refusals: refusals.New(d.Clock.Now, d.Log), counts: d.Counts,
		faults: d.Faults,
	}, nil
}
