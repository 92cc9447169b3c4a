package server

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"onrush/jobs"
	"onrush/modules/catalogue"
	"onrush/modules/events"
	"onrush/modules/events/delivery"
	"onrush/modules/instances"
	orderadmin "onrush/modules/order/admin"
	"onrush/modules/order/myorders"
	"onrush/modules/order/ordinary"
	"onrush/modules/order/queue"
	"onrush/modules/order/vouchers"
	"onrush/modules/pay"
	payadmin "onrush/modules/pay/admin"
	"onrush/modules/pay/mypayments"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/modules/seckill/gates/blocked"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/seckill/gates/line"
	"onrush/modules/seckill/inventory"
	"onrush/web"
)

// register adds every route of the program. The handlers of a group run in the order in which it has them.
func (s *Server) register(limits *web.RateLimits) error {
	if err := s.registerFiles(); err != nil {
		return err
	}
	s.registerOpen()
	if s.crowd != nil {
		s.registerDev()
	}

	// The stream of events stands before the group of the buyers' routes, which accepts no tickets.
	stream := events.NewHTTPBuyer(s.modules.events.hub, s.modules.events.tickets)
	before := []fiber.Handler{s.Auth.RequireTicket(s.modules.events.tickets.Check)}
	if limits != nil {
		before = append(before, limits.Handle)
	}
	s.App.Get(events.StreamPath, append(before, s.knowTime, stream.Stream)...)

	buyers := s.App.Group("/api/v1", s.Auth.RequireUnless(s.cfg.isPublic, web.RoleUser))
	buyers.Use("/seckill", s.modules.gates.blocked.Handle)
	if limits != nil {
		buyers.Use(limits.Handle)
	}
	buyers.Use(s.knowTime)
	buyers.Post("/me/events/ticket", web.NoBody, stream.Ticket)
	s.modules.registerBuyers(buyers)

	s.Auth.AllowLargeBodies(s.App, "/admin/api/v1/", operatorBody)
	operators := s.App.Group("/admin/api/v1", s.Auth.Require(web.RoleAdmin), s.knowTime, s.modules.oplog.Identify)
	s.modules.registerOperators(operators, s.cfg.pictures())
	scheduler := jobs.NewHTTPOperator(s.Scheduler)
	operators.Get("/jobs", scheduler.List)
	operators.Post("/jobs/:name/run", web.NoBody, scheduler.Run)
	operators.Post("/jobs/:name/pause", web.NoBody, scheduler.Pause)
	operators.Post("/jobs/:name/resume", web.NoBody, scheduler.Resume)
	operators.Get("/jobs/:name/runs", scheduler.Runs)
	program := instances.NewHTTPOperator(s.Instances)
	operators.Get("/instances", program.List)
	operators.Get("/refusals", program.Refusals)
	return nil
}

// registerFiles adds the embedded files: /openapi.yaml, /openapi.json, /docs, /assets/onrush.js and its types, the
// pages and the scripts of the human checks.
func (s *Server) registerFiles() error {
	if err := web.Docs(s.App); err != nil {
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
	if s.cfg.MetricsPublic {
		s.App.Get("/metrics", web.Metrics(s.metrics))
	}

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
	sale := seckill.NewHTTPBuyer(m.sales.service, m.sales.activities, m.sales.stock, m.sales.clock)
	r.Get("/activities", sale.Activities)
	r.Get("/activities/:activity_id", sale.Activity)
	r.Get("/seckill/challenge", human.NewHTTPBuyer(m.gates.checks, m.sales.activities).Challenge)
	r.Post("/seckill/path", sale.Path)
	r.Post("/seckill/:path/confirm", sale.Confirm)
	r.Post("/seckill/:path/submit", sale.Submit)
	r.Get("/seckill/tasks/:task_id", sale.Task)
	r.Get("/seckill/tasks/:task_id/events", sale.FollowTask)

	waiting := line.NewHTTPBuyer(m.gates.line)
	r.Post("/seckill/line", waiting.Join)
	r.Get("/seckill/line/:place", waiting.Place)
	r.Get("/seckill/line/:place/events", waiting.FollowPlace)

	mine, cancel := myorders.NewHTTPBuyer(m.orders.mine), myorders.NewHTTPCancel(m.orders.canceller, m.orders.mine)
	placer := ordinary.NewHTTPBuyer(m.orders.ordinary)
	r.Get("/orders", mine.List)
	r.Post("/orders", placer.Place)
	r.Post("/orders/confirm", placer.Confirm)
	r.Get("/orders/:order_number", mine.GetOrder)
	r.Post("/orders/:order_number/cancel", web.NoBody, cancel.Cancel)

	payments := pay.NewHTTPBuyer(m.money.service)
	r.Post("/payments", web.Within(m.money.cfg.CallWithin), payments.Begin)
	r.Get("/payments", mypayments.NewHTTPBuyer(m.money.mine).List)
	r.Get("/payments/:pay_number", payments.Get)
	r.Get("/channels", payments.Channels)

	addresses := catalogue.NewHTTPBuyer(m.goods.addresses)
	r.Get("/addresses", addresses.List)
	r.Post("/addresses", addresses.Create)
	r.Put("/addresses/:address_id", addresses.Update)
	r.Delete("/addresses/:address_id", addresses.Remove)

	goods := catalogue.NewHTTPStorefront(m.goods.catalogue)
	r.Get("/skus", goods.SKUs)
	r.Get("/skus/:sku_id", goods.SKU)
	r.Get("/points", goods.Points)
	r.Get("/regions", goods.Regions)
}

// registerOperators adds the operators' routes, below /admin/api/v1.
func (m *modules) registerOperators(r fiber.Router, pictures web.Pictures) {
	m.registerSales(r, pictures)
	m.registerGoods(r, pictures)
	m.registerOrders(r)

	blocks := blocked.NewHTTPOperator(m.gates.blocks)
	r.Get("/blocked", blocks.List)
	r.Get("/blocked/:subject", blocks.Get)
	r.Put("/blocked/:subject", blocks.Put)
	r.Delete("/blocked/:subject", blocks.Delete)

	endpoints := delivery.NewHTTPOperator(m.events.endpoints)
	r.Get("/events", events.NewHTTPOperator(m.events.reader).Read)
	r.Get("/endpoints", endpoints.List)
	r.Get("/endpoints/:endpoint_id", endpoints.Get)
	r.Put("/endpoints/:endpoint_id", endpoints.Put)
	r.Delete("/endpoints/:endpoint_id", endpoints.Delete)
	r.Post("/endpoints/:endpoint_id/rotate", web.NoBody, endpoints.Rotate)
	r.Get("/endpoints/:endpoint_id/deliveries", endpoints.Deliveries)
	r.Post("/endpoints/:endpoint_id/resend", within1m, endpoints.ResendSpan)
	r.Post("/endpoints/:endpoint_id/test", web.NoBody, within30s, endpoints.Test)
	r.Get("/deliveries/:delivery_id", endpoints.Delivery)
	r.Post("/deliveries/:delivery_id/resend", web.NoBody, endpoints.Resend)

	r.Get("/changes", m.oplog.List)
}

// The deadlines of operators' routes that read or write much; the others have that of all routes.
var within5s, within30s, within1m = web.Within(5 * time.Second), web.Within(30 * time.Second), web.Within(time.Minute)

func (m *modules) registerSales(r fiber.Router, pictures web.Pictures) {
	sale := admin.NewHTTPOperator(m.sales.operated, m.sales.reporter, m.sales.history, m.sales.checker, pictures)
	r.Get("/activities", sale.List)
	r.Post("/activities", within1m, sale.Create)
	r.Get("/activities/:activity_id", sale.Get)
	r.Put("/activities/:activity_id", within1m, sale.Put)
	r.Patch("/activities/:activity_id", sale.Change)
	r.Post("/activities/:activity_id/publish", web.NoBody, within1m, sale.Publish)
	r.Post("/activities/:activity_id/offline", web.NoBody, sale.Offline)
	r.Post("/activities/:activity_id/pause", web.NoBody, sale.Pause)
	r.Post("/activities/:activity_id/resume", web.NoBody, sale.Resume)
	r.Post("/activities/:activity_id/clone", within1m, sale.Clone)
	r.Post("/activities/:activity_id/reload", web.NoBody, within1m, sale.Reload)
	r.Delete("/activities/:activity_id", sale.Delete)
	r.Get("/activities/:activity_id/stats", within5s, sale.Stats)
	r.Get("/activities/:activity_id/history", within5s, sale.PastFigures)
	r.Get("/activities/:activity_id/checks", within5s, sale.Check)

	stock := inventory.NewHTTPOperator(m.sales.changes, m.sales.audits)
	r.Post("/activities/:activity_id/stock", within1m, stock.Stock)
	r.Get("/activities/:activity_id/stock", stock.PendingChanges)
	r.Post("/activities/:activity_id/stock/:change_id/abandon", web.NoBody, within1m, stock.AbandonChange)
	r.Get("/activities/:activity_id/audit", within1m, stock.Audit)
	r.Post("/activities/:activity_id/audit/repair", web.NoBody, within1m, stock.Repair)
}

func (m *modules) registerGoods(r fiber.Router, pictures web.Pictures) {
	goods := catalogue.NewHTTPOperator(m.goods.forOperators, pictures)
	r.Put("/skus\\:batch", within30s, goods.PutSKUs)
	r.Get("/skus", goods.SKUs)
	r.Get("/skus/:sku_id", goods.SKU)
	r.Put("/skus/:sku_id", goods.PutSKU)
	r.Post("/skus/:sku_id/stock", goods.ChangeStock)
	r.Delete("/skus/:sku_id", goods.DeleteSKU)
	r.Put("/points\\:batch", within30s, goods.PutPoints)
	r.Get("/points", goods.Points)
	r.Get("/points/:point_id", goods.Point)
	r.Put("/points/:point_id", goods.PutPoint)
	r.Delete("/points/:point_id", goods.DeletePoint)
	r.Get("/regions", goods.Regions)
}

func (m *modules) registerOrders(r fiber.Router) {
	dead := queue.NewHTTPOperator(m.orders.inspector)
	r.Get("/queue", dead.Lanes)
	r.Get("/queue/dead", dead.Dead)
	r.Post("/queue/dead/replay", within30s, dead.ReplayAll)
	r.Post("/queue/dead/:dead_id/replay", web.NoBody, dead.Replay)
	r.Post("/queue/dead/:dead_id/discard", web.NoBody, dead.Discard)

	money, refunds := payadmin.NewHTTPOperator(m.money.operators), payadmin.NewHTTPRefunds(m.money.operations)
	orders := orderadmin.NewHTTPOperator(m.orders.operators, m.orders.notes, m.money.operators)
	r.Get("/orders", orders.List)
	r.Get("/orders.csv", orders.CSV)
	r.Post("/orders/refund", within30s, refunds.RefundOrders)
	r.Get("/orders/:order_number", orders.Get)
	r.Post("/orders/:order_number/notes", orders.Note)
	r.Post("/orders/:order_number/refund", refunds.Refund)
	r.Get("/search", orders.Search)
	r.Get("/payments", money.Payments)
	r.Get("/payments.csv", money.PaymentsCSV)
	r.Get("/payments/:pay_number", money.Payment)
	r.Post("/payments/:pay_number/clear-flag", money.ClearFlag)
	r.Get("/refunds", money.Refunds)
	r.Get("/refunds.csv", money.RefundsCSV)
	r.Post("/refunds/retry", refunds.RetryAll)
	r.Get("/refunds/:refund_number", money.Refund)
	r.Post("/refunds/:refund_number/retry", web.NoBody, refunds.Retry)

	codes := vouchers.NewHTTPOperator(m.money.vouchers)
	r.Get("/vouchers/:code", codes.Get)
	r.Post("/vouchers/:code/redeem", codes.Redeem)
}
