package admin

import (
	"log/slog"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/needs"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/site"
	"onrush/modules/sqldb"
)

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB        *sqldb.DB // operators' connections
	Lua       *lua.Scripts
	Clock     *clock.Clock
	Catalogue *catalogue.Catalogue
	Cache     *seckill.ActivityCache
	Loader    loader
	Totals    totals
	// Site has the lanes that activities get.
	Site *site.Site
	// Fleet has the builds of all instances.
	Fleet needs.Fleet
	// Checks are the human checks that activities may have.
	Checks human.Checks
	// Channels are the payment channels that are on.
	Channels []PaymentChannel
	// EmbeddedRedis says that Redis is part of the program.
	EmbeddedRedis bool
	NewID         func() string // unique, at most 32 of [A-Za-z0-9-]
	Secret        func() string // at least 128 random bits as text, of at most 64 characters
	Log           *slog.Logger
	// Faults injects crashes in tests; nil otherwise.
	Faults order.Faults
}
