package permit

import (
	"context"

	"onrush/lua"
)

// maxBatch bounds the users of a sku who share one call of the script, which other callers of Redis wait for.
const maxBatch = 256

// call issues the permits of a batch. If an operator has changed the sale, the settings of the last user are used.
func (i *Issuer) call(c *issued, batch []Request, permits []lua.Permit) error {
	ctx, cancel := context.WithTimeout(context.Background(), i.within)
	defer cancel()
	r := batch[len(batch)-1]
	users, keys := make([]string, len(batch)), make([]string, len(batch))
	for n := range batch {
		users[n], keys[n] = batch[n].User, batch[n].LimitKey
	}
	if r.LimitKey == "" { // no activity has it for some users only
		keys = nil
	}
	got, now, err := i.lua.TakePermits(ctx, &lua.PermitCall{
		Lane: r.Lane, Activity: r.Activity, SKU: r.SKU, Ratio: r.Ratio, TTL: r.For, EndsMS: r.EndsMS, Users: users,
		Keys: keys,
	})
	if err != nil {
		return err
	}
	i.clock.Observe(now)
	c.learn(users, got)
	copy(permits, got)
	return nil
}
