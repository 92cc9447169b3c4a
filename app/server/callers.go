package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/apikey"
	"onrush/modules/clock"
	"onrush/modules/needs"
	"onrush/modules/order"
	"onrush/modules/order/hosted"
	"onrush/modules/order/logpositions"
	"onrush/modules/order/numbers"
	"onrush/modules/order/queue"
	"onrush/modules/order/swap"
	"onrush/modules/pay"
	"onrush/modules/pay/grace"
	"onrush/modules/redisdb"
	"onrush/modules/seckill/inventory"
	"onrush/modules/site"
	"onrush/modules/sqldb"
	"onrush/modules/tracing"
)

// stores are the stores and their clock as one kind of caller uses them; each module has a Deps with the part that it
// uses.
type stores struct {
	db     *sqldb.DB
	lua    *lua.Scripts
	locks  *redisdb.Locks
	clock  *clock.Clock
	log    *slog.Logger
	tracer *tracing.Tracer
	faults order.Faults
	site   *site.Site
	// numbers makes the numbers of the orders of sales.
	numbers *numbers.Numbers
	// written keeps the positions of what movers store, also for instances that read a replica if this one doesn't.
	written *logpositions.Store
	// changed is called in the transactions that change orders; nil does nothing.
	changed order.Changed
}

// callers are the stores of each kind of caller, which differ in their connections to SQL.
type callers struct {
	work, webhooks, buyers, operators stores
	// reports has the connections of operators, and views on the replica.
	reports *sqldb.DB
	// judge counts the requests under rate limits.
	judge *redisdb.RateJudge
	// host calls the function of the program that this one is a module of; nil if there is none.
	host *hosted.Caller
	// fleet has the builds of all instances.
	fleet needs.Fleet
}

// confirmLeaseWithin bounds the wait for replicas of Redis to have a lease of order numbers.
const confirmLeaseWithin = 500 * time.Millisecond

// newCallers returns the stores of all callers. work are the movers and jobs.
func newCallers(cfg *Config, p Parts) callers {
	scripts := lua.New(p.Redis, p.Keys)
	scripts.Waits = cfg.confirm()
	c := p.Clock
	if c == nil {
		c = clock.New(p.Now, scripts.NowMS, p.DB.NowMS).LogTo(p.Log)
	}
	work := stores{
		db: p.DB, lua: scripts, locks: redisdb.NewLocks(p.Redis), clock: c, log: p.Log, faults: p.Faults,
		tracer: p.Traces.Of(),
	}
	work.site = site.New(site.Deps{
		DB: p.DB, Lua: scripts, Lanes: cfg.Lanes, Now: c.Now, Local: time.Now, Random: rand.Reader, Log: p.Log,
	})
	confirm := cfg.confirm()
	confirm.Within = cmp.Or(confirm.Within, confirmLeaseWithin)
	work.numbers = numbers.New(numbers.Deps{
		Lua: scripts, Clock: c, Key: work.site.NumberKey, Random: p.Random, Confirm: confirm,
	})
	pools := p.Pools.orElse(p.DB)
	host := hosted.New(cfg.Changed, p.Now, p.Log)
	work.changed = host.Changed()
	work.written = logpositions.New(pools.Positions, scripts, work.site, p.Now, p.Log)
	return callers{
		work: work, webhooks: work.over(pools.Webhooks), buyers: work.over(pools.Buyers),
		operators: work.over(pools.Operators), reports: pools.Operators.ViewsFrom(p.Replica),
		host: host,
	}
}

// over returns the stores with the connections of db.
func (s stores) over(db *sqldb.DB) stores {
	s.db = db
	return s
}

// keys are what the operators' keys depend on.
func (c callers) keys(p Parts) apikey.Deps {
	return apikey.Deps{
		DB: c.operators.db, Clock: c.operators.clock.Now, Now: p.Now, Random: p.random32, Secrets: rand.Reader,
		Log: p.Log,
	}
}

func (s stores) order() order.Deps {
	return order.Deps{
		DB: s.db, Lua: s.lua, Locks: s.locks, Clock: s.clock, Log: s.log, Decided: decided,
		Awaited: awaited, Extend: grace.NewExtender(s.db, s.clock, s.faults).Extend, Changed: s.changed,
		Faults: s.faults,
	}
}

// decided is an order.Decided of payments and swaps.
func decided(ctx context.Context, tx *sqlx.Tx, orders []*order.Order) error {
	if err := swap.RequireSettled(ctx, tx, orders); err != nil {
		return err
	}
	numbers := make([]order.Number, len(orders))
	for i, o := range orders {
		numbers[i] = o.Number
	}
	return pay.EnqueueCloses(ctx, tx, numbers)
}

// awaited is an order.Awaited of payments and swaps.
func awaited(ctx context.Context, q sqlx.QueryerContext, numbers []order.Number) ([]order.Number, error) {
	paying, err := pay.Awaited(ctx, q, numbers)
	if err != nil {
		return nil, err
	}
	swapping, err := swap.Pending(ctx, q, numbers)
	return append(paying, swapping...), err
}

func (s stores) swap() swap.Deps {
	return swap.Deps{
		DB: s.db, Lua: s.lua, Ensure: queue.NewEnsurer(s.queue()), Now: s.clock.Now, Log: s.log, Faults: s.faults,
	}
}

func (s stores) queue() queue.Deps {
	return queue.Deps{
		DB: s.db, Lua: s.lua, Locks: s.locks, Clock: s.clock, Log: s.log, Written: s.written, Tracer: s.tracer,
		Site: s.site, Numbers: s.numbers, Changed: s.changed, Faults: s.faults,
	}
}

func (s stores) inventory() inventory.Deps {
	return inventory.Deps{DB: s.db, Lua: s.lua, Clock: s.clock, Log: s.log, Faults: s.faults}
}
