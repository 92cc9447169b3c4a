package pay

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"onrush/web/problem"
)

// eachChannel runs one page of work per channel, the channels side by side, so that a gateway that
// hangs keeps only its own work waiting. It returns when all are done: the sum of what they did, and
// their errors joined, each with its channel. A run must end when ctx does.
func eachChannel(ctx context.Context, channels []string, run func(ctx context.Context, channel string) (int, error)) (done int, err error) {
	counts, errs := make([]int, len(channels)), make([]error, len(channels))
	var running sync.WaitGroup
	for i, channel := range channels {
		running.Go(func() {
			n, err := problem.Recovered(func() (int, error) { return run(ctx, channel) })
			if err != nil {
				err = fmt.Errorf("channel %s: %w", channel, err)
			}
			counts[i], errs[i] = n, err
		})
	}
	running.Wait()
	for _, n := range counts {
		done += n
	}
	return done, errors.Join(errs...)
}
