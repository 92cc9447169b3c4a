package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/test/site"
)

const (
	// pipelined is how many script calls one round trip has, and pipelines how many round trips run at once, so that
	// as many orders are under way as over the connections of the load.
	pipelined, pipelines = 16, connections / 16
)

// BenchmarkPipelined places orders over HTTP in the program, which batches them, and compares that with a bare client
// of the same redis-server that calls the script once per order, 16 calls in a pipeline, on 4 connections, with records
// of 500 bytes that were encoded before. The bare client has no HTTP, no tokens and no limits, so the program has to
// do much more. There is no goal. The movers run in both cases.
func BenchmarkPipelined(b *testing.B) {
	s := newBurst(b)
	bare := newScriptClient(b, s.program)
	n := few(burstOrders)
	bare.place(b, n/4) // warm up
	s.program.drain(b)
	var speeds turns
	for b.Loop() {
		speeds.take(
			func() float64 {
				speed := s.place(b, s.permitted(b, n), n)
				s.drain(b)
				return speed
			},
			func() float64 {
				speed := bare.place(b, n)
				s.program.drain(b)
				return speed
			},
		)
	}
	speeds.report(b, "orders/s", "pipelined-orders/s", 0)
}

// scriptClient calls decrement_stock.lua itself, with the arguments that lua.Scripts would send.
type scriptClient struct {
	rdb      redis.UniversalClient
	recorder *lua.Scripts
	sent     []any  // what recorder sent last
	orders   *queue // makes them
}

// newScriptClient opens another sale like the sale of a burst, and has the script loaded.
func newScriptClient(b *testing.B, p *program) *scriptClient {
	b.Helper()
	q := &queue{site: p.inspector}
	q.activity = p.inspector.Open(b, site.Sale{Stock: map[string]int64{catalogue.DefaultPoint: 1 << 40}})
	require.NoError(b, p.stores.DB.Read.GetContext(b.Context(), &q.lane,
		`SELECT lane FROM activities WHERE activity_id = ?`, q.activity))
	c := &scriptClient{rdb: p.stores.ConnectRedis(b), orders: q}
	_, results, err := lua.New(c.rdb, p.stores.Keys).Place(b.Context(), c.nextCall(b))
	require.NoError(b, err)
	require.Equal(b, lua.Placed, results[0].Code)

	recorder := p.stores.ConnectRedis(b)
	recorder.AddHook(recordHook{&c.sent})
	c.recorder = lua.New(recorder, p.stores.Keys)
	return c
}

// errRecorded is what a client with a recordHook answers.
var errRecorded = errors.New("recorded, not sent")

// recordHook keeps the arguments of a command, which is not sent.
type recordHook struct{ args *[]any }

func (recordHook) DialHook(next redis.DialHook) redis.DialHook { return next }

func (recordHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (h recordHook) ProcessHook(redis.ProcessHook) redis.ProcessHook {
	return func(_ context.Context, cmd redis.Cmder) error {
		*h.args = cmd.Args()
		cmd.SetErr(errRecorded)
		return errRecorded
	}
}

// nextCall places the next order.
func (c *scriptClient) nextCall(b *testing.B) *lua.PlaceCall {
	b.Helper()
	return &lua.PlaceCall{
		Lane: c.orders.lane, Activity: c.orders.activity,
		Orders: []lua.PlaceOrder{c.orders.placeOrder(b, c.orders.next())},
	}
}

// next is the command that places the next order.
func (c *scriptClient) next(b *testing.B) []any {
	b.Helper()
	_, _, err := c.recorder.Place(b.Context(), c.nextCall(b))
	require.ErrorIs(b, err, errRecorded)
	return c.sent
}

// place places n orders, and returns how many per second. It makes the calls before.
func (c *scriptClient) place(b *testing.B, n int) float64 {
	b.Helper()
	calls := make([][]any, n)
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
func (c *scriptClient) send(ctx context.Context, calls [][]any) error {
	for len(calls) > 0 {
		part := calls[:min(pipelined, len(calls))]
		calls = calls[len(part):]
		replies, err := c.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			for _, call := range part {
				pipe.Do(ctx, call...)
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
