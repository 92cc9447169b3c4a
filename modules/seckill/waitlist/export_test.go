package waitlist

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// WaitsFor returns for how many units buyers wait, by sku and point, and WithEntries which sales have entries.
func WaitsFor(ctx context.Context, q sqlx.QueryerContext, activity string) (int, error) {
	regions, err := waiting(ctx, q, activity)
	return len(regions), err
}

// WithEntries is what each run of the Offerer begins with.
var WithEntries = withEntries
