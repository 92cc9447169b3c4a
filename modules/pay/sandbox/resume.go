package sandbox

import (
	"context"
	"log/slog"
	"time"
)

const (
	// resumePage is the number of notices per read.
	resumePage = 200
	// resumeAgain is the wait after a failed read.
	resumeAgain = 2 * time.Second
)

// Resume sends, in the background, the notifications that were not acknowledged when the program was killed or stopped.
// Call it once, when the program starts. It may take notifications that another instance is sending too: claim lets
// only one instance make each attempt.
func (g *Gateway) Resume() {
	g.sending.Go(func() {
		last := &noticeRow{}
		for g.stop.Err() == nil {
			page, err := g.unsent(g.stop, last)
			if err != nil {
				g.log.WarnContext(g.stop, "sandbox notifications can't be read; trying again", slog.Any("error", err))
				_ = g.pause(g.stop, resumeAgain) // the loop ends with stop
				continue
			}
			for _, notice := range page {
				if g.late.Acquire(g.stop, 1) != nil {
					return
				}
				g.sending.Go(func() {
					defer g.late.Release(1)
					g.send(notice, true, max(0, time.UnixMilli(notice.DueMS).Sub(g.now())))
				})
			}
			if len(page) < resumePage {
				return
			}
			last = page[len(page)-1]
		}
	})
}

// unsent reads the notices after last that are still to be sent, in the order in which they are due.
func (g *Gateway) unsent(ctx context.Context, last *noticeRow) ([]*noticeRow, error) {
	var page []*noticeRow
	const query = `SELECT * FROM sandbox_notices WHERE state IN ('waiting', 'stopped')
		AND (due_ms > ? OR (due_ms = ? AND event_id > ?))
		ORDER BY due_ms, event_id LIMIT ?`
	return page, g.db.Write.SelectContext(ctx, &page, query, last.DueMS, last.DueMS, last.Event, resumePage)
}

// claim counts an attempt before it is made, and reports whether this instance should make it. unsure says that the
// last call for the attempt failed, which may have counted it.
func (g *Gateway) claim(notice *noticeRow, unsure bool) (bool, error) {
	ctx, cancel := context.WithTimeout(g.stop, keepWithin)
	defer cancel()
	const update = `UPDATE sandbox_notices SET attempts = ?, state = 'waiting'
		WHERE event_id = ? AND attempts IN (?, ?) AND state IN ('waiting', 'stopped')`
	counted := notice.Attempts
	if unsure {
		counted++
	}
	res, err := g.db.Write.ExecContext(ctx, update, notice.Attempts+1, notice.Event, notice.Attempts, counted)
	if err != nil {
		return false, err
	}
	claimed, err := res.RowsAffected()
	return claimed > 0, err
}
