package doctor

import (
	"context"
	"time"

	"onrush/app/schema"
	"onrush/jobs"
	"onrush/modules/sqldb"
)

// paused names the jobs that operators paused, which no restart lets run again.
func (d *Doctor) paused(ctx context.Context, db *sqldb.DB) error {
	if state, err := schema.Read(ctx, db); err != nil || state.Lacks > 0 {
		return nil //nolint:nilerr // the check of the schema says so
	}
	list, err := jobs.NewPauses(db, d.now).List(ctx)
	if err != nil {
		return err
	}
	for _, p := range list {
		d.add("jobs", Warning, p.Job+" is paused by "+p.By+" since "+
			time.UnixMilli(int64(p.At)).UTC().Format(time.RFC3339), "onrush jobs resume "+p.Job+" lets it run again")
	}
	if len(list) == 0 {
		d.add("jobs", OK, "none is paused", "")
	}
	return nil
}
