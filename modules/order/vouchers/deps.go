package vouchers

import (
	"context"
	"log/slog"
	"time"

	"onrush/modules/catalogue"
	"onrush/modules/sqldb"
)

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB  *sqldb.DB
	Now func() time.Time
	Log *slog.Logger
	// Goods returns a sku of the catalogue; for an unknown one the error is not_found.
	Goods func(ctx context.Context, sku string) (catalogue.SKU, error)
}
