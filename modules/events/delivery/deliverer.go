package delivery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"
	"golang.org/x/sync/semaphore"

	"onrush/modules/loop"
	"onrush/modules/panics"
	"onrush/modules/sqldb"
	"onrush/modules/tracing"
)

// Deliverer sends events to the endpoints. One runs on each instance.
type Deliverer struct {
	cfg      Config
	db       *sqldb.DB
	feed     feed
	client   *http.Client
	now      func() time.Time
	random   func() uint64
	log      *slog.Logger
	tracer   *tracing.Tracer
	instance string
	urgent   func() bool
	faults   Faults
	counts   counters
	sql      *semaphore.Weighted // sqlAtOnce

	mu   sync.Mutex
	busy map[string]bool // endpoints that have a goroutine

	paused map[string]pause // endpoints

	failures *loop.Failures
}

// NewDeliverer returns a Deliverer for the endpoints in d.DB.
func NewDeliverer(cfg Config, d Deps) *Deliverer {
	cfg = cfg.withDefaults()
	return &Deliverer{
		cfg: cfg, db: d.DB, feed: d.Feed, now: d.Now, random: d.Random, log: d.Log, tracer: d.Tracer,
		instance: d.Instance,
		urgent:   d.Busy, faults: d.Faults, busy: map[string]bool{}, paused: map[string]pause{}, counts: newCounters(),
		sql:      semaphore.NewWeighted(sqlAtOnce),
		failures: loop.NewFailures(d.Log, "events can't be delivered; trying again", sqldb.IsUnavailable),
		client:   newClient(&targets{private: cfg.Private, resolver: d.Resolver}, cfg),
	}
}

// Run delivers until ctx ends. Then it begins no more requests, waits for those in flight (3 s), records them and
// gives its endpoints to other instances.
func (d *Deliverer) Run(ctx context.Context) {
	var working sync.WaitGroup
	loop.Run(ctx, d.cfg.Every, d.failures, func(ctx context.Context) error { return d.begin(ctx, &working, nil) })
	working.Wait()
	d.release(context.WithoutCancel(ctx))
	d.client.CloseIdleConnections()
}

// RunOnce delivers the due events to all endpoints that no other instance works on. It returns the number of requests.
func (d *Deliverer) RunOnce(ctx context.Context) (sent int, err error) {
	var working sync.WaitGroup
	var mu sync.Mutex
	var failures []error
	err = d.begin(ctx, &working, func(n int, failed error) {
		mu.Lock()
		defer mu.Unlock()
		sent, failures = sent+n, append(failures, failed)
	})
	working.Wait()
	return sent, errors.Join(append(failures, err)...)
}

// begin starts a goroutine for each endpoint that has something to do and none yet. done may be nil.
func (d *Deliverer) begin(ctx context.Context, working *sync.WaitGroup, done func(int, error)) error {
	endpoints, err := d.due(ctx)
	if err != nil {
		return err
	}
	for _, id := range endpoints {
		d.mu.Lock()
		busy := d.busy[id]
		d.busy[id] = true
		d.mu.Unlock()
		if busy {
			continue
		}
		working.Go(func() {
			defer func() {
				d.mu.Lock()
				defer d.mu.Unlock()
				delete(d.busy, id)
			}()
			n, err := panics.RecoveredValue(func() (int, error) { return d.work(ctx, id) })
			if done == nil {
				d.failures.Report(ctx, err)
				return
			}
			done(n, err)
		})
	}
	return nil
}

// due returns the endpoints that have something to do and that no other instance works on.
func (d *Deliverer) due(ctx context.Context) (ids []string, err error) {
	var rows []endpointRow
	if err := d.db.Read.SelectContext(ctx, &rows, `SELECT `+endpointColumns.Names+
		` FROM endpoints WHERE enabled = 1 ORDER BY endpoint_id`); err != nil {
		return nil, fmt.Errorf("select endpoints: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	head, err := d.feed.Head(ctx)
	if err != nil {
		return nil, err
	}
	now := d.now().UnixMilli()
	for i := range rows {
		e := &rows[i]
		room := e.Waiting < int64(d.cfg.Waiting)
		todo := e.DueMS != 0 && e.DueMS <= now || room && (e.After < head || e.replaying())
		if todo && !d.isPaused(e) && (e.Owner == d.instance || e.LeaseUntil < now) {
			ids = append(ids, e.ID)
		}
	}
	return ids, nil
}

// errLost says that another instance works on the endpoint, or that it was deleted.
var errLost = errors.New("the endpoint is no longer this instance's")

// work takes the lease of an endpoint and delivers until nothing is due, and returns how many requests it made.
func (d *Deliverer) work(ctx context.Context, id string) (sent int, err error) {
	if err := d.lease(ctx, id); err != nil {
		return 0, ignoreLost(err)
	}
	for range roundsPerRun {
		n, more, err := d.round(ctx, id)
		sent += n
		if err != nil || !more || ctx.Err() != nil {
			return sent, ignoreLost(err)
		}
	}
	return sent, nil
}

func ignoreLost(err error) error {
	if errors.Is(err, errLost) {
		return nil
	}
	return err
}

// lease takes an endpoint that is free, or extends the lease of this instance.
func (d *Deliverer) lease(ctx context.Context, id string) error {
	now := d.now()
	err := d.db.InTx(ctx, func(tx *sqlx.Tx) error {
		const update = `UPDATE endpoints SET lease_owner = ?, lease_until_ms = ?
			WHERE endpoint_id = ? AND enabled = 1 AND (lease_owner = ? OR lease_until_ms < ?)`
		n, err := exec(ctx, tx, update, d.instance, now.Add(leaseFor).UnixMilli(), id, d.instance, now.UnixMilli())
		if err != nil {
			return fmt.Errorf("lease endpoint %s: %w", id, err)
		}
		if n == 0 {
			return errLost
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.faults.after("leased")
}

// release ends the leases of this instance, so that another one needn't wait for their end.
func (d *Deliverer) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, recordWithin)
	defer cancel()
	_, err := d.db.Write.ExecContext(ctx,
		`UPDATE endpoints SET lease_owner = '', lease_until_ms = 0 WHERE lease_owner = ?`, d.instance)
	if err != nil {
		d.log.WarnContext(ctx, "endpoints are still leased to this instance, which stops", "error", err)
	}
}
