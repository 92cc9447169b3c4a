package draw

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// ListPerRun sets after how many entries a run of the Drawer ends.
func (d *Drawer) ListPerRun(n int) { d.perRun = n }

// Unlisted returns how many places have entries that aren't listed, and how many the next transaction lists at a place.
func Unlisted(ctx context.Context, q sqlx.QueryerContext, activity, sku, point string) (places, next int, err error) {
	all, err := unlisted(ctx, q, activity)
	if err != nil {
		return 0, 0, err
	}
	entries, err := nextUnlisted(ctx, q, activity, place{sku, point})
	return len(all), len(entries), err
}
