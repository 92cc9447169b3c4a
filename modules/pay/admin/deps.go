package admin

import (
	"time"

	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB     *sqldb.DB
	Now    func() time.Time
	Number func() order.Number // returns new numbers, for the ids of notifications
}
