package oplog

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
)

// Stamp is who makes a change, from which address and when, for a change that may reach SQL later than it was made. The
// zero Stamp is of no operator.
type Stamp struct {
	ID       int64  `json:"id"` // of the entry in the log
	AtMS     int64  `json:"at_ms"`
	Actor    string `json:"actor"`
	ClientIP string `json:"client_ip"`
}

// NewStamp returns the stamp of a change that the operator of ctx makes now.
func NewStamp(ctx context.Context) Stamp {
	by, ok := ctx.Value(operatorKey{}).(operator)
	if !ok {
		return Stamp{}
	}
	at := by.recorder.now()
	return Stamp{
		ID: int64(NewID(at, by.recorder.random())), AtMS: at.UnixMilli(), Actor: by.user, ClientIP: by.clientIP,
	}
}

// With returns a context in which the first Record writes its entry with the id, the time and the operator of the
// stamp.
func (s Stamp) With(ctx context.Context) context.Context {
	if s == (Stamp{}) {
		return ctx
	}
	next := uint32(s.ID) - 1 //nolint:gosec // the low bits are the random ones of the id
	recorder := NewRecorder(func() time.Time { return time.UnixMilli(s.AtMS) }, func() uint32 { next++; return next })
	return recorder.By(ctx, s.Actor, s.ClientIP)
}

// Recorded reports whether the log has the entry of the stamp. It is false for the zero Stamp.
func (s Stamp) Recorded(ctx context.Context, tx *sqlx.Tx) (bool, error) {
	var n int
	const query = `SELECT COUNT(*) FROM operator_log WHERE change_id = ?`
	if err := tx.GetContext(ctx, &n, query, s.ID); err != nil {
		return false, fmt.Errorf("select the change %d: %w", s.ID, err)
	}
	return n > 0, nil
}
