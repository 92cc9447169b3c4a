package blocked

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"onrush/modules/sqldb"
)

const (
	// refreshEvery is how often the copy is brought up to date.
	refreshEvery = 500 * time.Millisecond
	// refreshWithin bounds one read of what has changed.
	refreshWithin = 5 * time.Second
	// reloadAfter is how often the whole table is read, which drops what has expired. It is well below the time for
	// which deleted rows are kept.
	reloadAfter = 10 * time.Minute
)

// Gate refuses blocked users and addresses by a copy of the table. It is safe for concurrent use.
type Gate struct {
	db        *sqldb.DB
	now       func() time.Time
	protected []netip.Prefix
	log       *slog.Logger

	current atomic.Pointer[snapshot]
	refused atomic.Int64
	asOf    atomic.Int64 // when the last successful Refresh began, in ms; 0: never

	mu       sync.Mutex // held by Refresh
	reloadAt time.Time
	failing  bool
}

// NewGate returns a Gate that refuses nobody until its first Refresh. It never refuses loopback addresses or
// proxies.
func NewGate(db *sqldb.DB, now func() time.Time, proxies []netip.Prefix, log *slog.Logger) *Gate {
	g := &Gate{db: db, now: now, protected: slices.Concat(loopback, proxies), log: log}
	g.current.Store(&snapshot{})
	return g
}

// Refused returns how many requests were refused.
func (g *Gate) Refused() int64 { return g.refused.Load() }

// Age returns how old the copy is; 0 until it was read for the first time.
func (g *Gate) Age() time.Duration {
	asOf := g.asOf.Load()
	if asOf == 0 {
		return 0
	}
	return max(g.now().Sub(time.UnixMilli(asOf)), 0)
}

func (g *Gate) nowMS() int64 { return g.now().UnixMilli() }

// Refresh reads the changes since the last Refresh. After an error the last copy is used.
func (g *Gate) Refresh(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, refreshWithin)
	defer cancel()
	last, now := g.current.Load(), g.now()
	reload := !now.Before(g.reloadAt) || g.reloadAt.Sub(now) > reloadAfter // or the clock was set back
	if reload {
		last = &snapshot{}
	}
	var rows []row
	// Versions are committed in their order, so no row is missed.
	const query = `SELECT kind, subject, until_ms, deleted, version FROM blocked WHERE version > ?`
	if err := g.db.Read.SelectContext(ctx, &rows, query, last.version); err != nil {
		return fmt.Errorf("read who is blocked: %w", err)
	}
	if reload {
		nowMS := now.UnixMilli()
		for i := range rows {
			rows[i].Deleted = rows[i].Deleted || rows[i].UntilMS != 0 && rows[i].UntilMS <= nowMS
		}
		g.reloadAt = now.Add(reloadAfter)
	}
	g.asOf.Store(now.UnixMilli())
	if reload || len(rows) > 0 {
		g.current.Store(last.with(rows, g.protected))
	}
	return nil
}

// Load is the first Refresh, before a request is served. If it fails, Run tries again.
func (g *Gate) Load(ctx context.Context) { g.logFirst(ctx, g.Refresh(ctx)) }

// Run calls Refresh twice a second until ctx ends.
func (g *Gate) Run(ctx context.Context) {
	tick := time.NewTicker(refreshEvery)
	defer tick.Stop()
	for {
		g.logFirst(ctx, g.Refresh(ctx))
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// logFirst logs the first error of several. That SQL is unavailable is logged elsewhere.
func (g *Gate) logFirst(ctx context.Context, err error) {
	if err != nil && !g.failing && !sqldb.IsUnavailable(err) && ctx.Err() == nil {
		g.log.WarnContext(ctx, "the list of blocked users can't be read; the last one is used", slog.Any("error", err))
	}
	g.failing = err != nil
}
