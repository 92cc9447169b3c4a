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
	// Health returns whether the instance is ready, and the stores that it doesn't reach.
	Health func() (status string, unavailable []string)
}
