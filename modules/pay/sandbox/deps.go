package sandbox

import (
	"log/slog"
	"time"

	"onrush/modules/sqldb"
)

// Deps are the dependencies of the gateway; the caller opens and closes them.
type Deps struct {
	DB    *sqldb.DB
	Now   func() time.Time
	NewID func() string // unique, of [A-Za-z0-9_-]
	Log   *slog.Logger
}
