package blocked

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"onrush/modules/aged"
	"onrush/modules/sqldb"
)

// reloadAfter is how often the whole table is read, which drops what has expired. It is well below the time for which
// deleted rows are kept.
const reloadAfter = 10 * time.Minute

// Gate refuses blocked users and addresses by a copy of the table. It is safe for concurrent use.
type Gate struct {
	*aged.Follower

	db        *sqldb.DB
	now       func() time.Time
	protected []netip.Prefix

	current  atomic.Pointer[snapshot]
	refused  atomic.Int64
	reloadAt time.Time // of refresh
}

// NewGate returns a Gate that refuses nobody until its first Refresh. It never refuses loopback addresses or
// proxies.
func NewGate(db *sqldb.DB, now func() time.Time, proxies []netip.Prefix, log *slog.Logger) *Gate {
	g := &Gate{db: db, now: now, protected: slices.Concat(loopback, proxies)}
	g.Follower = aged.NewFollower("list of blocked users", now, log, sqldb.IsUnavailable, g.refresh)
	g.current.Store(&snapshot{})
	return g
}

// Refused returns how many requests were refused.
func (g *Gate) Refused() int64 { return g.refused.Load() }

func (g *Gate) nowMS() int64 { return g.now().UnixMilli() }

// refresh reads the changes since the last time.
func (g *Gate) refresh(ctx context.Context, now time.Time) error {
	last := g.current.Load()
	reload := !now.Before(g.reloadAt) || g.reloadAt.Sub(now) > reloadAfter // or the clock was set back
	if reload {
		last = &snapshot{}
	}
	rows, head, err := g.since(ctx, last)
	if err == nil && !reload && !last.follows(rows) {
		reload, last = true, &snapshot{}
		rows, head, err = g.since(ctx, last)
	}
	if err != nil {
		return fmt.Errorf("select who is blocked: %w", err)
	}
	switch {
	case reload:
		g.reloadAt = now.Add(reloadAfter)
		g.current.Store(last.with(rows, head, g.protected, now.UnixMilli()))
	case len(rows) > 1 || last.last == row{} && len(rows) > 0: // not only the last row
		g.current.Store(last.with(rows, head, g.protected, 0))
	}
	return nil
}

// since reads the last row that a snapshot knows, and all rows that were changed after it. Versions are committed in
// their order, but a view of MariaDB may show a row and not the row that was committed just before it. So head is read
// first, and rows are read up to head: the later view misses none of these.
func (g *Gate) since(ctx context.Context, s *snapshot) (rows []row, head int64, err error) {
	if err = g.db.Read.GetContext(ctx, &head, `SELECT version FROM blocked_head WHERE id = 1`); err != nil {
		return nil, 0, err
	}
	const query = `SELECT kind, subject, until_ms, updated_ms, deleted, version FROM blocked WHERE version >= ?`
	err = g.db.Read.SelectContext(ctx, &rows, query, s.last.Version)
	return rows, head, err
}
