package seckill

import (
	"context"
	"errors"

	"onrush/lua"
)

// errUnconfirmed is why the outcome of an order is unknown that Redis has placed: a failover may lose it.
var errUnconfirmed = errors.New("too few replicas of Redis have the order")

// noteUnconfirmed counts and logs the orders of a script call that too few replicas have. They stay in the queue, are
// moved like all others, and are found by their Idempotency-Keys.
func (p *Placer) noteUnconfirmed(ctx context.Context, sale Sale, results []lua.PlaceResult) {
	orders := 0
	for i := range results {
		if results[i].Unconfirmed {
			orders++
		}
	}
	if orders == 0 {
		return
	}
	onUnconfirmed.Mark()
	p.metrics.unconfirmed.Add(float64(orders))
	p.log.WarnContext(ctx, "too few replicas of redis have the orders in time",
		"activity_id", sale.Activity, "orders", orders, "replicas", p.cfg.Confirm.Replicas)
}
