package drill

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"onrush/app/buyer"
	"onrush/web/client"
)

// facts are what the program says after the drill.
type facts struct {
	orders   []client.AdminOrder // of all sales, as operators see them
	lists    map[string][]string // by user with an accepted order: the numbers in my orders
	payments map[string]*client.SandboxState
	refunds  []client.Refund
	feed     []event          // all events since the start of the drill, read a second time
	followed map[string]event // those that the stream had, by id
	missed   bool             // the stream ended before the drill
	audits   map[string]*client.Audit
	sales    map[string]*client.AdminActivity
	stats    map[string]*client.Stats
	drawn    *drawn            // nil without a draw
	holds    []client.UnitHold // of the sale beside the first one
	// unreached says that the program got no notification of any payment, and that the drill has stopped waiting for
	// one.
	unreached bool
}

// facts asks the program.
func (r *run) facts(ctx context.Context) (f *facts, err error) {
	f = &facts{
		lists: map[string][]string{}, payments: map[string]*client.SandboxState{}, audits: map[string]*client.Audit{},
		stats: map[string]*client.Stats{}, followed: map[string]event{}, sales: map[string]*client.AdminActivity{},
	}
	for _, s := range r.sales {
		if err := r.saleFacts(ctx, s, f); err != nil {
			return nil, err
		}
	}
	if r.besides() {
		if f.drawn, err = r.readDraw(ctx); err != nil { // after its orders
			return nil, err
		}
		holds := "/admin/api/v1/activities/" + r.sales[deskSale].ActivityID + "/holds"
		if f.holds, err = listed[client.UnitHold](ctx, r, holds, url.Values{}); err != nil {
			return nil, err
		}
	}
	if f.refunds, err = listed[client.Refund](ctx, r, "/admin/api/v1/refunds", url.Values{
		"from": {r.began.Add(-time.Minute).UTC().Format(time.RFC3339)},
	}); err != nil {
		return nil, err
	}
	if f.feed, err = r.feed.again(ctx); err != nil {
		return nil, err
	}
	for r.feed.step(ctx) {
	}
	r.feed.mu.Lock()
	f.missed = r.feed.missed
	for id, e := range r.feed.events {
		f.followed[id] = e
	}
	r.feed.mu.Unlock()
	return f, r.buyerFacts(ctx, f)
}

func (r *run) saleFacts(ctx context.Context, s *sale, f *facts) error {
	orders, err := listed[client.AdminOrder](ctx, r, "/admin/api/v1/orders", url.Values{"activity_id": {s.ActivityID}})
	if err != nil {
		return err
	}
	f.orders = append(f.orders, orders...)
	if f.stats[s.ActivityID], err = r.stats(ctx, s); err != nil {
		return err
	}
	var now client.AdminActivity
	f.sales[s.ActivityID] = &now
	if err := r.operator.Get(ctx, "/admin/api/v1/activities/"+s.ActivityID, &now); err != nil {
		return err
	}
	var a client.Audit
	f.audits[s.ActivityID] = &a
	return r.operator.Get(ctx, "/admin/api/v1/activities/"+s.ActivityID+"/audit", &a)
}

// askers is how many visitors ask at once after the sale.
const askers = 16

// buyerFacts reads the task and the list of each visitor with an order, and the state of each payment.
func (r *run) buyerFacts(ctx context.Context, f *facts) error {
	attempts, payments, _ := r.record.all()
	var mu sync.Mutex
	var failed error
	ask := func(name string, s *shopper, path string, into func(a buyer.Answer) bool) {
		a := s.Insist(ctx, name, "GET", path, "", nil)
		mu.Lock()
		defer mu.Unlock()
		if !into(a) && failed == nil {
			failed = fmt.Errorf("%s is answered %s", path, a.Code)
		}
	}
	var jobs []func()
	asked := map[string]bool{}
	for _, a := range attempts {
		if a.order == "" {
			continue
		}
		client := *a.shopper
		if !a.held {
			jobs = append(jobs, func() { client.readTask(ctx, a) })
		}
		if !asked[client.Name] {
			asked[client.Name] = true
			reader := *a.shopper // a shopper sends one request at a time
			jobs = append(jobs, func() {
				numbers, _, complete := reader.pages(ctx, true, 100)
				mu.Lock()
				defer mu.Unlock()
				if complete {
					f.lists[reader.Name] = numbers
				} else if failed == nil {
					failed = fmt.Errorf("my orders of %s are not complete", reader.Name)
				}
			})
		}
	}
	for _, p := range payments {
		if p.page == "" {
			f.payments[p.number] = &client.SandboxState{}
			continue
		}
		payer := *p.shopper
		page := "/sandbox/state/" + p.page[len("/sandbox/pay/"):]
		jobs = append(jobs, func() {
			ask("payment state", &payer, page, func(a buyer.Answer) bool {
				var state client.SandboxState
				f.payments[p.number] = &state
				return a.Read(&state)
			})
		})
	}
	atOnce(jobs)
	return failed
}

// atOnce does the jobs, up to askers at the same time.
func atOnce(jobs []func()) {
	var all errgroup.Group
	all.SetLimit(askers)
	for _, job := range jobs {
		all.Go(func() error {
			job()
			return nil
		})
	}
	_ = all.Wait()
}

// listed returns the items of an operators' list.
func listed[T any](ctx context.Context, r *run, path string, query url.Values) (all []T, err error) {
	for item, err := range r.operator.List(ctx, path, query) {
		var one T
		if err == nil {
			err = json.Unmarshal(item, &one)
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		all = append(all, one)
	}
	return all, nil
}
