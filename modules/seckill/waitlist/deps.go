package waitlist

import (
	"context"
	"log/slog"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/modules/sqldb"
)

// wishes checks what a buyer wishes for, as seckill.Service does.
type wishes interface {
	Wish(ctx context.Context, by seckill.Wisher, activity, sku string, c seckill.Choice) (*seckill.Wish, error)
}

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB    *sqldb.DB
	Lua   *lua.Scripts
	Clock *clock.Clock
	Log   *slog.Logger
	// Wishes are needed by a Service, not by an Offerer.
	Wishes wishes
	NewID  func() string // unique, at most 32 of [A-Za-z0-9-]
	// Faults injects crashes in tests; nil otherwise.
	Faults order.Faults
}
