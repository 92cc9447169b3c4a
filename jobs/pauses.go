package jobs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/aged"
	"onrush/modules/api"
	"onrush/modules/oplog"
	"onrush/modules/sqldb"
)

// Pauses knows which jobs are paused. SQL stores them, so that they hold on all instances and
// across restarts.
type Pauses struct {
	db    *sqldb.DB
	now   func() time.Time
	reads aged.Config
	known aged.Copy[map[string]Pause] // by job
}

// Pause is who paused a job, and when.
type Pause struct {
	Job string     `db:"job"`
	By  string     `db:"paused_by"`
	At  api.Millis `db:"paused_ms"`
}

const (
	// pausesFor is how old a copy may be.
	pausesFor = time.Second
	// pausesWithin bounds one read, and is how long after a failed read no other begins.
	pausesWithin = time.Second
)

// NewPauses returns the pauses in db.
func NewPauses(db *sqldb.DB, now func() time.Time) *Pauses {
	p := &Pauses{db: db, now: now}
	p.reads = aged.Config{
		What: "paused jobs", Now: now, Within: pausesWithin, Pause: pausesWithin, StaleFor: math.MaxInt64,
	}
	return p
}

// has reports whether a job is paused, from a copy at most a second old, or, while SQL is
// unavailable, from the last copy. Without any copy it returns an error.
func (p *Pauses) has(ctx context.Context, job string) (bool, error) {
	known, err := p.known.Get(ctx, &p.reads, pausesFor, p.read)
	_, paused := known[job]
	return paused, err
}

func (p *Pauses) read(ctx context.Context) (map[string]Pause, error) {
	list, err := p.List(ctx)
	known := make(map[string]Pause, len(list))
	for _, pause := range list {
		known[pause.Job] = pause
	}
	return known, err
}

// List returns the pauses of all jobs, by their names.
func (p *Pauses) List(ctx context.Context) (list []Pause, err error) {
	if err := p.db.Write.SelectContext(ctx, &list,
		`SELECT job, paused_by, paused_ms FROM job_pauses ORDER BY job`); err != nil {
		return nil, fmt.Errorf("select paused jobs: %w", err)
	}
	return list, nil
}

// pauseValue is whether a job is paused, in the operators' log.
type pauseValue struct {
	Paused bool `json:"paused"`
}

// pause pauses a job. If it is paused already, who paused it stays.
func (p *Pauses) pause(ctx context.Context, job, by string) error {
	defer p.known.Forget()
	err := p.db.InTx(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO job_pauses (job, paused_by, paused_ms) VALUES (?, ?, ?)`,
			job, by, p.now().UnixMilli())
		if err != nil {
			return err
		}
		return oplog.Record(ctx, tx, oplog.Entry{
			Action: "job.paused", On: "job:" + job, Before: pauseValue{false}, After: pauseValue{true},
		})
	})
	if err != nil && !sqldb.IsDuplicate(err) {
		return fmt.Errorf("pause %s: %w", job, err)
	}
	return nil
}

func (p *Pauses) resume(ctx context.Context, job string) error {
	defer p.known.Forget()
	err := p.db.InTx(ctx, func(tx *sqlx.Tx) error {
		res, err := tx.ExecContext(ctx, `DELETE FROM job_pauses WHERE job = ?`, job)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 { // it was not paused
			return err
		}
		return oplog.Record(ctx, tx, oplog.Entry{
			Action: "job.resumed", On: "job:" + job, Before: pauseValue{true}, After: pauseValue{false},
		})
	})
	if err != nil {
		return fmt.Errorf("resume %s: %w", job, err)
	}
	return nil
}

// Paused reports whether a job is paused, from a copy at most a second old. While SQL is unavailable
// the last copy is used, and without any the job counts as paused.
func (p *Pauses) Paused(ctx context.Context, name string) bool {
	ctx, cancel := context.WithTimeout(ctx, pausesFor)
	defer cancel()
	paused, err := p.has(ctx, name)
	return paused || err != nil
}

// movers returns the pause of the movers of all instances, as it was at most a second ago. It is zero if they are not
// paused, or if SQL does not answer soon.
func (p *Pauses) movers(ctx context.Context) Pause {
	ctx, cancel := context.WithTimeout(ctx, pausesWithin/2)
	defer cancel()
	known, err := p.known.Get(ctx, &p.reads, pausesFor, p.read)
	if err != nil {
		return Pause{}
	}
	return known[MoveOrders]
}

// CheckMoving returns a check of the queues that fails while the movers are paused, as this instance last read it, and
// if check fails.
func (p *Pauses) CheckMoving(check func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		stuck := check(ctx)
		known, _ := p.known.Known(&p.reads, math.MaxInt64)
		if _, paused := known[MoveOrders]; !paused {
			return stuck
		}
		paused := errors.New(MoveOrders + " is paused")
		if stuck == nil {
			return paused
		}
		return fmt.Errorf("%w; %w", stuck, paused)
	}
}
