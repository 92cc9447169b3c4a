package queue

import (
	"log/slog"
	"time"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/order/logpositions"
	"onrush/modules/site"
	"onrush/modules/sqldb"
)

// Inspector gives operators access to the lanes' queues and their dead entries.
type Inspector struct {
	db      *sqldb.DB
	lua     *lua.Scripts
	written *logpositions.Store
	site    *site.Site
	now     func() time.Time
	log     *slog.Logger
	heads   heads
	changed order.Changed
}

// NewInspector returns an Inspector over all lanes.
func NewInspector(d Deps) *Inspector {
	return &Inspector{
		db: d.DB, lua: d.Lua, written: d.Written, site: d.Site, now: d.Clock.Now, log: d.Log, changed: d.Changed,
	}
}
