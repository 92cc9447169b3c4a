package instances

import (
	"log/slog"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/clock"
)

// Deps is what a Reporter depends on.
type Deps struct {
	Redis redis.UniversalClient
	Keys  lua.Keys
	Clock *clock.Clock
	Log   *slog.Logger

	Name    string // of this instance, which no other one has
	Version string
	// Abilities are what this build can do and builds before it can't.
	Abilities []string
	// MetricsAddr is where it serves its metrics; "" if it doesn't.
	MetricsAddr string
	// Health returns whether the instance is ready, and the stores that it doesn't reach.
	Health func() (status string, unavailable []string)
}
