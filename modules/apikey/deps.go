package apikey

import (
	"io"
	"log/slog"
	"time"

	"onrush/modules/sqldb"
)

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB *sqldb.DB
	// Clock is the stores' time, by which keys expire.
	Clock func() time.Time
	// Now is the instance's own clock, by which copies age.
	Now func() time.Time
	// Random gives the random part of ids, which are no secrets.
	Random func() uint32
	// Secrets gives the random bytes of keys.
	Secrets io.Reader
	Log     *slog.Logger
}
