package ordinary

import (
	"log/slog"
	"time"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB           *sqldb.DB // buyers' connections
	Catalogue    *catalogue.Catalogue
	Destinations *catalogue.Destinations
	Now          func() time.Time
	// Random returns random numbers for order numbers; it is safe for concurrent use.
	Random func() uint32
	Log    *slog.Logger
	// Changed is called in the transactions that store orders. Nil does nothing.
	Changed order.Changed
}
