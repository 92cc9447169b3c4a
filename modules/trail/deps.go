package trail

import (
	"context"
	"log/slog"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
)

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	Memory *Memory // nil: this instance remembers nothing
	Redis  redis.UniversalClient
	Keys   lua.Keys
	Log    *slog.Logger
	NewID  func() string

	Name string // of this instance, which no other one has
	// Running returns the names of the instances that run, with or without this one.
	Running func(ctx context.Context) ([]string, error)
}
