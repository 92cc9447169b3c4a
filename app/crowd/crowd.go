package crowd

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"onrush/app/buyer"
	"onrush/modules/catalogue"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/inventory"
	"onrush/web"
)

const (
	// maxRequests is how many requests of a crowd are in the program at once.
	maxRequests = 64
	// maxWriters is how many addresses are stored at once. SQLite writes one after the other, and buyers of a real sale
	// have stored theirs long before.
	maxWriters = 4
)

// Sales has the sales that a crowd may be sent into.
type Sales interface {
	Get(ctx context.Context, id string) (*seckill.Activity, error)
}

// Points has the stock points, which decide what an order for a region is taken from.
type Points interface {
	Point(ctx context.Context, id string) (catalogue.Point, error)
	PointFor(ctx context.Context, region string, serves func(point string) bool) (catalogue.Point, bool, error)
}

// Auditor compares the units of a sale.
type Auditor interface {
	Audit(ctx context.Context, activity string) (*inventory.Audit, error)
	Account(ctx context.Context, activity string) (*inventory.Audit, error)
}

// Deps is what a crowd needs of the program.
type Deps struct {
	Handler fasthttp.RequestHandler // of the whole program
	Sign    func(user string, role web.Role, ttl time.Duration, in ...string) (token string, err error)
	Sales   Sales
	Points  Points
	Auditor Auditor
	NewID   func() string
	Now     func() time.Time
	Random  func() uint64 // safe for concurrent use
	Log     *slog.Logger
}

// Crowd runs one crowd after the other.
type Crowd struct {
	d      Deps
	stop   context.Context // ends when the program begins to stop
	shared buyer.Shared    // by the buyers of all crowds, but for its Answered

	mu     sync.Mutex
	run    *run // the last one; nil before the first
	busy   bool // a crowd is being prepared, or runs
	crowds int
	going  sync.WaitGroup
}

// New returns a Crowd whose runs end when stop ends.
func New(stop context.Context, d Deps) *Crowd {
	return &Crowd{d: d, stop: stop, shared: buyer.Shared{
		Program: inside{d.Handler}, Now: d.Now, Random: d.Random,
		Requests: make(chan struct{}, maxRequests), Addresses: make(chan struct{}, maxWriters),
		Proofs: make(chan struct{}, max(runtime.GOMAXPROCS(0)/2, 1)),
	}}
}

// Start sends buyers into a sale, all for one sku or, if sku is "", for all of its skus. The error is a conflict while
// a crowd runs, not_found for a sale that buyers don't see, and invalid_request for a sku that the sale doesn't have.
func (c *Crowd) Start(ctx context.Context, activity, sku string, buyers int) (State, error) {
	number, ok := c.reserve()
	if !ok {
		return State{}, problem.Errorf(problem.CodeConflict, "A crowd is buying; wait until it has finished.")
	}
	r, err := c.prepare(ctx, number, activity, sku, buyers)
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.busy = false
		return State{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.run = r
	c.going.Go(func() { // it outlives the request
		r.do(c.stop)
		c.mu.Lock()
		c.busy = false
		c.mu.Unlock()
		r.mu.Lock() // last, so that whoever sees that it has ended can begin the next one
		defer r.mu.Unlock()
		r.now.Running = false
	})
	return r.state(), nil
}

// reserve returns the number of the next crowd, unless one runs.
func (c *Crowd) reserve() (number int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy || c.stop.Err() != nil {
		return 0, false
	}
	c.busy = true
	c.crowds++
	return c.crowds, true
}

// prepare makes a run and looks at its sale before the first buyer comes.
func (c *Crowd) prepare(ctx context.Context, number int, activity, sku string, buyers int) (*run, error) {
	sale, err := c.d.Sales.Get(ctx, activity)
	if err != nil {
		return nil, err
	}
	if sale.State == seckill.Draft {
		return nil, problem.NotFound("activity")
	}
	goods, err := goodsOf(ctx, c.d.Points, sale, sku)
	if err != nil {
		return nil, err
	}
	r := &run{
		Crowd: c, id: c.d.NewID()[:idLength], number: number, activity: activity, goods: goods,
		segments: sale.Segments.Names(), began: c.d.Now(),
		shared: c.shared, now: State{
			ActivityID: activity, Buyers: buyers, Waiting: buyers, Running: true, Answers: map[string]int{},
		},
	}
	r.shared.Answered = r.count
	audit, err := c.d.Auditor.Account(ctx, activity)
	switch {
	case err == nil:
		r.keepAudit(audit)
	case problem.CodeOf(err) != problem.CodeConflict: // a sale that is not loaded has sold nothing
		return nil, err
	}
	return r, nil
}

// State returns what the last crowd has done so far. Before the first one it has no buyers.
func (c *Crowd) State() State {
	c.mu.Lock()
	r := c.run
	c.mu.Unlock()
	if r == nil {
		return State{Answers: map[string]int{}}
	}
	return r.state()
}

// Wait waits until no crowd runs. Call it when stop has ended.
func (c *Crowd) Wait() { c.going.Wait() }
