package ordinary

import (
	"log/slog"
	"time"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// Placer places orders outside of sales, directly in SQL.
type Placer struct {
	maxUnpaid    int
	db           *sqldb.DB
	catalogue    *catalogue.Catalogue
	destinations *catalogue.Destinations
	now          func() time.Time
	random       func() uint32
	log          *slog.Logger
	changed      order.Changed
}

// payWithin is how long an order may stay unpaid.
const payWithin = 30 * time.Minute

// NewPlacer returns a Placer. A user may have maxUnpaid unpaid ordinary orders when placing more; 0: any number.
func NewPlacer(maxUnpaid int, d Deps) *Placer {
	return &Placer{
		maxUnpaid: maxUnpaid, db: d.DB, catalogue: d.Catalogue, destinations: d.Destinations, now: d.Now,
		random: d.Random, log: d.Log, changed: d.Changed,
	}
}
