package pay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/panics"
	"onrush/modules/pay/channels"
	"onrush/modules/sqldb"
)

// Reconciler queries gateways for payments without a webhook: it processes payments that were paid, as the webhook
// would, and closes the others. At the gateways it also closes payments that a newer payment replaced, or that have no
// unpaid order any more.
//
// A payment is queried twice: askBefore before the end of its orders' time to pay, and when it has expired. Its orders
// are not cancelled before the second answer (deadline.go). If so many payments are due at the same time that askBefore
// is too short, they are also queried earlier, as early as necessary, but not in the first half of the time to pay.
type Reconciler struct {
	cfg      Config
	db       *sqldb.DB
	gateways Gateways
	settle   *Processor
	clock    *clock.Clock

	mu     sync.Mutex
	took   map[string]time.Duration // by channel: average time per payment
	silent map[string]silence       // by channel

	closedUpto atomic.Int64 // the order after which closeDecided begins
}

// NewReconciler returns a Reconciler.
func NewReconciler(cfg Config, d Deps, settle *Processor) *Reconciler {
	return &Reconciler{
		cfg: cfg.WithDefaults(), db: d.DB, gateways: d.Gateways, settle: settle, clock: d.Clock,
		took: map[string]time.Duration{}, silent: map[string]silence{},
	}
}

// RunOnce closes the payments without an unpaid order, queries those that are due, in each channel for
// about CallWithin, and returns how many it processed or closed. It also queries payments that a newer one
// closed: the buyer may have paid them, and the webhook may be lost. The stores' time decides which are
// due.
func (r *Reconciler) RunOnce(ctx context.Context) (done int, err error) {
	if err := r.clock.Sync(ctx); err != nil {
		return 0, fmt.Errorf("query payments: %w", err)
	}
	closing := r.closeDecided(ctx)
	var asked []string
	const query = `SELECT DISTINCT channel FROM payments WHERE status IN ('pending', 'closed') AND ask_ms <= ?`
	if err := r.db.Write.SelectContext(ctx, &asked, query, r.clock.Now().UnixMilli()); err != nil {
		return 0, errors.Join(closing, fmt.Errorf("select channels to ask: %w", err))
	}
	ahead := map[string]time.Duration{}
	for name := range r.gateways {
		if ahead[name], err = r.ahead(ctx, name); err != nil {
			return 0, errors.Join(closing, err)
		}
		if ahead[name] > 0 && !slices.Contains(asked, name) {
			asked = append(asked, name)
		}
	}
	done, err = channels.Each(ctx, asked, func(ctx context.Context, name string) (int, error) {
		return r.channel(ctx, name, ahead[name])
	})
	return done, errors.Join(closing, err)
}

const (
	// firstTook is the assumed time per payment before it was measured. It is long, since a query that comes too early
	// costs a call, and a query that comes too late may cost an order.
	firstTook = time.Second
	// aheadFactor is the safety factor of ahead: runs have pauses between them, and a gateway slows down
	// under load.
	aheadFactor = 2
)

// ahead returns how long before they are due a channel's payments must be queried: the longest of some
// times within which more are due than can be queried until their deadline. It is 0 if askBefore is
// enough. Payments that were queried ahead count again, since they are queried once more.
func (r *Reconciler) ahead(ctx context.Context, channel string) (time.Duration, error) {
	at := r.clock.Now()
	longest := time.Duration(0)
	for ahead := askBefore; ahead <= askAfter; ahead *= 2 {
		var due int
		const query = `SELECT COUNT(*) FROM payments WHERE channel = ? AND status = 'pending' AND ask_ms <= ?`
		if err := r.db.Write.GetContext(ctx, &due, query, channel, at.Add(ahead).UnixMilli()); err != nil {
			return 0, fmt.Errorf("count payments to ask about: %w", err)
		}
		if need := aheadFactor * time.Duration(due) * r.tookOf(channel) /
			time.Duration(r.cfg.Queries); need > ahead+askBefore {
			longest = ahead
		}
	}
	return longest, nil
}

func (r *Reconciler) tookOf(channel string) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if took, measured := r.took[channel]; measured {
		return took
	}
	return firstTook
}

// measured updates the moving average of the time per payment.
func (r *Reconciler) measured(channel string, took time.Duration) {
	before := r.tookOf(channel)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.took[channel] = before + (took-before)/8
}

// channel queries the payments of one channel, page by page. It begins no call after CallWithin, since the next run of
// the other channels waits for this channel.
func (r *Reconciler) channel(ctx context.Context, name string, ahead time.Duration) (done int, err error) {
	begin, cancel := context.WithTimeout(ctx, r.cfg.CallWithin)
	defer cancel()
	run := &channelRun{reconciler: r, channel: name, begin: begin}
	for {
		due, err := r.due(ctx, name, ahead)
		if err != nil {
			return run.done, errors.Join(append(run.failed, err)...)
		}
		page := len(due)
		due = slices.DeleteFunc(due, func(n order.Number) bool { return r.db.Busy.Skips(rowsOfPayment(n)) })
		run.ask(ctx, due)
		if run.over() || page < r.cfg.AskPage || len(due) == 0 {
			if run.asked > 0 {
				run.failed = append(run.failed, r.giveUp(ctx, name, r.heard(name, run.answered)))
			}
			return run.done, errors.Join(run.failed...)
		}
	}
}

// due reads the next payments to query, the longest due first. Closed payments come after pending ones, since fewer
// orders depend on them, and last come payments that are queried early. Each statement reads a range of an index,
// however many payments are due after the program was down.
func (r *Reconciler) due(ctx context.Context, channel string, ahead time.Duration) ([]order.Number, error) {
	at := r.clock.Now().UnixMilli()
	busy := r.db.Busy.Counts()[sqldb.PaymentRows] // those that are skipped take nobody's place
	var due []order.Number
	for _, kind := range []struct {
		query string
		args  []any
	}{
		{dueQuery, []any{channel, Pending, at}},
		{dueQuery, []any{channel, Closed, at}},
		{aheadQuery, []any{channel, at, at + ahead.Milliseconds(), 2 * at}},
	} {
		left := r.cfg.AskPage + busy - len(due)
		if left == 0 {
			break
		}
		var more []order.Number
		if err := r.db.Write.SelectContext(ctx, &more, kind.query, append(kind.args, left)...); err != nil {
			return nil, fmt.Errorf("select payments to ask about: %w", err)
		}
		due = append(due, more...)
	}
	return due, nil
}

const (
	dueQuery = `SELECT pay_number FROM payments WHERE channel = ? AND status = ? AND ask_ms <= ?
		ORDER BY ask_ms LIMIT ?`
	aheadQuery = `SELECT pay_number FROM payments WHERE channel = ? AND status = 'pending'
		AND ask_ms > ? AND ask_ms <= ? AND asked_ms = 0 AND created_ms + expires_ms <= ? ORDER BY ask_ms LIMIT ?`
)

// channelRun is one run of one channel.
type channelRun struct {
	reconciler *Reconciler
	channel    string
	begin      context.Context // no call begins after it

	mu         sync.Mutex
	done       int
	asked      int
	answered   bool // the gateway answered a call of this run
	unanswered int  // consecutive calls without an answer
	hung       bool
	failed     []error
}

// maxFailed bounds the failed payments that one error names.
const maxFailed = 5

// over reports whether no more calls begin in this run: its time is over, or the gateway is unavailable. One call
// begins however long the reading of payments took, or a slow store would hide how long the gateway has been silent.
func (c *channelRun) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return (c.asked > 0 && c.begin.Err() != nil) || c.hung || c.unanswered >= c.reconciler.cfg.Queries
}

// ask queries payments concurrently, and returns when all results are stored. Until the gateway has
// answered once in the run, it queries one at a time.
func (c *channelRun) ask(ctx context.Context, due []order.Number) {
	var asking sync.WaitGroup
	defer asking.Wait()
	slots := make(chan struct{}, c.reconciler.cfg.Queries)
	for _, n := range due {
		slots <- struct{}{}
		if c.over() {
			return
		}
		c.mu.Lock()
		sideBySide := c.answered
		c.mu.Unlock()
		if !sideBySide {
			c.reconcile(ctx, n)
			<-slots
			continue
		}
		asking.Go(func() {
			defer func() { <-slots }()
			c.reconcile(ctx, n)
		})
	}
}

func (c *channelRun) reconcile(ctx context.Context, n order.Number) {
	began := time.Now()
	var decided, hung bool
	err := panics.Recovered(func() (err error) { // it may run in its own goroutine
		decided, hung, err = c.reconciler.reconcile(ctx, n)
		return err
	})
	c.reconciler.db.Busy.Note(rowsOfPayment(n), err)
	switch {
	case err == nil:
		c.reconciler.measured(c.channel, time.Since(began))
	case errors.Is(err, ErrResting): // nothing was asked: it stays due
		hung = true
	default:
		err = errors.Join(fmt.Errorf("query payment %s: %w", n, err), c.reconciler.later(ctx, n))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	c.hung = c.hung || hung
	switch {
	case errors.Is(err, ErrUnavailable):
		c.unanswered++
	case err == nil:
		c.unanswered, c.answered = 0, true
	}
	if decided {
		c.done++
	}
	if err != nil && len(c.failed) < maxFailed {
		c.failed = append(c.failed, err)
	}
}
