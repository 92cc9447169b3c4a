package pay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"onrush/modules/order"
	"onrush/modules/sqldb"
	"onrush/web/problem"
)

// Reconciler asks gateways about payments whose webhook did not come: those that were paid are carried
// out as if it had, the others are closed. It also closes at the gateways what was replaced by a newer
// payment, or pays only orders that are not unpaid any more.
//
// A payment is asked about twice: AskBefore before its orders' time to pay is over, and when it is. Where
// so many are due at the same time that AskBefore is too short for them, they are asked about earlier
// as well, as early as that takes, but not in the first half of the time to pay.
type Reconciler struct {
	cfg      Config
	db       *sqldb.DB
	gateways Gateways
	settle   *Processor
	clock    *order.Clock
	now      func() time.Time

	mu   sync.Mutex
	took map[string]time.Duration // by channel: what asking about one payment took lately
}

// NewReconciler makes a reconciler.
func NewReconciler(cfg Config, p order.Parts, gateways Gateways, settle *Processor) *Reconciler {
	return &Reconciler{cfg: cfg.withDefaults(), db: p.DB, gateways: gateways, settle: settle, clock: p.Clock, now: p.Now, took: map[string]time.Duration{}}
}

// RunOnce closes the payments that became useless, asks about those that are due, each channel for about
// as long as one call may take, and returns how many it settled or closed. Those that a newer payment
// closed are asked about as well: the buyer may have paid them, and the webhook may be lost. What is due
// is decided by the stores' time.
func (a *Reconciler) RunOnce(ctx context.Context) (done int, err error) {
	if err := a.clock.Sync(ctx); err != nil {
		return 0, fmt.Errorf("ask about payments: %w", err)
	}
	closing := a.closeDecided(ctx)
	var channels []string
	const query = `SELECT DISTINCT channel FROM payments WHERE status IN ('pending', 'closed') AND ask_ms <= ?`
	if err := a.db.Write.SelectContext(ctx, &channels, query, a.now().UnixMilli()); err != nil {
		return 0, errors.Join(closing, fmt.Errorf("select channels to ask: %w", err))
	}
	ahead := map[string]time.Duration{}
	for name := range a.gateways {
		if ahead[name], err = a.ahead(ctx, name); err != nil {
			return 0, errors.Join(closing, err)
		}
		if ahead[name] > 0 && !slices.Contains(channels, name) {
			channels = append(channels, name)
		}
	}
	done, err = eachChannel(ctx, channels, func(ctx context.Context, name string) (int, error) {
		return a.channel(ctx, name, ahead[name])
	})
	return done, errors.Join(closing, err)
}

const (
	// firstTook is what asking about one payment is believed to take before it was measured. It is long: to
	// ask too early costs some calls, to ask too late costs orders.
	firstTook = time.Second
	// aheadFactor is by how much more time than they should take payments are asked about ahead:
	// runs have pauses between them, and a gateway slows down under load.
	aheadFactor = 2
)

// ahead is how long before they are due a channel's payments are asked about: the longest of some times
// for which more are due than can be asked about from then to their deadline. It is 0 as long as
// AskBefore is enough. Those that were asked about ahead count again, since they are asked about once more.
func (a *Reconciler) ahead(ctx context.Context, channel string) (time.Duration, error) {
	at := a.now()
	longest := time.Duration(0)
	for ahead := a.cfg.AskBefore; ahead <= a.cfg.AskAfter; ahead *= 2 {
		var due int
		const query = `SELECT COUNT(*) FROM payments WHERE channel = ? AND status = 'pending' AND ask_ms <= ?`
		if err := a.db.Write.GetContext(ctx, &due, query, channel, at.Add(ahead).UnixMilli()); err != nil {
			return 0, fmt.Errorf("count payments to ask about: %w", err)
		}
		if need := aheadFactor * time.Duration(due) * a.tookOf(channel) / time.Duration(a.cfg.Queries); need > ahead+a.cfg.AskBefore {
			longest = ahead
		}
	}
	return longest, nil
}

func (a *Reconciler) tookOf(channel string) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if took, measured := a.took[channel]; measured {
		return took
	}
	return firstTook
}

// measured keeps a moving average of what asking about one payment takes.
func (a *Reconciler) measured(channel string, took time.Duration) {
	before := a.tookOf(channel)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.took[channel] = before + (took-before)/8
}

// channel asks one gateway, page after page. It begins no call after the time that one call may take: the
// other channels' next run waits for this one.
func (a *Reconciler) channel(ctx context.Context, name string, ahead time.Duration) (done int, err error) {
	begin, cancel := context.WithTimeout(ctx, a.cfg.CallWithin)
	defer cancel()
	crowd := &crowd{reconciler: a, channel: name, begin: begin}
	for {
		due, err := a.due(ctx, name, ahead)
		if err != nil {
			return crowd.done, errors.Join(append(crowd.failed, err)...)
		}
		crowd.ask(ctx, due)
		if crowd.over() || len(due) < a.cfg.AskPage {
			return crowd.done, errors.Join(crowd.failed...)
		}
	}
}

// due reads the next payments to ask about. Those that can be paid still come first, since an order may
// hang on it, and among them those that were not asked about yet.
func (a *Reconciler) due(ctx context.Context, channel string, ahead time.Duration) ([]order.Number, error) {
	var due []order.Number
	const query = `SELECT pay_number FROM payments WHERE channel = ? AND status IN ('pending', 'closed') AND ask_ms <= ?
		AND (ask_ms <= ? OR (status = 'pending' AND asked_ms = 0 AND created_ms + expires_ms <= ?))
		ORDER BY CASE WHEN expires_ms <= ? THEN 2 WHEN asked_ms > 0 OR status = 'closed' THEN 1 ELSE 0 END, ask_ms, pay_number LIMIT ?`
	at := a.now().UnixMilli()
	if err := a.db.Write.SelectContext(ctx, &due, query, channel, at+ahead.Milliseconds(), at, 2*at, at, a.cfg.AskPage); err != nil {
		return nil, fmt.Errorf("select payments to ask about: %w", err)
	}
	return due, nil
}

// crowd is one run of one channel.
type crowd struct {
	reconciler *Reconciler
	channel    string
	begin      context.Context // no call begins after it

	mu       sync.Mutex
	done     int
	answered bool // the gateway answered a call of this run
	away     int  // calls in a row that it did not answer
	hung     bool
	failed   []error
}

// maxFailed bounds how many payments that could not be asked about one error names.
const maxFailed = 5

// over says that no more call begins in this run: its time is over, or the gateway is unavailable.
func (c *crowd) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begin.Err() != nil || c.hung || c.away >= c.reconciler.cfg.Queries
}

// ask asks about payments side by side, and returns when all answers are noted. Until the gateway has
// answered once in the run, it is asked about one at a time.
func (c *crowd) ask(ctx context.Context, due []order.Number) {
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

func (c *crowd) reconcile(ctx context.Context, n order.Number) {
	began := time.Now()
	var decided, hung bool
	_, err := problem.Recovered(func() (_ any, err error) { // it may be on a goroutine of its own
		decided, hung, err = c.reconciler.reconcile(ctx, n)
		return nil, err
	})
	if err != nil {
		err = errors.Join(fmt.Errorf("ask about payment %s: %w", n, err), c.reconciler.later(ctx, n))
	} else {
		c.reconciler.measured(c.channel, time.Since(began))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hung = c.hung || hung
	switch {
	case errors.Is(err, ErrUnavailable):
		c.away++
	case err == nil:
		c.away, c.answered = 0, true
	}
	if decided {
		c.done++
	}
	if err != nil && len(c.failed) < maxFailed {
		c.failed = append(c.failed, err)
	}
}
