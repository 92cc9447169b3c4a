package ordinary

import (
	"log/slog"
	"time"

	"onrush/modules/catalogue"
	"onrush/modules/sqldb"
)

// Placer places orders outside of sales, directly in SQL.
type Placer struct {
	cfg          Config
	db           *sqldb.DB
	catalogue    *catalogue.Catalogue
	destinations *catalogue.Destinations
	now          func() time.Time
	random       func() uint32
	log          *slog.Logger
}

// NewPlacer returns a Placer.
func NewPlacer(cfg Config, d Deps) *Placer {
	return &Placer{
		cfg: cfg.withDefaults(), db: d.DB, catalogue: d.Catalogue, destinations: d.Destinations, now: d.Now,
		random: d.Random, log: d.Log,
	}
}
