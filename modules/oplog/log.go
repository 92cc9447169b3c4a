package oplog

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/sqldb"
)

// View is a change in the operators' API.
type View struct {
	ID       ID              `json:"change_id"`
	At       api.Millis      `json:"at"`
	Actor    string          `json:"actor"`
	ClientIP string          `json:"client_ip"`
	Action   string          `json:"action"`
	On       string          `json:"on"`
	Before   json.RawMessage `json:"before,omitempty"`
	After    json.RawMessage `json:"after,omitempty"`

	Fields []api.ChangedField `json:"fields"` // in which Before and After differ
}

// Filter selects changes; zero values select all. From is included, To is not.
type Filter struct {
	Actor, On, Action string
	From, To          api.Millis
	Before            ID // only changes with lower ids
}

// Log lists the changes that operators made.
type Log struct{ db *sqldb.DB }

// NewLog returns the log in db.
func NewLog(db *sqldb.DB) *Log { return &Log{db} }

// where returns the filter as a WHERE clause. Times are bounds of the ids, so that every list is read from an
// index in its order.
func (f Filter) where() (w sqldb.Where) {
	w.AndIf(f.Actor != "", "actor = ?", f.Actor)
	w.AndIf(f.Action != "", "action = ?", f.Action)
	w.AndIf(f.On != "", "target = ?", f.On)
	w.AndIf(f.From != 0, "change_id >= ?", FirstIDAt(f.From.Time()))
	w.AndIf(f.To != 0, "change_id < ?", FirstIDAt(f.To.Time()))
	w.AndIf(f.Before != 0, "change_id < ?", f.Before)
	return w
}

// List lists changes, newest first, by cursor.
func (s *Log) List(ctx context.Context, f Filter, size int) (api.List[View], error) {
	var rows []struct {
		ID       ID     `db:"change_id"`
		AtMS     int64  `db:"at_ms"`
		Actor    string `db:"actor"`
		ClientIP string `db:"client_ip"`
		Action   string `db:"action"`
		On       string `db:"target"`
		Before   string `db:"before_value"`
		After    string `db:"after_value"`
	}
	where := f.where()
	query := `SELECT change_id, at_ms, actor, client_ip, action, target, before_value, after_value FROM operator_log` +
		where.String() + ` ORDER BY change_id DESC LIMIT ?`
	list := api.List[View]{PageSize: size}
	if err := sqlx.SelectContext(ctx, s.db.Read, &rows, query, where.Args(size+1)...); err != nil {
		return list, fmt.Errorf("select changes: %w", err)
	}
	if len(rows) > size {
		rows = rows[:size]
		list.NextCursor = rows[size-1].ID.String()
	}
	for _, r := range rows {
		list.Items = append(list.Items, View{
			ID: r.ID, At: api.Millis(r.AtMS), Actor: r.Actor, ClientIP: r.ClientIP, Action: r.Action, On: r.On,
			Before: json.RawMessage(r.Before), After: json.RawMessage(r.After),
			Fields: Differences([]byte(r.Before), []byte(r.After)),
		})
	}
	return list, nil
}

// Expiries select the changes that were made before a time.
func Expiries(before time.Time) []sqldb.Expiry {
	return []sqldb.Expiry{{
		Table: "operator_log", Key: []string{"change_id"}, Where: "change_id < ?", Args: []any{FirstIDAt(before)},
	}}
}
