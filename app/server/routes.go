package server

import (
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/jobs"
	"onrush/modules/api"
	"onrush/modules/apikey"
	"onrush/modules/catalogue"
	"onrush/modules/events"
	"onrush/modules/events/delivery"
	"onrush/modules/instances"
	orderadmin "onrush/modules/order/admin"
	"onrush/modules/order/attribution"
	"onrush/modules/order/fulfilment"
	"onrush/modules/order/myorders"
	"onrush/modules/order/ordinary"
	"onrush/modules/order/queue"
	"onrush/modules/order/vouchers"
	"onrush/modules/pay"
	payadmin "onrush/modules/pay/admin"
	"onrush/modules/pay/channels"
	"onrush/modules/pay/mypayments"
	payoutside "onrush/modules/pay/outside"
	"onrush/modules/pictures"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/modules/seckill/draw"
	"onrush/modules/seckill/gates/blocked"
	"onrush/modules/seckill/gates/eligible"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/line"
	"onrush/modules/seckill/holds"
	"onrush/modules/seckill/inventory"
	"onrush/modules/seckill/remind"
	"onrush/modules/seckill/report"
	"onrush/modules/seckill/waitlist"
	"onrush/modules/settings"
	"onrush/modules/trail"
	"onrush/modules/userdata"
	"onrush/web"
	"onrush/web/operators"
)

// register adds every route of the program. The handlers of a group run in the order in which it has them.
func (s *Server) register() error {
	live := s.modules.settings
	s.App.Use(takeSlash)
	if err := s.registerFiles(); err != nil {
		return err
	}
	s.registerOpen()
	if err := s.registerLogin(); err != nil {
		return err
	}
	if s.crowd != nil {
		s.registerDev()
	}

	// The stream of events stands before the group of the buyers' routes, which accepts no tickets.
	stream := events.NewHTTPBuyer(s.modules.events.hub, s.modules.events.tickets)
	s.App.Get(events.StreamPath, s.Auth.RequireTicket(s.modules.events.tickets.Check),
		live.gate.OffAt(settings.NoStreams), live.limit, s.knowTime, stream.Stream)

	buyers := s.App.Group("/api/v1", s.Auth.RequireUnless(s.cfg.isPublic, web.RoleUser))
	buyers.Use("/seckill", s.modules.gates.blocked.Handle)
	buyers.Use(live.limit, s.knowTime)
	buyers.Post("/me/events/ticket", live.gate.OffAt(settings.NoStreams), web.NoBody, stream.Ticket)
	s.modules.registerBuyers(buyers)

	s.Auth.AllowLargeBodies(s.App,
		web.LargeBodies{Prefix: operatorPaths + "pictures", Limit: pictures.MaxBytes, Scope: api.ScopeCatalogue},
		web.LargeBodies{Prefix: operatorPaths + "orders:ship", Limit: fulfilment.MaxFileBytes, Scope: api.ScopeSupport},
		web.LargeBodies{Prefix: operatorPaths, Limit: MaxBody, Scope: api.ScopeCatalogue})
	routes := operators.New(
		s.App.Group("/admin/api/v1", s.Auth.RequireOperator(), s.knowTime, s.modules.oplog.Identify),
		s.modules.once.operators.Handle, s.modules.ofShops())
	scheduler := jobs.NewHTTPOperator(s.Scheduler)
	s.modules.registerOperators(routes, s.pictures(), scheduler)
	routes.Get("/jobs", read, scheduler.List)
	routes.Post("/jobs/:name/run", adminOnly, web.NoBody, scheduler.Run)
	routes.Post("/jobs/:name/pause", adminOnly, web.NoBody, scheduler.Pause)
	routes.Post("/jobs/:name/resume", adminOnly, web.NoBody, scheduler.Resume)
	routes.Get("/jobs/:name/runs", read, scheduler.Runs)
	program := instances.NewHTTPOperator(s.Instances)
	routes.Get("/instances", read, program.List)
	routes.Get("/refusals", catalogueOrRead, program.Refusals)
	routes.Get("/me", anyScope, routes.Me)
	return routes.Check()
}

// takeSlash serves the pages and the webhooks at their addresses with a slash at the end, too: people add one, and so
// do some forms of gateways, whose notifications follow no redirect.
func takeSlash(c *fiber.Ctx) error {
	path, found := strings.CutSuffix(c.Path(), "/")
	switch {
	case !found:
	case path == "/admin", path == "/docs", path == "/dev/design", strings.HasPrefix(path, "/webhooks/pay/"):
		c.Path(path)
	}
	return c.Next()
}

// registerFiles adds the embedded files: /openapi.yaml, /openapi.json, /docs, /assets/onrush.js and its types, the
// pages and the scripts of the human checks.
func (s *Server) registerFiles() error {
	if err := web.Docs(s.App, s.cfg.basePath()); err != nil {
		return err
	}
	if err := web.Scripts(s.App); err != nil {
		return err
	}
	if err := s.registerPages(); err != nil {
		return err
	}
	return human.RegisterAssets(s.App)
}

// registerOpen adds the routes that need no token.
func (s *Server) registerOpen() {
	s.App.Get("/livez", s.health.Live)
	s.App.Get("/readyz", s.health.Readiness)

	s.App.Get(pictures.Path+":picture_id", pictures.NewHTTPPublic(s.modules.pictures.Reader).Show)

	money := s.modules.money
	webhooks := pay.NewHTTPWebhooks(money.gateways, money.webhooks)
	s.App.Post("/webhooks/pay/:channel", web.Within(money.cfg.WebhookWithin), webhooks.Notify)
	if sandbox := money.sandbox; sandbox != nil {
		s.App.Get("/sandbox/assets/:asset", sandbox.HandleAsset)
		s.App.Get("/sandbox/pay/:pay_number", sandbox.HandlePage)
		s.App.Post("/sandbox/pay/:pay_number/:action", sandbox.HandleAct)
		s.App.Get("/sandbox/state/:pay_number", sandbox.HandleState)
	}
}

// registerDev adds the routes that only programs for development have.
func (s *Server) registerDev() {
	s.App.Use([]string{"/dev/token", "/dev/crowd"}, onlyOwnNames(s.cfg.publicURL()))
	s.App.Post("/dev/token", s.Auth.DevToken())
	s.App.Post("/dev/crowd", s.crowd.HandleStart)
	s.App.Get("/dev/crowd", s.crowd.HandleState)
}

// registerBuyers adds the buyers' routes, below /api/v1.
func (m *modules) registerBuyers(r fiber.Router) {
	stopped := m.settings.store.Stopped
	sale := seckill.NewHTTPBuyer(m.sales.service, m.sales.activities, m.sales.stock, m.sales.clock, stopped)
	gate := m.settings.gate
	noStreams, noLists, onlyPlacing := gate.OffAt(settings.NoStreams), gate.OffAt(settings.NoLists),
		gate.OffAt(settings.OnlyPlacing)
	r.Get("/activities", onlyPlacing, sale.Activities)
	r.Get("/activities/:activity_id", sale.Activity)
	r.Get("/seckill/challenge", human.NewHTTPBuyer(m.gates.checks, m.sales.activities).Challenge)
	r.Post("/seckill/path", gate.Sale, sale.Path)
	r.Post("/seckill/:path/confirm", gate.Sale, sale.Confirm)
	r.Post("/seckill/:path/submit", gate.Submit, sale.Submit)
	r.Get("/seckill/tasks", noLists, sale.Tasks)
	r.Get("/seckill/tasks/:task_id", sale.Task)
	r.Get("/seckill/tasks/:task_id/events", noStreams, sale.FollowTask)

	waiting := line.NewHTTPBuyer(m.gates.line)
	r.Post("/seckill/line", waiting.Join)
	r.Get("/seckill/line/:place", waiting.Place)
	r.Get("/seckill/line/:place/events", noStreams, waiting.FollowPlace)

	list := waitlist.NewHTTPBuyer(m.sales.waitlist)
	r.Get("/seckill/waitlist", noLists, list.List)
	r.Post("/seckill/waitlist", gate.Sale, list.Join)
	r.Delete("/seckill/waitlist/:entry_id", list.Leave)

	reminders := remind.NewHTTPBuyer(m.sales.reminders)
	r.Get("/seckill/reminders", noLists, reminders.List)
	r.Post("/seckill/reminders", gate.Sale, reminders.Remind)
	r.Delete("/seckill/reminders/:reminder_id", reminders.Forget)
	draws := draw.NewHTTPBuyer(m.sales.draws)
	r.Get("/seckill/draws/:activity_id/result", draws.Result)
	r.Get("/seckill/draws/:activity_id/lots", noLists, draws.Lots)
	r.Get("/seckill/draws/:activity_id/entries", noLists, draws.Mine)
	r.Post("/seckill/draws/:activity_id/entries", gate.Sale, draws.Enter)
	r.Delete("/seckill/draws/:activity_id/entries/:entry_id", draws.Leave)

	mine, cancel := myorders.NewHTTPBuyer(m.orders.mine), myorders.NewHTTPCancel(m.orders.canceller, m.orders.mine)
	placer := ordinary.NewHTTPBuyer(m.orders.ordinary)
	r.Get("/orders", noLists, mine.List)
	r.Post("/orders", onlyPlacing, placer.Place)
	r.Post("/orders/confirm", onlyPlacing, placer.Confirm)
	r.Get("/orders/:order_number", mine.GetOrder)
	once := m.once.buyers.Handle
	change := fulfilment.NewHTTPBuyer(m.orders.readdress, m.orders.swapper, m.orders.mine, gate.Refuse,
		m.gates.blocked.Refuse)
	r.Post("/orders/:order_number/cancel", onlyPlacing, once, web.NoBody, cancel.Cancel)
	r.Patch("/orders/:order_number", onlyPlacing, change.Change)

	payments := pay.NewHTTPBuyer(m.money.service)
	r.Post("/payments", web.Within(m.money.cfg.CallWithin), payments.Begin)
	r.Get("/payments", noLists, mypayments.NewHTTPBuyer(m.money.mine).List)
	r.Get("/payments/:pay_number", payments.Get)
	r.Get("/channels", channels.NewHTTPBuyer(m.money.gateways.Channels()).List)

	addresses := catalogue.NewHTTPBuyer(m.goods.addresses)
	r.Get("/addresses", addresses.List)
	r.Post("/addresses", onlyPlacing, once, addresses.Create)
	r.Put("/addresses/:address_id", onlyPlacing, addresses.Update)
	r.Delete("/addresses/:address_id", onlyPlacing, addresses.Remove)

	goods := catalogue.NewHTTPStorefront(m.goods.catalogue)
	r.Get("/skus", noLists, goods.SKUs)
	r.Get("/skus/:sku_id", onlyPlacing, goods.SKU)
	r.Get("/points", noLists, goods.Points)
	r.Get("/regions", onlyPlacing, goods.Regions)
}

// The scopes that may call an operators' route. Tokens with the role admin, and keys with the scope admin, may call all
// of them. The scope read has no route that shows a buyer's data, a secret, or what operators did.
var (
	adminOnly operators.Scopes
	anyScope  = operators.Scopes{
		api.ScopeTill, api.ScopeSupport, api.ScopeCatalogue, api.ScopeRead, api.ScopeEvents, api.ScopePayments,
	}
	till              = operators.Scopes{api.ScopeTill}
	support           = operators.Scopes{api.ScopeSupport}
	tillOrSupport     = operators.Scopes{api.ScopeTill, api.ScopeSupport}
	goodsAndSales     = operators.Scopes{api.ScopeCatalogue}
	catalogueOrRead   = operators.Scopes{api.ScopeCatalogue, api.ScopeRead}
	read              = operators.Scopes{api.ScopeRead}
	eventsFeed        = operators.Scopes{api.ScopeEvents}
	payments          = operators.Scopes{api.ScopePayments}
	supportOrPayments = operators.Scopes{api.ScopeSupport, api.ScopePayments}
)

// registerOperators adds the operators' routes, below /admin/api/v1.
func (m *modules) registerOperators(r *operators.Routes, pictures web.Pictures, scheduler *jobs.HTTPOperator) {
	m.registerSales(r, pictures)
	m.registerGoods(r, pictures)
	m.registerOrders(r, scheduler)

	blocks := blocked.NewHTTPOperator(m.gates.blocks)
	r.Get("/blocked", adminOnly, blocks.List)
	r.Get("/blocked/:subject", adminOnly, blocks.Get)
	r.Put("/blocked/:subject", adminOnly, blocks.Put)
	r.Delete("/blocked/:subject", adminOnly, blocks.Delete)

	endpoints := delivery.NewHTTPOperator(m.events.endpoints)
	r.Get("/events", eventsFeed, events.NewHTTPOperator(m.events.reader).Read)
	r.Get("/endpoints", eventsFeed, endpoints.List)
	r.Get("/endpoints/:endpoint_id", eventsFeed, endpoints.Get)
	r.Put("/endpoints/:endpoint_id", eventsFeed, endpoints.Put)
	r.Delete("/endpoints/:endpoint_id", eventsFeed, endpoints.Delete)
	r.Post("/endpoints/:endpoint_id/rotate", eventsFeed, web.NoBody, endpoints.Rotate)
	r.Get("/endpoints/:endpoint_id/deliveries", eventsFeed, endpoints.Deliveries)
	r.Post("/endpoints/:endpoint_id/resend", eventsFeed, within1m, endpoints.ResendSpan)
	r.Post("/endpoints/:endpoint_id/test", eventsFeed, web.NoBody, within30s, endpoints.Test)
	r.Get("/deliveries/:delivery_id", eventsFeed, endpoints.Delivery)
	r.Post("/deliveries/:delivery_id/resend", eventsFeed, web.NoBody, endpoints.Resend)

	r.Get("/changes", adminOnly, m.oplog.List)

	live := settings.NewHTTPOperator(m.settings.store, m.settings.inForce)
	r.Get("/settings", read, live.Get)
	r.Patch("/settings", adminOnly, live.Change)
	users := userdata.NewHTTPOperator(m.users, m.sales.clock.Now)
	r.Get("/users/:user_id/export", support, users.Export)
	r.Get("/users/:user_id/trail", support, m.trail().Get)
	r.Post("/users/:user_id/erase", adminOnly, within1m, users.Erase)

	keys := apikey.NewHTTPOperator(m.keys)
	r.Get("/keys", adminOnly, keys.List)
	r.Post("/keys", adminOnly, keys.Create)
	r.Delete("/keys/:key_id", adminOnly, keys.Revoke)
}

func (m *modules) trail() *trail.HTTPOperator {
	return trail.NewHTTPOperator(m.trails, m.orders.mine, m.shopOfActivity, m.sales.clock.Now)
}

// The deadlines of operators' routes that read or write much. Other routes have the default deadline.
var within5s, within30s, within1m = web.Within(5 * time.Second), web.Within(30 * time.Second), web.Within(time.Minute)

func (m *modules) registerSales(r *operators.Routes, pictures web.Pictures) {
	sale := admin.NewHTTPOperator(m.sales.operated, m.sales.reporter, m.sales.history, m.sales.checker, pictures)
	r.Get("/activities", catalogueOrRead, sale.List)
	r.Post("/activities", goodsAndSales, within1m, sale.Create)
	r.Get("/activities/:activity_id", catalogueOrRead, sale.Get)
	r.Put("/activities/:activity_id", goodsAndSales, within1m, sale.Put)
	r.Patch("/activities/:activity_id", goodsAndSales, sale.Change)
	r.Put("/activities/:activity_id/file", goodsAndSales, within1m, sale.PutFile)
	r.Post("/activities/:activity_id/publish", goodsAndSales, web.NoBody, within1m, sale.Publish)
	r.Post("/activities/:activity_id/offline", goodsAndSales, web.NoBody, sale.Offline)
	r.Post("/activities/:activity_id/pause", goodsAndSales, web.NoBody, sale.Pause)
	r.Post("/activities/:activity_id/resume", goodsAndSales, web.NoBody, sale.Resume)
	r.Post("/activities/:activity_id/clone", goodsAndSales, within1m, sale.Clone)
	r.Post("/activities/:activity_id/reload", adminOnly, web.NoBody, within1m, sale.Reload)
	r.Delete("/activities/:activity_id", goodsAndSales, sale.Delete)
	r.Get("/activities/:activity_id/stats", catalogueOrRead, within5s, sale.Stats)
	r.Get("/activities/:activity_id/history", catalogueOrRead, within5s, sale.PastFigures)
	r.Get("/activities/:activity_id/checks", catalogueOrRead, within5s, sale.Check)
	lists := eligible.NewHTTPOperator(m.gates.lists)
	r.Get("/activities/:activity_id/buyers", catalogueOrRead, within5s, lists.Summary)
	r.Post("/activities/:activity_id/buyers", goodsAndSales, within30s, lists.Add)
	r.Delete("/activities/:activity_id/buyers", goodsAndSales, lists.Clear)
	r.Post("/activities/:activity_id/codes", goodsAndSales, within30s, lists.MakeCodes)
	r.Post("/activities/:activity_id/codes/revoke", goodsAndSales, within30s, lists.RevokeCodes)
	r.Get("/activities/:activity_id/draw", catalogueOrRead, draw.NewHTTPOperator(m.sales.draws).Show)
	r.Get("/activities/:activity_id/reminders", catalogueOrRead, remind.NewHTTPOperator(m.sales.reminders).Count)
	reports := report.NewHTTPOperator(m.sales.reports)
	r.Get("/activities/:activity_id/report", catalogueOrRead, within1m, reports.Get)
	r.Get("/activities/:activity_id/report.csv", catalogueOrRead, within1m, reports.CSV)

	held := holds.NewHTTPOperator(m.sales.holds)
	r.Get("/activities/:activity_id/holds", goodsAndSales, held.List)
	r.Post("/activities/:activity_id/holds", goodsAndSales, held.Make)
	r.Patch("/activities/:activity_id/holds/:hold_id", goodsAndSales, held.Name)
	r.Delete("/activities/:activity_id/holds/:hold_id", goodsAndSales, held.Release)
	r.Post("/activities/:activity_id/holds/:hold_id/order", goodsAndSales, held.Order)

	stock := inventory.NewHTTPOperator(m.sales.changes, m.sales.audits)
	r.PostKeyed("/activities/:activity_id/stock", goodsAndSales, within1m, stock.Stock)
	r.Put("/activities/:activity_id/stock", goodsAndSales, within1m, stock.SetStock)
	r.Get("/activities/:activity_id/stock", catalogueOrRead, stock.PendingChanges)
	r.Post("/activities/:activity_id/stock/:change_id/abandon", goodsAndSales, web.NoBody, within1m,
		stock.AbandonChange)
	r.Get("/activities/:activity_id/audit", catalogueOrRead, within1m, stock.Audit)
	r.Post("/activities/:activity_id/audit/repair", adminOnly, web.NoBody, within1m, stock.Repair)
}

func (m *modules) registerGoods(r *operators.Routes, allowed web.Pictures) {
	goods := catalogue.NewHTTPOperator(m.goods.forOperators, allowed)
	r.Put("/skus\\:batch", goodsAndSales, within30s, goods.PutSKUs)
	r.Put("/skus\\:stock", goodsAndSales, within30s, goods.SetStocks)
	r.Get("/skus", catalogueOrRead, goods.SKUs)
	r.Get("/skus/:sku_id", catalogueOrRead, goods.SKU)
	r.Put("/skus/:sku_id", goodsAndSales, goods.PutSKU)
	r.Post("/skus/:sku_id/stock", goodsAndSales, goods.ChangeStock)
	r.Put("/skus/:sku_id/stock", goodsAndSales, goods.SetStock)
	r.Delete("/skus/:sku_id", goodsAndSales, goods.DeleteSKU)
	r.Put("/points\\:batch", goodsAndSales, within30s, goods.PutPoints)
	r.Get("/points", catalogueOrRead, goods.Points)
	r.Get("/points/:point_id", catalogueOrRead, goods.Point)
	r.Put("/points/:point_id", goodsAndSales, goods.PutPoint)
	r.Delete("/points/:point_id", goodsAndSales, goods.DeletePoint)
	r.Get("/regions", catalogueOrRead, goods.Regions)
	uploads := pictures.NewHTTPOperator(m.pictures)
	r.Get("/pictures", catalogueOrRead, uploads.List)
	r.Post("/pictures", goodsAndSales, within5s, uploads.Upload)
	r.Delete("/pictures/:picture_id", goodsAndSales, within5s, uploads.Delete)
}

func (m *modules) registerOrders(r *operators.Routes, scheduler *jobs.HTTPOperator) {
	dead := queue.NewHTTPOperator(m.orders.inspector, scheduler.MoversPaused)
	r.Get("/queue", read, dead.Lanes)
	r.Get("/queue/dead", adminOnly, dead.Dead)
	r.Post("/queue/dead\\:replay", adminOnly, within30s, dead.ReplayAll)
	r.Post("/queue/dead/:dead_id/replay", adminOnly, web.NoBody, dead.Replay)
	r.Post("/queue/dead/:dead_id/discard", adminOnly, web.NoBody, dead.Discard)

	money, refunds := payadmin.NewHTTPOperator(m.money.operators), payadmin.NewHTTPRefunds(m.money.operations)
	orders := orderadmin.NewHTTPOperator(
		m.orders.operators, m.orders.notes, m.money.operators, m.orders.decider, m.trail())
	r.Get("/orders", support, orders.List)
	r.Get("/orders.csv", support, orders.CSV)
	r.PostKeyed("/orders\\:refund", support, within30s, refunds.RefundOrders)
	r.Get("/orders/:order_number", tillOrSupport, orders.Get)
	r.Post("/orders/:order_number/notes", support, orders.Note)
	r.PostKeyed("/orders/:order_number/refund", support, refunds.Refund)
	checkout := payoutside.NewHTTPOperator(m.money.outside)
	r.Post("/orders/:order_number/hold", payments, checkout.Hold)
	r.Post("/orders/:order_number/paid", payments, checkout.Paid)
	r.Post("/orders/:order_number/cancel", support, orders.Cancel)
	r.Post("/orders/:order_number/mark_paid", adminOnly, orders.MarkPaid)
	r.Post("/orders/:order_number/mark_refunded", adminOnly, orders.MarkRefunded)
	r.Post("/orders/:order_number/restock", adminOnly, orders.Restock)
	marks := fulfilment.NewHTTPOperator(m.orders.marker, orders.Get)
	r.Post("/orders\\:ship", support, within1m, marks.ShipFile)
	r.Post("/orders/:order_number/pack", support, web.NoBody, marks.Pack)
	r.Post("/orders/:order_number/ship", support, marks.Ship)
	r.Post("/orders/:order_number/deliver", tillOrSupport, web.NoBody, marks.Deliver)
	r.Get("/search", support, orders.Search)
	r.Get("/payments", support, money.Payments)
	r.Get("/payments.csv", support, money.PaymentsCSV)
	r.Get("/revenue", read, within5s, money.Revenue)
	sources := attribution.NewHTTPOperator(m.orders.sources)
	r.Get("/attribution", support, within1m, sources.List)
	r.Get("/attribution/totals", support, within1m, sources.Totals)
	r.Get("/attribution.csv", support, within1m, sources.CSV)
	r.Get("/payments/:pay_number", support, money.Payment)
	r.Post("/payments/:pay_number/clear_flag", support, money.ClearFlag)
	r.Get("/refunds", supportOrPayments, money.Refunds)
	r.Get("/refunds.csv", support, money.RefundsCSV)
	r.Post("/refunds\\:retry", support, refunds.RetryAll)
	r.Get("/refunds/:refund_number", supportOrPayments, money.Refund)
	r.Post("/refunds/:refund_number/report", payments, checkout.Report)
	r.Post("/refunds/:refund_number/retry", support, web.NoBody, refunds.Retry)

	codes := vouchers.NewHTTPOperator(m.money.vouchers)
	r.Get("/vouchers", catalogueOrRead, codes.Pools)
	r.Post("/skus/:sku_id/vouchers\\:import", goodsAndSales, within30s, codes.Import)
	r.Post("/skus/:sku_id/vouchers\\:withdraw", goodsAndSales, within30s, codes.Withdraw)
	r.Get("/vouchers/:code", tillOrSupport, codes.Get)
	r.Post("/vouchers/:code/redeem", till, codes.Redeem)
}
