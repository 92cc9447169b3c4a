// Package embedded holds the stores of a run without configuration: a Redis in memory, a SQLite
// file, and the secrets that belong to them.
package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// tick is how often time passes for keys that expire. A key may expire that much early.
const tick = 100 * time.Millisecond

// RedisServer is a Redis in memory. It loses its data when the process ends.
type RedisServer struct {
	*miniredis.Miniredis

	quit chan struct{}
	done chan struct{}
}

// Redis starts a Redis in memory on a free port of 127.0.0.1. Addr returns its address. The caller
// must Stop it.
func Redis(ctx context.Context, log *slog.Logger) (*RedisServer, error) {
	mini := miniredis.NewMiniRedis()
	if err := mini.Start(); err != nil {
		return nil, fmt.Errorf("start the embedded redis: %w", err)
	}
	r := &RedisServer{Miniredis: mini, quit: make(chan struct{}), done: make(chan struct{})}
	go r.passTime()
	log.InfoContext(ctx, "embedded redis runs; it keeps nothing when the process ends",
		slog.String("addr", mini.Addr()))
	return r, nil
}

// passTime makes keys expire: miniredis returns the real time, but shortens the life of keys only when
// FastForward is called.
func (r *RedisServer) passTime() {
	defer close(r.done)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	last := time.Now()
	for {
		select {
		case <-r.quit:
			return
		case now := <-ticker.C:
			r.FastForward(now.Sub(last))
			last = now
		}
	}
}

// Stop ends the server and breaks its connections. It must be called once.
func (r *RedisServer) Stop() {
	close(r.quit)
	<-r.done
	r.Close()
}
