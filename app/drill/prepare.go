package drill

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"onrush/app/buyer"
	"onrush/app/operator"
)

// prepare publishes the sales.
func (r *run) prepare(ctx context.Context) error {
	r.progress("prepare")
	if err := r.wire.Reach(ctx); err != nil {
		return err
	}
	if err := r.tokens(ctx); err != nil {
		return err
	}
	if err := r.feed.begin(ctx); err != nil {
		return fmt.Errorf("read the feed of events: %w", err)
	}
	var files []*operator.SaleFile
	asked := time.Now()
	for i, p := range r.cfg.parts() {
		sale := r.ownSale
		if r.cfg.Sale != nil {
			sale = r.copied
		}
		file, err := sale(ctx, i, p)
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	began := time.Now()
	if r.besides() { // its other sales, and lists, take about so many times as long, and must be there at the start
		began = began.Add(4 * time.Since(asked))
	}
	for i, file := range files {
		s, err := r.open(ctx, file, began.Add(r.plan.Starts[i]))
		if err != nil {
			return err
		}
		r.sales = append(r.sales, s)
	}
	if r.besides() {
		if err := r.openBesides(ctx); err != nil {
			return err
		}
	}
	if r.floods() && r.sales[0].Limits.User.Requests < 1 {
		return errors.New("a flood needs a sale with a limit of requests per user (limits.user)")
	}
	return nil
}

// tokens checks the tokens of the first and the last visitor.
func (r *run) tokens(ctx context.Context) error {
	last := len(r.plan.Visitors) - 1
	if r.floods() {
		last++
	}
	for _, number := range []int{0, last} {
		s, err := r.newShopper(ctx, Visitor{Number: number})
		if err != nil {
			return err
		}
		if a := s.Insist(ctx, "orders", http.MethodGet, "/api/v1/orders?page_size=1", "", nil); a.Code != buyer.OK {
			return fmt.Errorf("the token of %s is answered %s", s.Name, a.Code)
		}
	}
	return nil
}
