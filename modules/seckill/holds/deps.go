package holds

import (
	"context"
	"log/slog"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/modules/sqldb"
)

// activities are the sales as operators change them.
type activities interface {
	// Get returns an activity. Errors: not_found, unavailable.
	Get(ctx context.Context, id string) (*seckill.Activity, error)
	// Need is as of admin.Activities.
	Need(ctx context.Context, id, ability string) (*seckill.Activity, error)
}

// submits places orders for buyers.
type submits interface {
	// SubmitHeld is as of seckill.Service.
	SubmitHeld(
		ctx context.Context, by seckill.SubmitBy, of seckill.Held, body *seckill.Submit,
	) (*seckill.Submitted, error)
	// HeldOrder is as of seckill.Service.
	HeldOrder(ctx context.Context, activity, user, key string) (order.Number, error)
}

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB         *sqldb.DB
	Lua        *lua.Scripts
	Clock      *clock.Clock
	Log        *slog.Logger
	Activities activities
	Submits    submits
	NewID      func() string // unique, at most 32 of [A-Za-z0-9-]
	// Faults injects crashes in tests; nil otherwise.
	Faults order.Faults
}
