package drill

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"time"
)

// cleanWithin bounds the removal of what a drill made.
const cleanWithin = 20 * time.Second

// clean ends the sales of the drill and deletes the addresses of its visitors; the error names the rest. Orders
// stay, and goods and stock points can't be deleted before the sales are retired.
func (r *run) clean(ctx context.Context) (left error) {
	ctx, cancel := context.WithTimeout(ctx, cleanWithin)
	defer cancel()
	for _, id := range r.made {
		err := r.operator.Call(ctx, http.MethodPost, "/admin/api/v1/activities/"+id+"/offline", "", nil, nil)
		if err != nil {
			left = errors.Join(left, fmt.Errorf("sale %s is left open: %w", id, err))
		}
	}
	r.record.mu.Lock()
	stored := slices.Clone(r.record.stored)
	r.record.mu.Unlock()
	var jobs []func()
	var kept atomic.Int64
	for _, a := range stored {
		client := *a.shopper
		jobs = append(jobs, func() {
			got := client.Insist(ctx, "clean", "DELETE", "/api/v1/addresses/"+a.id, "", nil)
			if got.Status != http.StatusNoContent && got.Status != http.StatusNotFound {
				kept.Add(1)
			}
		})
	}
	atOnce(jobs)
	if n := kept.Load(); n > 0 {
		left = errors.Join(left, fmt.Errorf("%d addresses of its visitors are left", n))
	}
	return left
}
