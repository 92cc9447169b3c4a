package queue

import (
	"context"
	"time"
)

// maxRest bounds the pause of a lane after errors.
const maxRest = time.Second

// restAfter logs an error and returns the next pause.
func (m *Mover) restAfter(ctx context.Context, rest time.Duration, err error) time.Duration {
	if err == nil || ctx.Err() != nil {
		return m.cfg.Every
	}
	onRest.Mark()
	m.log.WarnContext(ctx, "moving orders failed", "error", err)
	return min(2*rest, maxRest)
}
