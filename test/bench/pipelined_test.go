package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/test/site"
)

const (
	// pipelined is how many script calls one round trip has, and pipelines how many round trips run at once, so that
	// as many orders are under way as over the connections of the load.
	pipelined, pipelines = 16, connections / 16
	pipelinedOrders      = burstOrders
)

// BenchmarkPipelined places orders over HTTP in the program, which batches them, and compares that with a bare client
// of the same redis-server that calls the script once per order, 16 calls in a pipeline, on 4 connections, with records
// of 500 bytes that were encoded before. The bare client has no HTTP, no tokens and no limits, so the program has to
// do much more. There is no goal. The movers run in both cases.
func BenchmarkPipelined(b *testing.B) {
	s := newBurst(b)
	bare := newScriptClient(b, s.program)
	bare.place(b, pipelinedOrders/4) // warm up
	s.program.drain(b)
	var speeds turns
	for b.Loop() {
		speeds.take(
			func() float64 {
				speed := s.place(b, pipelinedOrders, nil)
				s.program.drain(b)
				return speed
			},
			func() float64 {
				speed := bare.place(b, pipelinedOrders)
				s.program.drain(b)
				return speed
			},
		)
	}
	speeds.report(b, "orders/s", "pipelined-orders/s", 0)
}

// scriptClient calls decrement_stock.lua itself.
type scriptClient struct {
	rdb    redis.UniversalClient
	keys   lua.Keys
	sha    string
	orders *queue // makes them
}

// newScriptClient opens another sale like that of a burst, and loads the script.
func newScriptClient(b *testing.B, p *program) *scriptClient {
	b.Helper()
	q := &queue{site: p.inspector}
	q.activity = p.inspector.Open(b, site.Sale{Stock: map[string]int64{catalogue.DefaultPoint: 1 << 40}})
	require.NoError(b, p.stores.DB.Read.GetContext(b.Context(), &q.lane,
		`SELECT lane FROM activities WHERE activity_id = ?`, q.activity))
	var source []byte
	for _, file := range []string{"batch.lua", "decrement_stock.lua"} { // as lua.Scripts joins them
		part, err := os.ReadFile("../../lua/" + file)
		require.NoError(b, err)
		source = append(source, part...)
	}
	c := &scriptClient{rdb: p.stores.ConnectRedis(b), keys: p.stores.Keys, orders: q}
	var err error
	c.sha, err = c.rdb.ScriptLoad(b.Context(), string(source)).Result()
	require.NoError(b, err)
	return c
}

// scriptCall is the script call of one order.
type scriptCall struct {
	keys []string
	args []any
}

func (c *scriptClient) next(b *testing.B) scriptCall {
	b.Helper()
	o := c.orders.next()
	record, err := order.EncodeRecord(o)
	require.NoError(b, err)
	lane, activity := c.orders.lane, c.orders.activity
	return scriptCall{
		keys: []string{
			c.keys.LockLog(lane), c.keys.Meta(lane, activity), c.keys.Stock(lane, activity),
			c.keys.Bought(lane, activity), c.keys.Held(lane, activity), c.keys.Tasks(lane, activity),
			c.keys.Orders(lane, o.User),
		},
		args: []any{
			0, 0, 1, 1, "sku", order.TaskHash(o.Task), o.Digest, o.Number.String(), o.User, 1, o.Point, 1,
			order.FormatEntry(o.Number, o.PlacedMS, activity, o.User), record,
		},
	}
}

// place places n orders, and returns how many per second. It makes the calls before.
func (c *scriptClient) place(b *testing.B, n int) float64 {
	b.Helper()
	calls := make([]scriptCall, n)
	for i := range calls {
		calls[i] = c.next(b)
	}
	errs := make([]error, pipelines)
	var all sync.WaitGroup
	began := time.Now()
	for i := range pipelines {
		all.Go(func() { errs[i] = c.send(b.Context(), calls[i*n/pipelines:(i+1)*n/pipelines]) })
	}
	all.Wait()
	took := time.Since(began)
	require.NoError(b, errors.Join(errs...))
	return float64(n) / took.Seconds()
}

// send sends calls, always pipelined of them in one round trip.
func (c *scriptClient) send(ctx context.Context, calls []scriptCall) error {
	for len(calls) > 0 {
		part := calls[:min(pipelined, len(calls))]
		calls = calls[len(part):]
		replies, err := c.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			for _, call := range part {
				pipe.EvalSha(ctx, c.sha, call.keys, call.args...)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, reply := range replies {
			values, err := reply.(*redis.Cmd).Slice()
			if err != nil || len(values) != 3 || values[1] != int64(lua.Placed) {
				return fmt.Errorf("place: the script returned %v: %w", values, err)
			}
		}
	}
	return nil
}
