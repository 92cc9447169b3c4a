package queue

import (
	"log/slog"
	"time"

	"onrush/lua"
	"onrush/modules/order/positions"
	"onrush/modules/sqldb"
)

// Inspector gives operators access to the lanes' queues and their dead entries.
type Inspector struct {
	db      *sqldb.DB
	lua     *lua.Scripts
	written *positions.Store
	lanes   int
	now     func() time.Time
	log     *slog.Logger
	heads   heads
}

// NewInspector returns an Inspector over lanes 1 to lanes.
func NewInspector(d Deps, lanes int) *Inspector {
	return &Inspector{db: d.DB, lua: d.Lua, written: d.Written, lanes: lanes, now: d.Clock.Now, log: d.Log}
}
