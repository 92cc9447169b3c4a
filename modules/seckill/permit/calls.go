package permit

import (
	"context"

	"onrush/lua"
	"onrush/modules/gather"
)

// maxBatch bounds the users of one call of the script, which other callers of Redis wait for.
const maxBatch = 256

// newCalls returns the calls of the script, in which the users of a sku share.
func (i *Issuer) newCalls() *gather.Group[*issued, Request, lua.Permit] {
	return gather.New(gather.Config[*issued, Request, lua.Permit]{Call: i.call, MaxCall: maxBatch})
}

// call issues the permits of a batch. If an operator has changed the sale, the settings of the last user are used.
func (i *Issuer) call(c *issued, batch []Request, permits []lua.Permit) error {
	ctx, cancel := context.WithTimeout(context.Background(), i.within)
	defer cancel()
	r := batch[len(batch)-1]
	users := make([]string, len(batch))
	for n := range batch {
		users[n] = batch[n].User
	}
	got, now, err := i.lua.TakePermits(ctx, &lua.PermitCall{
		Lane: r.Lane, Activity: r.Activity, SKU: r.SKU, Ratio: r.Ratio, TTL: r.For, EndsMS: r.EndsMS, Users: users,
	})
	if err != nil {
		return err
	}
	i.clock.Observe(now)
	c.learn(users, got)
	copy(permits, got)
	return nil
}
