package server

import (
	"context"
	"crypto/rand"

	"onrush/jobs"
	"onrush/modules/apikey"
	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/events"
	"onrush/modules/events/delivery"
	"onrush/modules/idempotency"
	"onrush/modules/oplog"
	"onrush/modules/order"
	orderadmin "onrush/modules/order/admin"
	"onrush/modules/order/archive"
	"onrush/modules/order/attribution"
	"onrush/modules/order/fulfilment"
	"onrush/modules/order/limitkey"
	"onrush/modules/order/myorders"
	"onrush/modules/order/ordinary"
	"onrush/modules/order/queue"
	"onrush/modules/order/swap"
	"onrush/modules/order/vouchers"
	"onrush/modules/pay"
	payadmin "onrush/modules/pay/admin"
	"onrush/modules/pay/counts"
	"onrush/modules/pay/mypayments"
	payoutside "onrush/modules/pay/outside"
	"onrush/modules/pay/sandbox"
	"onrush/modules/pictures"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/modules/seckill/draw"
	"onrush/modules/seckill/gates/admit"
	"onrush/modules/seckill/gates/blocked"
	"onrush/modules/seckill/gates/eligible"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/limits"
	"onrush/modules/seckill/gates/line"
	"onrush/modules/seckill/holds"
	"onrush/modules/seckill/inventory"
	"onrush/modules/seckill/place"
	"onrush/modules/seckill/remind"
	"onrush/modules/seckill/report"
	"onrush/modules/seckill/waitlist"
	"onrush/modules/trail"
	"onrush/modules/userdata"
)

// modules are the modules of the program. Each of them depends only on those before it.
type modules struct {
	goods  goods
	orders orders
	gates  gates
	sales  sales
	money  money
	events feed
	oplog  *oplog.HTTPOperator
	keys   *apikey.Service
	users  *userdata.Service
	once   once
	trails *trail.Service

	pictures *pictures.Service
	settings *changeable
}

// newModules builds the modules over the stores of their callers. stop ends when the program begins to stop.
func newModules(
	stop context.Context, cfg Config, p Parts, c callers, pauses *jobs.Pauses, keys *apikey.Verifier,
	trails *trail.Service,
) (m modules, err error) {
	m.trails = trails
	m.goods = newGoods(p, c)
	if m.money, err = newMoney(stop, cfg, p, c); err != nil {
		return m, configError(err)
	}
	if m.orders, err = newOrders(cfg, p, c, m.goods, m.money, pauses); err != nil {
		return m, configError(err)
	}
	caches := newCaches(p, c)
	if m.gates, err = newGates(cfg, p, c, caches); err != nil {
		return m, configError(err)
	}
	swaps := c.buyers.swap()
	swaps.Admit = m.gates.admitSwap
	m.orders.swapper = swap.New(swaps)
	if m.sales, err = newSales(cfg, p, c, m.goods, caches, m.gates); err != nil {
		return m, configError(err)
	}
	if m.events, err = newFeed(cfg, p, c, m.orders.mover); err != nil {
		return m, configError(err)
	}
	m.oplog = oplog.NewHTTPOperator(oplog.NewLog(c.operators.db), oplog.NewRecorder(c.work.clock.Now, p.random32))
	m.once = newOnce(cfg, p, c)
	m.keys = apikey.NewService(c.keys(p), keys)
	buckets, err := cfg.buckets(p.Now)
	if err != nil {
		return m, configError(err)
	}
	m.pictures = pictures.NewService(pictures.Deps{
		DB: c.operators.db, Shown: c.buyers.db, Clock: c.operators.clock.Now, Sync: c.operators.clock.Sync, Now: p.Now,
		Base: cfg.basePath(), Buckets: buckets, NewID: p.NewID, Log: p.Log,
	})
	m.users = userdata.NewService(userdata.Deps{
		DB: c.operators.db, Redis: p.Redis, Keys: p.Keys, Site: c.work.site, Addresses: m.goods.addresses,
		Orders: m.orders.operators, Notes: m.orders.notes, Payments: m.money.operators, Trails: trails,
		Random: rand.Text, Faults: p.Faults,
	})
	m.settings, err = newChangeable(cfg, p, c, m.gates.limits)
	return m, err
}

// keysOfBuyer bounds the kept Idempotency-Keys of a buyer, for changes of addresses and cancelled orders: whoever
// cancels the same order again and again with new keys must not fill the table.
const keysOfBuyer = 1000

// once are what carries out a request with an Idempotency-Key at most once.
type once struct{ buyers, operators *idempotency.HTTPGate }

func newOnce(cfg Config, p Parts, c callers) once {
	over := func(s stores, callers idempotency.Callers, most int) *idempotency.HTTPGate {
		return idempotency.NewHTTPGate(idempotency.NewStore(idempotency.Deps{
			DB: s.db, Clock: s.clock.Now, NewID: p.NewID, Callers: callers, MaxPerCaller: most,
			Secrets: cfg.pathSecrets(),
		}), p.Log, p.Faults)
	}
	return once{
		buyers:    over(c.buyers, idempotency.Buyers, keysOfBuyer),
		operators: over(c.operators, idempotency.Operators, 0),
	}
}

// goods are the catalogue, the buyers' addresses, and the delivery.
type goods struct {
	catalogue    *catalogue.Catalogue
	forOperators *catalogue.Catalogue
	addresses    *catalogue.Addresses
	destinations *catalogue.Destinations
}

func newGoods(p Parts, c callers) (g goods) {
	g.catalogue = catalogue.NewCatalogue(c.buyers.db, p.Now)
	g.forOperators = g.catalogue.Over(c.operators.db)
	g.addresses = catalogue.NewAddresses(c.buyers.db, p.NewID, c.buyers.clock.Now, p.Log)
	g.destinations = catalogue.NewDestinations(g.catalogue, g.addresses.Copies)
	return g
}

// orders are the modules for both types of orders, and the queue that moves orders of sales into SQL.
type orders struct {
	mine      *myorders.Service
	ordinary  *ordinary.Placer
	canceller *order.Canceller
	due       *order.DueCanceller
	archiver  *archive.Archiver
	receivers *orderadmin.Receivers
	outbox    *order.StockOutbox
	mover     *queue.Mover
	inspector *queue.Inspector
	operators *orderadmin.Service
	sources   *attribution.Service
	filler    *attribution.Filler
	notes     *orderadmin.Notes
	decider   *orderadmin.Decider
	marker    *fulfilment.Marker
	readdress *fulfilment.Addresses
	swapper   *swap.Swapper
	swaps     *swap.Settler
}

// gatherDivisor: movers wait for larger batches only while a queue has less than this part (1/4) of its limit.
const gatherDivisor = 4

func newOrders(cfg Config, p Parts, c callers, g goods, m money, pauses *jobs.Pauses) (o orders, err error) {
	now := c.work.clock.Now
	cache := myorders.NewCache(p.Redis, p.Keys, c.work.site, p.Log)
	o.mine = myorders.NewService(c.buyers.db, cache, now, p.Log)
	if p.Replica != nil {
		o.mine.ReadFrom(p.Replica, c.buyers.written)
	}
	o.ordinary = ordinary.NewPlacer(cfg.UnpaidOrders, ordinary.Deps{
		DB: c.buyers.db, Catalogue: g.catalogue, Now: now, Random: p.random32, Log: p.Log,
		Changed: c.buyers.changed,
		// SQL stores the orders anyway, so the addresses aren't copies.
		Destinations: catalogue.NewDestinations(g.catalogue, g.addresses),
	})
	o.outbox = order.NewStockOutbox(order.StockOutboxConfig{}, c.work.order())
	o.due = order.NewDueCanceller(order.DueConfig{}, c.work.order(), o.outbox)
	o.archiver = archive.New(archive.Config{Keep: cfg.Keep.Orders}, c.work.order())
	o.receivers = orderadmin.NewReceivers(orderadmin.ReceiversConfig{}, c.work.db, now)
	o.canceller = order.NewCanceller(c.buyers.order(), queue.NewEnsurer(c.buyers.queue()),
		order.NewStockOutbox(order.StockOutboxConfig{}, c.buyers.order()))
	o.inspector = queue.NewInspector(c.operators.queue())
	operators, ensurer := c.operators.order(), queue.NewEnsurer(c.operators.queue())
	o.operators = orderadmin.NewService(c.reports, ensurer)
	o.sources = attribution.NewService(c.reports, now)
	o.filler = attribution.NewFiller(attribution.FillerConfig{}, c.work.db, now)
	outbox := order.NewStockOutbox(order.StockOutboxConfig{}, operators)
	o.decider = orderadmin.NewDecider(orderadmin.DeciderDeps{
		Deps: operators, Canceller: order.NewCanceller(operators, ensurer, outbox), Outbox: outbox, Outside: m.outside,
		Number: func() order.Number { return payNumber(p, c.work.clock) },
	})
	o.marker = fulfilment.NewMarker(fulfilment.MarkerDeps{DB: c.operators.db, Ensure: ensurer, Now: now})
	o.readdress = fulfilment.NewAddresses(fulfilment.AddressesDeps{
		DB: c.buyers.db, Ensure: queue.NewEnsurer(c.buyers.queue()), Points: g.catalogue, Now: now,
		Destinations: catalogue.NewDestinations(g.catalogue, g.addresses),
	})
	o.swaps = swap.NewSettler(c.work.swap())
	o.notes = orderadmin.NewNotes(c.operators.db, now, p.random32)
	o.mover, err = queue.NewMover(queue.MoverConfig{
		Within: cfg.MoveWithin, Gather: max(cfg.QueueLimit/gatherDivisor, 1), Confirm: cfg.confirm(),
		Paused: func(ctx context.Context) bool { return pauses.Paused(ctx, jobs.MoveOrders) },
	}, c.work.queue())
	return o, err
}

// caches are the copies of sales and their stock that the paths and the submits read.
type caches struct {
	activities *seckill.ActivityCache
	stock      *seckill.StockCache
}

func newCaches(p Parts, c callers) caches {
	return caches{
		activities: seckill.NewActivityCache(c.buyers.db, c.buyers.lua, c.buyers.clock, p.Now),
		stock:      seckill.NewStockCache(c.buyers.lua, p.Now),
	}
}

// gates are the gates before the paths of sales.
type gates struct {
	limits  *limits.Gate
	line    *line.Service
	checks  human.Checks
	blocked *blocked.Gate
	blocks  *blocked.Store

	admission *admit.Gate // nil: all are admitted
	route     *admit.Route

	eligible *eligible.Gate
	lists    *eligible.Store
	filler   *eligible.Filler
}

func newGates(cfg Config, p Parts, c callers, from caches) (g gates, err error) {
	proxies, err := cfg.Web.Proxies()
	if err != nil {
		return g, err
	}
	clock := c.buyers.clock
	g.blocked = blocked.NewGate(c.work.db, clock.Now, proxies, p.Log)
	g.blocks = blocked.NewStore(c.operators.db, clock.Now, proxies)
	if err := g.openAdmission(&cfg, p); err != nil {
		return g, err
	}
	g.limits = limits.NewGate(c.judge, p.Now, p.Log)
	g.eligible = eligible.NewGate(c.buyers.db, c.buyers.lua, limitkey.NewMaker(c.work.site.NumberKey), p.Now)
	g.lists = eligible.NewStore(c.operators.db, from.activities.Forget)
	g.filler = eligible.NewFiller(c.work.db, c.work.lua)
	g.line, err = line.NewService(line.Config{Secrets: cfg.pathSecrets()}, line.Deps{
		Sales: seckill.NewLineSales(from.activities, from.stock, clock), Lua: c.buyers.lua, Clock: clock,
	})
	if err != nil {
		return g, err
	}
	pow, err := human.NewPow(human.PowConfig{
		Secrets: cfg.pathSecrets(), Difficulty: cfg.PowDifficulty,
	}, c.buyers.lua, clock.Now, rand.Reader)
	if err != nil {
		return g, err
	}
	g.checks = human.Checks{human.ProofOfWork: pow}
	if !cfg.Captcha.Off() {
		g.checks[human.Captcha], err = human.NewHostedCaptcha(cfg.Captcha, p.Log)
	}
	return g, err
}

// sales are the flash sales: what buyers do in them, their stock in Redis, and what operators do with them.
type sales struct {
	caches
	clock    *clock.Clock
	service  *seckill.Service
	counters *seckill.AnswerCounters

	waitlist *waitlist.Service
	offerer  *waitlist.Offerer
	holds    *holds.Service
	draws    *draw.Service
	drawer   *draw.Drawer

	reminders *remind.Service
	teller    *remind.Teller

	preheater *inventory.Preheater
	retirer   *inventory.Retirer
	auditor   *inventory.Auditor // of the jobs
	changer   *inventory.Changer // of the jobs

	operated  *admin.Activities // by operators
	scheduled *admin.Activities // by jobs
	history   *admin.History
	reporter  *admin.Reporter
	reports   *report.Service
	checker   *admin.Checker
	audits    *inventory.Auditor // of operators
	changes   *inventory.Changer // of operators
}

func newSales(cfg Config, p Parts, c callers, g goods, from caches, before gates) (s sales, err error) {
	s.caches, s.clock = from, c.buyers.clock
	s.counters = seckill.NewAnswerCounters(c.buyers.lua, c.buyers.clock)
	s.service, err = seckill.NewService(seckill.Config{
		Secrets: cfg.pathSecrets(),
		Place:   place.Config{Within: p.PlaceWithin, QueueLimit: cfg.QueueLimit, Confirm: cfg.confirm()},
	}, seckill.Deps{
		DB: c.buyers.db, Lua: c.buyers.lua, Clock: c.buyers.clock, Cache: from.activities, Counts: from.stock,
		Counters: s.counters, Destinations: g.destinations, Limits: before.limits, Line: before.line,
		Checks: before.checks, Admission: before.admission, Eligible: before.eligible,
		Numbers: c.work.numbers, Log: p.Log, Tracer: p.Traces.Of(),
	})
	if err != nil {
		return s, err
	}
	s.waitlist = waitlist.NewService(waitlist.Deps{
		DB: c.buyers.db, Lua: c.buyers.lua, Clock: c.buyers.clock, Log: p.Log, Wishes: s.service, NewID: p.NewID,
		Faults: p.Faults,
	})
	s.offerer = waitlist.NewOfferer(waitlist.Deps{
		DB: c.work.db, Lua: c.work.lua, Clock: c.work.clock, Log: p.Log, Faults: p.Faults,
	})
	s.reminders = remind.NewService(remind.Deps{
		DB: c.buyers.db, Clock: c.buyers.clock, Activities: from.activities, Counts: from.stock, Limits: before.limits,
		NewID: p.NewID, Faults: p.Faults,
	})
	s.teller = remind.NewTeller(remind.Deps{
		DB: c.work.db, Clock: c.work.clock, Activities: from.activities, Counts: from.stock, Faults: p.Faults,
	})
	s.draws = draw.NewService(draw.Deps{
		DB: c.buyers.db, Clock: c.buyers.clock, Wishes: s.service, Sales: from.activities,
	})
	s.drawer = draw.NewDrawer(draw.Deps{DB: c.work.db, Clock: c.work.clock, Faults: p.Faults})
	stock := c.work.inventory()
	s.preheater = inventory.NewPreheater(inventory.PreheatConfig{}, stock, inventory.NewLoader(stock), from.activities)
	s.retirer = inventory.NewRetirer(inventory.RetireConfig{After: cfg.Keep.Sales}, stock)
	operated := c.operators.inventory()
	s.changer, s.changes = inventory.NewChanger(stock), inventory.NewChanger(operated)
	stock.DB, operated.DB = stock.DB.ViewsFrom(p.Replica), c.reports
	s.auditor, s.audits = inventory.NewAuditor(inventory.AuditConfig{}, stock),
		inventory.NewAuditor(inventory.AuditConfig{}, operated)

	over := func(s stores) admin.Deps {
		return admin.Deps{
			DB: s.db, Lua: s.lua, Clock: s.clock, Catalogue: g.catalogue, Cache: from.activities,
			Loader: inventory.NewLoader(s.inventory()), Totals: inventory.NewChanger(s.inventory()),
			Site: c.work.site, Checks: before.checks, Fleet: c.fleet,
			Channels: cfg.activityChannels(p.Now), NewID: p.NewID, Secret: rand.Text, Log: p.Log, Faults: p.Faults,
			EmbeddedRedis: cfg.RedisURL == "",
		}
	}
	deps := over(c.operators)
	s.operated, s.scheduled = admin.NewActivities(deps), admin.NewActivities(over(c.work))
	s.history = admin.NewHistory(over(c.work), s.counters) // operators read what it has in memory
	s.reporter, s.checker = admin.NewReporter(deps, from.stock, s.counters), admin.NewChecker(deps)
	s.holds = holds.NewService(holds.Deps{
		DB: c.operators.db, Lua: c.operators.lua, Clock: c.operators.clock, Log: p.Log, Activities: s.operated,
		Submits: s.service, NewID: p.NewID, Faults: p.Faults,
	})
	s.reports = report.NewService(report.Deps{
		DB: c.reports, Lua: c.operators.lua, Clock: c.operators.clock, Counters: s.counters,
	})
	return s, nil
}

// money are the payments and refunds, and the vouchers that they pay.
type money struct {
	cfg        pay.Config
	gateways   pay.Gateways
	sandbox    *sandbox.Gateway // nil where it is off
	service    *pay.Service
	mine       *mypayments.Service
	webhooks   *pay.Processor
	operations *pay.Operations
	outside    *payoutside.Service
	refunder   *pay.Refunder
	reconciler *pay.Reconciler
	operators  *payadmin.Service
	vouchers   *vouchers.Service
	giver      *vouchers.Service // for the job
	counts     *counts.Counts
}

func newMoney(stop context.Context, cfg Config, p Parts, c callers) (m money, err error) {
	now := c.work.clock.Now
	if m.gateways, m.sandbox, err = openGateways(stop, cfg, p, c.webhooks); err != nil {
		return m, err
	}
	number := func() order.Number { return payNumber(p, c.work.clock) }
	payer := order.NewPayer(rand.Text, p.Traces.Of(), c.work.changed)
	m.counts = counts.New()
	all := payoutside.With(m.gateways) // buyers can't begin a payment of that channel, and it has no webhook
	over := func(s stores) pay.Deps {
		return pay.Deps{
			DB: s.db, Ensure: queue.NewEnsurer(s.queue()), Payer: payer, Gateways: all,
			Locks: s.locks, Keys: s.lua.Keys, Clock: s.clock, Number: number, Random: p.Random, Log: s.log,
			Counts: m.counts, Faults: s.faults,
		}
	}
	settings := pay.Config{ReturnOrigins: cfg.returnOrigins()}.WithDefaults()
	m.cfg = settings
	buyers := over(c.buyers)
	buyers.Gateways = m.gateways
	m.service, err = pay.NewService(settings, buyers, pay.NewProcessor(settings, buyers))
	if err != nil {
		return m, err
	}
	m.mine = mypayments.NewService(c.buyers.db.Read, c.buyers.clock.Now)
	m.webhooks = pay.NewProcessor(settings, over(c.webhooks))
	m.operations = pay.NewOperations(over(c.operators))
	m.outside = payoutside.NewService(over(c.operators), pay.NewProcessor(settings, over(c.operators)))
	m.refunder = pay.NewRefunder(settings, over(c.work))
	m.reconciler = pay.NewReconciler(settings, over(c.work), pay.NewProcessor(settings, over(c.work)))
	m.operators = payadmin.NewService(payadmin.Deps{DB: c.reports, Now: now, Number: number})
	codes := func(s stores) *vouchers.Service {
		return vouchers.NewService(vouchers.Deps{DB: s.db, Now: now, Log: s.log, LockVoucher: catalogue.LockVoucher})
	}
	m.vouchers, m.giver = codes(c.operators), codes(c.work)
	return m, nil
}

// payNumber returns a new number of a payment or refund: sorted by time like an order's, with 32 random
// bits in a second.
func payNumber(p Parts, clock *clock.Clock) order.Number {
	r := p.Random()
	return order.NewNumber(clock.Now(), int(r>>54), uint32(r&order.SeqMask))
}

// feed are the events that the program writes: their order, the buyers' streams, and the platform's endpoints.
type feed struct {
	sequencer *events.Sequencer
	tickets   *events.Tickets
	hub       *events.Hub
	reader    *events.Feed
	deliverer *delivery.Deliverer
	endpoints *delivery.Service
}

func newFeed(cfg Config, p Parts, c callers, mover *queue.Mover) (f feed, err error) {
	f.sequencer = events.NewSequencer(c.work.db, p.Log)
	f.tickets = events.NewTickets(cfg.pathSecrets(), c.buyers.lua, c.buyers.clock.Now, rand.Reader)
	f.hub = events.NewHub(events.HubDeps{DB: c.buyers.db, Now: p.Now, Log: p.Log})
	f.reader = events.NewFeed(c.operators.db)
	private, err := delivery.ParsePrivate(cfg.EventsAllowPrivate)
	if err != nil {
		return f, err
	}
	settings := delivery.Config{Private: private}
	over := func(s stores) delivery.Deps {
		return delivery.Deps{
			DB: s.db, Feed: events.NewFeed(s.db), Now: s.clock.Now, Instance: instanceName(p.NewID()),
			Random: p.Random, Secrets: rand.Reader, Log: p.Log, Busy: mover.Busy, Faults: delivery.Faults(s.faults),
			Tracer: s.tracer,
		}
	}
	f.deliverer = delivery.NewDeliverer(settings, over(c.work))
	f.endpoints = delivery.NewService(settings, over(c.operators))
	return f, nil
}
