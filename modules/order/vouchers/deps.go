package vouchers

import (
	"time"

	"onrush/modules/sqldb"
)

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB  *sqldb.DB
	Now func() time.Time
}
