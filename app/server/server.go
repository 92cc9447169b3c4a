// Package server is the composition root: it builds the whole program from its configuration and
// stores, runs it, and stops it in order.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/app/crowd"
	"onrush/jobs"
	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/events"
	"onrush/modules/events/delivery"
	"onrush/modules/order"
	"onrush/modules/order/myorders"
	"onrush/modules/order/ordinary"
	"onrush/modules/order/queue"
	"onrush/modules/pay"
	"onrush/modules/pay/sandbox"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/modules/seckill/gates/blocked"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/line"
	"onrush/modules/seckill/inventory"
	"onrush/modules/sqldb"
	"onrush/web"
)

// Server is the whole program over one set of stores.
type Server struct {
	App   *fiber.App
	Auth  *web.Auth
	Mover *queue.Mover
	// Sequencer numbers the events that the platform reads.
	Sequencer *events.Sequencer
	stream    *events.HTTPBuyer
	tickets   *events.Tickets
	// Deliverer sends events to their endpoints.
	Deliverer *delivery.Deliverer

	// Jobs are the periodic jobs; tests run them by hand.
	Jobs      []jobs.Job
	Scheduler *jobs.Scheduler

	Activities *admin.Activities
	// History samples the figures of the sales.
	History   *admin.History
	Auditor   *inventory.Auditor
	Catalogue *catalogue.Catalogue

	parts    Parts
	clock    *lua.Clock
	health   *web.Health
	sales    *seckill.Service
	counters *seckill.AnswerCounters
	blocked  *blocked.Gate
	stop     context.Context // ends when the server begins to stop
	quit     context.CancelFunc
	embed    bool
	cfg      Config
	preheat  *inventory.Preheater
	sandbox  *sandbox.Gateway // nil where it is off
	crowd    *crowd.Crowd     // nil without tokens for development

	outages *outages // the log

	noteOperator fiber.Handler // of changes.HTTPOperator

	stopWithin time.Duration // bounds each step of a graceful stop
}

// New builds the program. Nothing runs before Run.
func New(cfg Config, parts Parts) (*Server, error) {
	stop, quit := context.WithCancel(context.Background())
	outages := newOutages(parts.Log.Handler(), time.Now)
	parts.Log = slog.New(outages)
	s := &Server{
		cfg: cfg, parts: parts, stop: stop, quit: quit, embed: cfg.Embedded(), stopWithin: stopWithin, outages: outages,
	}
	cfg.Web.TrustedProxies, cfg.Web.StreamsPerUser = cfg.Proxies, cfg.StreamsPerUser
	var err error
	if s.App, err = web.NewApp(stop, cfg.Web, parts.Log, parts.NewID); err != nil {
		return nil, configError(err)
	}
	if s.Auth, err = web.NewAuth(stop, cfg.Auth(), parts.Log, parts.Now); err != nil {
		return nil, configError(err)
	}
	web.AllowOrigins(s.App, web.Origins{Buyers: cfg.CORSOrigins, Operators: cfg.CORSAdminOrigins})
	if err := s.wire(cfg); err != nil {
		return nil, err
	}
	return s, nil
}

// operatorBody is the largest body of an operator in bytes. A sale of 100 skus at 1,000 stock points
// each takes 7 MB without spaces.
const operatorBody = 16 << 20

// wire builds the modules and lists their routes.
func (s *Server) wire(cfg Config) (err error) {
	p := s.parts
	pools := p.Pools.orElse(p.DB)
	base := s.deps()
	forBuyers, forOperators := base.over(pools.Buyers), base.over(pools.Operators)
	stock, stockForOperators := base.inventory(), forOperators.inventory()
	clock := base.clock

	s.Catalogue = catalogue.NewCatalogue(pools.Buyers, p.Now)
	addresses := catalogue.NewAddresses(pools.Buyers, p.NewID, clock.Now)
	deliverer := catalogue.NewDeliverer(s.Catalogue, addresses)
	cache := myorders.NewCache(p.Redis, p.Keys, cfg.Lanes, p.Log)
	orders := myorders.NewService(pools.Buyers, cache, clock.Now, p.Log)
	outbox := order.NewStockOutbox(order.StockOutboxConfig{}, base.order())
	ensurer := queue.NewEnsurer(forBuyers.queue(), cfg.Lanes)
	canceller := order.NewCanceller(forBuyers.order(), ensurer,
		order.NewStockOutbox(order.StockOutboxConfig{}, forBuyers.order()))
	queues := queue.NewInspector(forOperators.queue(), cfg.Lanes)
	s.Mover, err = queue.NewMover(s.moving(cfg), base.queue())
	if err != nil {
		return configError(err)
	}

	sales, err := s.wireSales(cfg, base, pools, deliverer)
	if err != nil {
		return configError(err)
	}
	s.Auditor = inventory.NewAuditor(stock)
	s.Deliverer = delivery.NewDeliverer(cfg.delivery(), s.delivery(base))
	money, err := s.wirePay(base, pools)
	if err != nil {
		return err
	}
	if err := s.schedule(base, working{stock, outbox, queues, money}); err != nil {
		return configError(err)
	}
	return s.register(cfg, []routes{
		human.NewHTTPBuyer(sales.gates.checks, sales.activities),
		seckill.NewHTTPBuyer(s.sales, sales.activities, sales.counts, clock),
		line.NewHTTPBuyer(sales.gates.line),
		myorders.NewHTTPBuyer(orders),
		ordinary.NewHTTPBuyer(s.ordinaryPlacer(pools.Buyers, deliverer)),
		myorders.NewHTTPCancel(canceller, orders),
		catalogue.NewHTTPBuyer(addresses),
		catalogue.NewHTTPStorefront(s.Catalogue),
		pay.NewHTTPBuyer(money.service),
		s.wireEvents(base, pools),
	}, []routes{
		catalogue.NewHTTPOperator(s.Catalogue.Over(pools.Operators)),
		queue.NewHTTPOperator(queues),
		jobs.NewHTTPOperator(s.Scheduler),
		s.ordersForOperators(pools.Operators, money.admin),
		money,
		admin.NewHTTPOperator(s.Activities, admin.NewReporter(sales.forOperators, sales.counts, s.counters), s.History,
			admin.NewChecker(sales.forOperators)),
		inventory.NewHTTPOperator(inventory.NewChanger(stockForOperators), inventory.NewAuditor(stockForOperators)),
		blocked.NewHTTPOperator(sales.gates.blocks), s.recordChanges(pools.Operators),
		events.NewHTTPOperator(events.NewFeed(pools.Operators)),
		delivery.NewHTTPOperator(delivery.NewService(cfg.delivery(), s.delivery(forOperators))),
	})
}

// ordinaryPlacer returns what places orders outside of sales.
func (s *Server) ordinaryPlacer(db *sqldb.DB, deliverer *catalogue.Deliverer) *ordinary.Placer {
	return ordinary.NewPlacer(ordinary.Config{}, ordinary.Deps{
		DB: db, Catalogue: s.Catalogue, Deliverer: deliverer, Now: s.clock.Now, Random: s.parts.random32,
		Log: s.parts.Log,
	})
}

// routes are the routes of a module for one kind of caller.
type routes interface{ Register(r fiber.Router) }

// register adds the routes of the modules and of the server itself.
func (s *Server) register(cfg Config, forBuyers, forOperators []routes) error {
	s.health = web.NewHealth(s.stop, s.pings())
	s.health.Register(s.App)
	if err := web.Docs(s.App); err != nil {
		return err
	}
	if err := web.Scripts(s.App); err != nil {
		return err
	}
	if err := s.registerPages(); err != nil {
		return err
	}
	web.Metrics(s.App, s.Deliverer.Metrics)
	if err := human.RegisterAssets(s.App); err != nil {
		return err
	}
	if cfg.DevTokens() {
		s.registerDev()
	}
	limits, err := s.limits(cfg)
	if err != nil {
		return err
	}
	s.registerStream(limits)
	buyers := s.App.Group("/api/v1", s.Auth.RequireUnless(cfg.isPublic, web.RoleUser))
	buyers.Use("/seckill", s.blocked.Handle)
	if limits != nil {
		buyers.Use(limits.Handle)
	}
	buyers.Use(s.knowTime)
	for _, r := range forBuyers {
		r.Register(buyers)
	}
	s.Auth.AllowLargeBodies(s.App, "/admin/api/v1/", operatorBody)
	operators := s.App.Group("/admin/api/v1", s.Auth.Require(web.RoleAdmin), s.knowTime, s.noteOperator)
	for _, r := range forOperators {
		r.Register(operators)
	}
	return nil
}

// isPublic reports whether a request needs no token: one for the list of activities, or for one activity.
func (c *Config) isPublic(r *fiber.Ctx) bool {
	if !c.PublicActivities || r.Method() != fiber.MethodGet && r.Method() != fiber.MethodHead {
		return false
	}
	rest, ok := strings.CutPrefix(r.Path(), "/api/v1/activities")
	return ok && strings.LastIndexByte(rest, '/') <= 0 && (rest == "" || rest[0] == '/')
}

// sales returns the settings of placing orders in sales.
func (c Config) sales(p Parts) seckill.Config {
	return seckill.Config{
		Lanes: c.Lanes, QueueLimit: c.QueueLimit, Secret: []byte(c.PathSecret),
		PreviousSecret: []byte(c.PathSecretPrevious), Placer: p.Placer, PlaceWithin: p.PlaceWithin,
	}
}

// queueGathered is the part of a full queue from which on its orders are moved, whatever the crowd.
const queueGathered = 4

// moving returns the settings of the movers.
func (s *Server) moving(cfg Config) queue.MoverConfig {
	return queue.MoverConfig{
		Lanes: cfg.Lanes, Within: cfg.MoveWithin, Gather: max(cfg.QueueLimit/queueGathered, 1), Paused: s.movingPaused,
	}
}

// random32 returns 32 random bits.
func (p Parts) random32() uint32 { return uint32(p.Random() >> 32) }

// knowTime makes sure that the stores' time is known before a request is carried out. Without any
// store the request fails anyway.
func (s *Server) knowTime(c *fiber.Ctx) error {
	_ = s.clock.Known(c.UserContext())
	return c.Next()
}

// pings returns a check of each store.
func (s *Server) pings() map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"redis": func(ctx context.Context) error { return s.parts.Redis.Ping(ctx).Err() },
		"sql":   func(ctx context.Context) error { return s.parts.DB.Read.PingContext(ctx) },
	}
}

// instanceName returns a name that no other instance has: the machine's name and a random part.
func instanceName(id string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%.40s-%.8s", host, id)
}

// preheatWithin bounds the loads before the program listens; the job preheat does the rest.
const preheatWithin = 10 * time.Second

// Preheat loads the activities that Redis should have and doesn't. Those that can't be loaded now are loaded
// by the job.
func (s *Server) Preheat(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, preheatWithin)
	defer cancel()
	if _, err := s.preheat.RunOnce(ctx); err != nil {
		s.parts.Log.WarnContext(ctx, "not all sales are loaded; the job preheat continues", "error", err)
	}
}

// prepareAgain is how long a failed preparation of the SQL store waits for the next try.
const prepareAgain = time.Second

// prepare prepares a SQL store that was unavailable at the start as soon as it answers, and reports whether it
// is ready. If it is not, ctx has ended.
func (s *Server) prepare(ctx context.Context) bool {
	if s.parts.Prepare == nil {
		return true
	}
	logged := ""
	for ctx.Err() == nil {
		err := s.parts.Prepare(ctx)
		if err == nil {
			s.parts.Log.InfoContext(ctx, "SQL is available and its schema is up to date")
			return true
		}
		if text := err.Error(); !sqldb.IsUnavailable(err) && text != logged {
			logged = text
			s.parts.Log.ErrorContext(ctx, "SQL answers but can't be used", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(prepareAgain):
		}
	}
	return false
}

func (s *Server) movingPaused(ctx context.Context) bool {
	return s.Scheduler.Paused(ctx, jobs.MoveOrders)
}

// Serve runs the program on a listener until ctx ends, and then stops in order: it accepts no more requests,
// places the orders that wait, ends the jobs, finishes the batch being moved, and returns. Jobs, movers
// and samples begin when the SQL store is ready.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	_ = s.clock.Sync(ctx) // if no store answers yet, the clock keeps asking
	if s.parts.Prepare == nil {
		s.blocked.Load(ctx)
		s.Preheat(ctx)
	}
	work, endWork := context.WithCancel(context.WithoutCancel(ctx))
	defer endWork()
	var loops sync.WaitGroup
	moving, endMoving := context.WithCancel(work)
	defer endMoving()
	started := make(chan error, 1)
	loops.Go(func() {
		if !s.prepare(moving) {
			return
		}
		if err := s.Scheduler.Start(); err != nil { //nolint:contextcheck // the jobs end with the scheduler
			started <- err
			return
		}
		loops.Go(func() { s.Sequencer.Run(moving) })
		loops.Go(func() { s.Deliverer.Run(moving) })
		loops.Go(func() { s.History.Run(moving) })
		s.Mover.Run(moving)
	})
	loops.Go(func() { s.blocked.Run(moving) })
	loops.Go(func() { s.Auth.Run(moving) })
	loops.Go(func() { s.clock.Run(moving) })
	loops.Go(func() { s.outages.watch(moving, s.pings()) })
	if s.sandbox != nil {
		s.sandbox.Resume() //nolint:contextcheck // it ends with the sandbox
	}

	served := make(chan error, 1)
	go func() { served <- s.App.Listener(ln) }()
	var err error
	select {
	case err = <-served:
		err = fmt.Errorf("serve: %w", err)
	case err = <-started:
	case <-ctx.Done():
	}
	s.quit()
	s.parts.Log.InfoContext(ctx, "stopping")
	return errors.Join(err, s.shutdown(context.WithoutCancel(ctx), endMoving, &loops))
}
