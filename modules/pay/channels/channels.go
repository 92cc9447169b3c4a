// Package channels says how buyers pay through payment channels, and runs work of several channels at the same time.
package channels

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"onrush/modules/panics"
)

// Each calls run for every channel concurrently, so that a gateway that hangs delays only its own
// work. When all calls have returned, it returns the sum of their results and their errors, joined and
// each with its channel. run must return when ctx ends.
func Each(
	ctx context.Context, channels []string, run func(ctx context.Context, channel string) (int, error),
) (done int, err error) {
	counts, errs := make([]int, len(channels)), make([]error, len(channels))
	var running sync.WaitGroup
	for i, channel := range channels {
		running.Go(func() {
			n, err := panics.RecoveredValue(func() (int, error) { return run(ctx, channel) })
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
