package drill

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"onrush/app/operator"
	"onrush/modules/loop"
)

// console is the operator of a drill. It asks the instances in turn until one answers. Any goroutine may use it.
type console struct {
	within  time.Duration // for one call with its repetitions
	clients []*operator.Client
	turn    atomic.Int64 // the client that answered last, modulo their number
}

// each calls do with one client after the other until it succeeds or can't.
func (c *console) each(ctx context.Context, do func(client *operator.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	for {
		turn := c.turn.Load()
		err := do(c.clients[turn%int64(len(c.clients))])
		if err == nil || !operator.Passes(err) {
			return err
		}
		c.turn.CompareAndSwap(turn, turn+1)
		if loop.Wait(ctx, 100*time.Millisecond) != nil {
			return err
		}
	}
}

// Get reads the answer of a route into a value, unless that is nil.
func (c *console) Get(ctx context.Context, path string, into any) error {
	return c.each(ctx, func(client *operator.Client) error { return client.Get(ctx, path, into) })
}

// Call sends a request with an Idempotency-Key and a body, unless they are empty.
func (c *console) Call(ctx context.Context, method, path, key string, body, into any) error {
	return c.each(ctx, func(client *operator.Client) error { return client.Call(ctx, method, path, key, body, into) })
}

// Put creates or replaces what a route has.
func (c *console) Put(ctx context.Context, path string, body any) error {
	return c.Call(ctx, http.MethodPut, path, "", body, nil)
}

// List returns the items of a list.
func (c *console) List(ctx context.Context, path string, query url.Values) (items []json.RawMessage, err error) {
	err = c.each(ctx, func(client *operator.Client) error {
		items = nil
		for item, err := range client.List(ctx, path, query) {
			if err != nil {
				return err
			}
			items = append(items, item)
		}
		return nil
	})
	return items, err
}

// Apply makes a sale what its file says.
func (c *console) Apply(ctx context.Context, file *operator.SaleFile) error {
	return c.each(ctx, func(client *operator.Client) error {
		plan, err := client.Plan(ctx, file)
		if err != nil {
			return err
		}
		return client.Apply(ctx, plan)
	})
}
