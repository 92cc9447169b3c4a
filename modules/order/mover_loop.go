package order

import (
	"context"
	"time"

	"onrush/web"
)

// Run moves orders until ctx ends; the batch under way is finished. Errors are logged, and the
// mover rests longer after each, up to a second.
func (m *Mover) Run(ctx context.Context) {
	rest := m.cfg.Every
	for ctx.Err() == nil {
		moved, err := web.Recovered(func() (int, error) { return m.RunOnce(ctx) })
		switch {
		case err != nil && ctx.Err() == nil:
			m.log.WarnContext(ctx, "moving orders failed", "moved", moved, "err", err)
			rest = min(2*rest, time.Second)
		default:
			rest = m.cfg.Every
		}
		if moved > 0 && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(rest):
		}
	}
}

// Drain moves until the queues are empty or ctx ends, and returns how many orders it moved.
func (m *Mover) Drain(ctx context.Context) (moved int, err error) {
	for ctx.Err() == nil {
		n, err := m.RunOnce(ctx)
		moved += n
		if err != nil || n == 0 {
			return moved, err
		}
	}
	return moved, ctx.Err()
}
