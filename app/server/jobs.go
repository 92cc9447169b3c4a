package server

import (
	"context"
	"errors"

	"onrush/jobs"
	"onrush/modules/order"
	"onrush/modules/order/queue"
	"onrush/modules/seckill/inventory"
)

// working has what the jobs need of the modules.
type working struct {
	stock  inventory.Deps
	outbox *order.StockOutbox
	queues *queue.Inspector
	money  *payment
}

// schedule makes the jobs and their scheduler.
func (s *Server) schedule(d deps, w working) (err error) {
	p := s.parts
	s.Jobs = jobs.Table(jobs.Functions{
		MoveOrders:   s.Mover.RunOnce,
		CancelUnpaid: order.NewDueCanceller(order.DueConfig{}, d.order(), w.outbox).RunOnce,
		SettleStock: inOrder(w.outbox.RunOnce, inventory.NewChanger(w.stock).RunOnce,
			s.Activities.ApplyChanges),
		AnnounceSales:       s.Activities.Announce,
		Preheat:             s.preheat.RunOnce,
		RetireActivities:    inventory.NewRetirer(inventory.RetireConfig{After: s.cfg.RetireAfter}, w.stock).RunOnce,
		ReportDead:          w.queues.ReportDead,
		Audit:               s.Auditor.RunOnce,
		DeleteFinished:      s.deleteFinished,
		SendRefunds:         w.money.refunder.RunOnce,
		QueryPayments:       w.money.reconciler.RunOnce,
		FlushAnswerCounters: func(ctx context.Context) (int, error) { return 0, s.counters.Flush(ctx) },
	})
	s.Scheduler, err = jobs.New(s.stop, s.Jobs, jobs.Deps{
		DB: d.db, Redis: p.Redis, Keys: p.Keys, Locks: d.locks, Now: d.clock.Now, ClockOffset: d.clock.Offset,
		NewID: p.NewID, Instance: instanceName(p.NewID()), Log: d.log,
	})
	return err
}

// inOrder runs functions one after the other; all of them run even if one fails.
func inOrder(functions ...jobs.RunFunc) jobs.RunFunc {
	return func(ctx context.Context) (done int, failed error) {
		for _, run := range functions {
			n, err := run(ctx)
			done, failed = done+n, errors.Join(failed, err)
		}
		return done, failed
	}
}
