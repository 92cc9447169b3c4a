package seckill_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/place"
	"onrush/modules/sign"
	"onrush/test/goods"
	"onrush/test/kit"
	"onrush/test/stage"
)

// permitFor is how long a permit lasts that its user doesn't use.
const permitFor = 300 * time.Millisecond

// crowd is users who take paths in a sale with permits; of five, two never submit.
type crowd struct {
	*seckill.Service

	activity string
	stock    int64
	sold     atomic.Int64
	left     atomic.Int64 // users with a path who never submit
}

func openCrowd(t *testing.T, stores *kit.Stores, stock int64) (c *crowd, lane int) {
	t.Helper()
	s := stage.Open(t, stores, stage.Sale{})
	sh := goods.New(stores)
	_, err := sh.Catalogue.PutSKU(t.Context(),
		catalogue.SKU{ID: "ticket", Title: "Ticket", Shop: "shop", Kind: catalogue.Virtual, Price: 2, Currency: "CNY"})
	require.NoError(t, err)
	now := time.Now()
	a, err := s.Activities.Create(t.Context(), &seckill.Activity{
		Title: "Sale", Shop: "shop",
		StartsMS: now.Add(-time.Minute).UnixMilli(), EndsMS: now.Add(time.Hour).UnixMilli(),
		PayWithinS: 900, PurchaseLimit: seckill.Unlimited, PermitRatio: 1.5,
		SKUs: []seckill.ActivitySKU{{
			SKU: "ticket", FlashPrice: 1, PurchaseLimit: seckill.Unlimited,
			Stock: []seckill.PointStock{{Point: "0", Total: stock}},
		}},
	})
	require.NoError(t, err)
	a, err = s.Activities.Publish(t.Context(), a.ID, 0)
	require.NoError(t, err)
	clock := clock.New(time.Now, s.Scripts.NowMS)
	require.NoError(t, clock.Sync(t.Context()))
	service, err := seckill.NewService(seckill.Config{
		Secrets: sign.Secrets{strings.Repeat("s", 32)}, PathFor: permitFor,
		Place: place.Config{Within: time.Minute},
	}, seckill.Deps{
		DB: stores.DB, Lua: s.Scripts, Clock: clock,
		Cache:  seckill.NewActivityCache(stores.DB, s.Scripts, clock, time.Now),
		Counts: seckill.NewStockCache(s.Scripts, time.Now), Counters: seckill.NewAnswerCounters(s.Scripts, clock),
		Destinations: sh.Destinations, Numbers: s.Numbers, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	return &crowd{Service: service, activity: a.ID, stock: stock}, a.Lane
}

// visit is one attempt of a user, and reports whether the user is done.
func (c *crowd) visit(ctx context.Context, i int) (done bool, err error) {
	user := fmt.Sprint("user", i)
	path, err := c.Path(ctx, seckill.Visit{User: user, Activity: c.activity, SKU: "ticket"})
	switch {
	case problem.CodeOf(err) == order.CodeSoldOut:
		return true, nil
	case problem.Is(err):
		return false, nil // later
	case err != nil:
		return false, err
	case i%5 < 2:
		c.left.Add(1)
		return true, nil
	}
	_, err = c.Submit(ctx, seckill.SubmitBy{User: user, Path: path.Path, Key: "k"},
		&seckill.Submit{Choice: seckill.Choice{Quantity: 1}})
	if err == nil {
		c.sold.Add(1)
		return true, nil
	}
	if !problem.Is(err) {
		return false, err
	}
	return false, nil // the permit has expired, or nothing is left
}

// permits reads the permits that are out and the units that are left, in one step.
var permits = redis.NewScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return { redis.call('ZCOUNT', KEYS[1], '(' .. now, '+inf'), tonumber(redis.call('HGET', KEYS[2], 'ticket')) }`)

// inspect compares the permits that are out with the units that are left until ctx ends. While no units return,
// all permits that are issued between two looks are within the bound of the first.
func (c *crowd) inspect(ctx context.Context, t *testing.T, stores *kit.Stores, lane int) (looks int) {
	keys := []string{stores.Keys.Permits(lane, c.activity, "ticket"), stores.Keys.Stock(lane, c.activity)}
	bound := (3*c.stock + 1) / 2
	for ctx.Err() == nil {
		got, err := permits.Run(context.WithoutCancel(ctx), stores.Redis, keys).Int64Slice()
		//nolint:testifylint // require must not end a goroutine
		if !assert.NoError(t, err) || !assert.LessOrEqual(t, got[0], bound, "permits out, with %d units left", got[1]) {
			return looks
		}
		bound = max(got[0], (3*got[1]+1)/2)
		looks++
	}
	return looks
}

func TestACrowdOfWhomManyNeverSubmitBuysAllUnits(t *testing.T) {
	t.Parallel()
	const workers = 32
	users, stock := 20_000, int64(1000)
	if testing.Short() {
		users, stock = 2000, 100
	}
	stores := kit.OnReal(t)
	c, lane := openCrowd(t, stores, stock)
	ctx, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	selling, sold := context.WithCancel(ctx)
	defer sold()
	var all, inspector sync.WaitGroup
	looks := 0
	inspector.Go(func() { looks = c.inspect(selling, t, stores, lane) })
	for w := range workers {
		all.Go(func() {
			done := make([]bool, users)
			for ctx.Err() == nil && c.sold.Load() < stock {
				for i := w; i < users && c.sold.Load() < stock; i += workers {
					if !done[i] {
						var err error
						if done[i], err = c.visit(ctx, i); !assert.NoError(t, err) {
							return
						}
					}
				}
			}
		})
	}
	all.Wait()
	sold()
	inspector.Wait()
	require.NoError(t, ctx.Err(), "the sale has not sold out in time")
	assert.Equal(t, stock, c.sold.Load())
	assert.Positive(t, c.left.Load())
	assert.Positive(t, looks)
	left, err := stores.Redis.HGet(t.Context(), stores.Keys.Stock(lane, c.activity), "ticket").Int64()
	require.NoError(t, err)
	assert.Zero(t, left)
	t.Logf("%d users, %d units, %d permits not used, %d looks", users, stock, c.left.Load(), looks)
}
