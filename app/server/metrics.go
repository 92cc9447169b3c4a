package server

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"onrush/app/metrics"
	ordercounts "onrush/modules/order/counts"
)

// ListenMetrics begins to serve metrics and profiles at ONRUSH_METRICS_ADDR. Without that setting it returns nil.
func (s *Server) ListenMetrics(ctx context.Context) (*metrics.Server, error) {
	if s.cfg.MetricsAddr == "" {
		return nil, nil //nolint:nilnil // the setting is off
	}
	return metrics.Listen(ctx, s.cfg.MetricsAddr, metrics.Used(s.metrics))
}

// registerMetrics adds all metrics except the metrics of the HTTP server.
func (s *Server) registerMetrics(c callers) error {
	m := &s.modules
	list := []prometheus.Collector{
		metrics.Pools(s.parts.sqlPools(), s.parts.Redis, s.parts.DB.Busy),
		metrics.Instance(s.parts.Version, func() []string { return s.health.Ready().Unavailable }, s.ages()),
		metrics.Settings(m.settings.store, m.settings.limitsMode),
		metrics.Gateways(m.money.gateways),
		metrics.Sales(m.sales.history.Latest, m.sales.auditor.Drifts),
		metrics.Stores(s.parts.Now,
			metrics.Queue(m.orders.inspector),
			metrics.Money(m.money.operators, slices.Sorted(maps.Keys(m.money.gateways))),
			metrics.Vouchers(m.money.vouchers),
			metrics.Stock(func(ctx context.Context) ([]ordercounts.Pending, error) {
				return ordercounts.SelectPending(ctx, c.operators.db.Read)
			}, s.clock.Now),
			metrics.Events(m.events.endpoints),
			metrics.Audits(func(ctx context.Context, within time.Duration) error {
				return s.Scheduler.CheckLastEnd(ctx, "audit", within)
			}),
			metrics.Memory(s.parts.Redis, s.laneKeys, s.cfg.RedisReplicas),
			metrics.Confirmed(c.operators.db),
			metrics.Clocks(s.parts.Now, c.work.lua.NowMS, c.work.db.NowMS),
		),
		s.Deliverer.Metrics(),
	}
	if s.parts.Metrics == nil {
		list = append(list, metrics.Program()...)
	}
	if s.parts.Replica != nil {
		list = append(list, metrics.Replica(s.parts.Replica))
	}
	list = slices.Concat(list, m.sales.service.Metrics(), s.Mover.Metrics(), s.Scheduler.Metrics(),
		m.money.counts.Metrics(), c.host.Metrics())
	var failed error
	for _, collector := range list {
		failed = errors.Join(failed, s.metrics.Register(collector))
	}
	if failed == nil && s.parts.Metrics != nil { // last, since a collector must not have others later
		failed = s.parts.Metrics.Register(s.metrics)
	}
	if failed != nil {
		return fmt.Errorf("register metrics: %w", failed)
	}
	return nil
}

// ages returns the ages of the copies that this instance brings up to date by itself.
func (s *Server) ages() map[string]func() time.Duration {
	ages := map[string]func() time.Duration{
		"blocked": s.modules.gates.blocked.Age, "settings": s.modules.settings.store.Age,
		"addresses": s.modules.goods.addresses.Copies.Age, "site": s.site.Age,
	}
	if s.cfg.JWKS != "" {
		ages["token_keys"] = s.Auth.KeysAge
	}
	return ages
}

// laneKeys returns a key of each lane.
func (s *Server) laneKeys(ctx context.Context) []string {
	keys := make([]string, s.site.Lanes(ctx))
	for i := range keys {
		keys[i] = s.parts.Keys.Queue(i + 1)
	}
	return keys
}

// sqlPools returns the pools of connections to SQL by name; a pool that several kinds of callers share is listed once.
func (p Parts) sqlPools() map[string]*sql.DB {
	pools, all := p.Pools.orElse(p.DB), map[string]*sql.DB{}
	add := func(name string, db *sql.DB) {
		for _, known := range all {
			if known == db {
				return
			}
		}
		all[name] = db
	}
	add("work", p.DB.Write.DB)
	add("work_read", p.DB.Read.DB)
	add("webhooks", pools.Webhooks.Write.DB)
	add("buyers", pools.Buyers.Write.DB)
	add("buyers_read", pools.Buyers.Read.DB)
	add("operators", pools.Operators.Write.DB)
	return all
}
