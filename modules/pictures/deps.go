package pictures

import (
	"context"
	"log/slog"
	"time"

	"onrush/modules/pictures/bucket"
	"onrush/modules/sqldb"
)

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB *sqldb.DB
	// Shown has the connections over which everybody's requests are answered.
	Shown *sqldb.DB
	// Clock is the stores' time, by which the pictures of a day are counted.
	Clock func() time.Time
	// Sync brings Clock up to date.
	Sync func(context.Context) error
	// Now is the instance's own clock, by which copies age.
	Now func() time.Time
	// Base is the path of the program on its host, "" without one: the beginning of the pictures' addresses.
	Base string
	// Buckets are where content is kept outside of SQL, if they take uploads, and read from in any case.
	Buckets *bucket.Buckets
	// NewID makes a part of the key of an object, which no other has.
	NewID func() string
	Log   *slog.Logger
}
