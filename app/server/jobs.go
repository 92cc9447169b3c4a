package server

import (
	"context"
	"errors"

	"onrush/jobs"
	"onrush/modules/oplog"
)

// newJobs returns the periodic jobs.
func newJobs(cfg Config, p Parts, c callers, m *modules) []jobs.Job {
	expiry := expiry{keep: cfg.Keep, db: p.DB, clock: c.work.clock}
	var archive jobs.RunFunc // nil: off
	if cfg.Keep.Orders > 0 {
		archive = m.orders.archiver.RunOnce
	}
	return jobs.Table(jobs.Functions{
		MoveOrders:   m.orders.mover.RunOnce,
		CancelUnpaid: inOrder(m.orders.mover.StoreDue, m.orders.due.RunOnce),
		SettleStock: inOrder(m.orders.outbox.RunOnce, m.orders.swaps.RunOnce, m.sales.changer.RunOnce,
			m.sales.scheduled.ApplyChanges),
		AnnounceSales:    m.sales.scheduled.Announce,
		Preheat:          m.sales.preheater.RunOnce,
		FillBuyers:       m.gates.filler.RunOnce,
		RetireActivities: m.sales.retirer.RunOnce,
		ReportDead:       m.orders.inspector.ReportDead,
		Audit:            asJob(p, c, "audit", m.sales.auditor.RunOnce),
		DeleteFinished: inOrder(expiry.RunOnce, m.pictures.DeleteObjects, m.gates.lists.DeleteOld,
			m.sales.drawer.DeleteOld),
		ArchiveOrders:       archive,
		FillReceivers:       m.orders.receivers.RunOnce,
		FillSources:         m.orders.filler.RunOnce,
		SendRefunds:         m.money.refunder.RunOnce,
		QueryPayments:       m.money.reconciler.RunOnce,
		GiveVouchers:        m.money.giver.GiveWaiting,
		TellReminders:       m.unlessStopped(m.sales.teller.RunOnce),
		ServeWaitlists:      inOrder(m.sales.drawer.RunOnce, m.sales.offerer.RunOnce),
		FlushAnswerCounters: func(ctx context.Context) (int, error) { return 0, m.sales.counters.Flush(ctx) },
	})
}

// asJob lets the operators' log show what a job changes, as made by the job.
func asJob(p Parts, c callers, name string, run jobs.RunFunc) jobs.RunFunc {
	recorder := oplog.NewRecorder(c.work.clock.Now, p.random32)
	return func(ctx context.Context) (int, error) { return run(recorder.By(ctx, "job:"+name, "")) }
}

// unlessStopped returns a function that runs the job unless all sales are stopped.
func (m *modules) unlessStopped(run jobs.RunFunc) jobs.RunFunc {
	return func(ctx context.Context) (int, error) {
		if m.settings.store.Stopped() {
			return 0, nil
		}
		return run(ctx)
	}
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
