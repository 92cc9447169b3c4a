package vouchers

import (
	"context"
	"log/slog"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB  *sqldb.DB
	Now func() time.Time
	Log *slog.Logger
	// LockVoucher locks a sku of the catalogue, which must be a voucher. For an unknown one the error is not_found.
	LockVoucher func(ctx context.Context, tx *sqlx.Tx, sku string) error
}
