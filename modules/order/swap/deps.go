package swap

import (
	"context"
	"log/slog"
	"time"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// Deps are the dependencies of the package; the caller opens and closes them.
type Deps struct {
	DB     *sqldb.DB
	Lua    *lua.Scripts
	Ensure order.Ensurer
	Now    func() time.Time
	Log    *slog.Logger
	// Admit returns why a buyer may not have a sku of a sale; from is the client's IP address. A nil Admit lets
	// everybody.
	Admit func(ctx context.Context, activity, sku, user, from string) error
	// Faults injects crashes in tests; nil otherwise.
	Faults order.Faults
}
