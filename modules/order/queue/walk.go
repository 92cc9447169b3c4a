package queue

import (
	"context"
	"time"

	"onrush/lua"
)

// walk is how far a mover has come in the queue of a lane, past the entries at its head that stay: those that wait,
// since their order can't be stored yet, and those that were settled behind one that waits (ack_moved.lua).
type walk struct {
	kept int    // how many entries stay
	last string // the last of them

	began time.Time     // at the head of the queue
	spent time.Duration // on the way
}

const (
	// walkAgain is after how long a mover begins at the head of a queue again.
	walkAgain = time.Second
	// A mover also waits walkShare times as long as its last walk took, but at most walkMost, since a walk reads all
	// that stays.
	walkShare, walkMost = 10, 8 * time.Second
)

// resumeWalk returns the walk that a run continues: the last one, unless it is time to begin at the head again.
func (m *Mover) resumeWalk(ctx context.Context, lane int) *walk {
	now := m.now()
	fresh := &walk{began: now}
	known, ok := m.walks.Load(lane)
	if !ok {
		return fresh
	}
	w, _ := known.(walk)
	if now.Sub(w.began).Abs() >= min(walkAgain+walkShare*w.spent, walkMost) {
		return fresh
	}
	// Another mover may have come further.
	last, err := m.lua.Redis.LIndex(ctx, m.lua.Keys.Queue(lane), int64(w.kept-1)).Result()
	if err != nil || last != w.last {
		return fresh
	}
	w.spent -= now.Sub(w.began) // leaveWalk adds the time since began
	return &w
}

// leaveWalk keeps a walk for the next run.
func (m *Mover) leaveWalk(lane int, w *walk) {
	if w.kept == 0 {
		m.walks.Delete(lane)
		return
	}
	w.spent += m.now().Sub(w.began)
	m.walks.Store(lane, *w)
}

// pass notes which entries stay of the batch that follows the entries passed so far.
func (w *walk) pass(b *batch, acked lua.Acked) {
	w.kept += acked.Seen - acked.Removed
	if w.kept > 0 {
		w.last = b.waiting[acked.Seen-1].entry.Raw
	}
}
