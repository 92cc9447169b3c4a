package settings

import (
	"log/slog"
	"time"

	"onrush/lua"
	"onrush/modules/sqldb"
)

// Deps are the dependencies of a Store.
type Deps struct {
	DB        *sqldb.DB
	Lua       *lua.Scripts
	StoresNow func() time.Time // the clock that all instances share
	Now       func() time.Time // the clock of this instance
	Log       *slog.Logger
	IsRoute   func(route string) error // returns an error for a text that is no route of buyers
	// Apply makes the instance follow a new version of the values. After an error, what it applied before stays.
	Apply func(Values) error
}
