package jobs_test

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"onrush/jobs"
	"onrush/modules/api"
	"onrush/modules/redisdb"
	"onrush/test/kit"
)

// A job runs every hour after Start, on one of the instances, and when an operator requests it.
func ExampleScheduler_RunNow() {
	tb := kit.NewExample()
	defer tb.End()
	stores := kit.OnEmbedded(tb)
	clock := kit.NewClock(time.Date(2026, 5, 1, 12, 10, 0, 0, time.UTC))
	tidy := jobs.Job{
		Name: "tidy", Every: time.Hour, Within: time.Minute, Purpose: "deletes baskets that nobody pays",
		RunOnce: func(context.Context) (done int, err error) { return 3, nil },
	}
	s, err := jobs.New(tb.Context(), []jobs.Job{tidy}, jobs.Deps{
		DB: stores.DB, Redis: stores.Redis, Keys: stores.Keys, Locks: redisdb.NewLocks(stores.Redis), Now: clock.Now,
		NewID: kit.IDs(1), Instance: "first", Log: slog.New(slog.DiscardHandler),
	})
	fmt.Println("new:", err)
	list, err := s.List(tb.Context())
	fmt.Println("due:", api.FormatMS(int64(list[0].NextRunAt)), err)
	_, err = s.RunNow(tb.Context(), "tidy", "olga")
	fmt.Println("run:", err)
	fmt.Println("stop:", s.Stop()) // after the run
	runs, err := s.Runs(tb.Context(), "tidy", api.Page{Page: 1, Size: 10})
	fmt.Println("runs:", err)
	for _, r := range runs.Items {
		fmt.Println(r.Job, r.State, r.Done, r.AskedBy)
	}
	// Output:
	// new: <nil>
	// due: 2026-05-01T12:30:00.000Z <nil>
	// run: <nil>
	// stop: <nil>
	// runs: <nil>
	// tidy done 3 olga
}
