package line

import (
	"context"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/segments"
)

// Sale is an activity as its waiting room sees it.
type Sale struct {
	Activity string
	Lane     int
	StartsMS int64
	EndsMS   int64
	Room     Settings     // the zero value: there is no waiting room
	Segments segments.Set // whose users may join; none: everybody
}

// Sales returns the published activities and their remaining units. It must read local copies, since each poll of each
// user in a line calls it.
type Sales interface {
	// Sale returns an activity that was published; for any other the error is not_found.
	Sale(ctx context.Context, activity string) (Sale, error)
	// Chances returns how many more users may take a path: the units left, times the permit ratio if that is
	// above 1. Unknown means that it can't be read now. The error is the refusal of an activity that has
	// ended, is offline, or is sold out for good.
	Chances(ctx context.Context, activity string) (int64, error)
}

// Unknown is the number of chances while it can't be read.
const Unknown = -1

// Deps is what the waiting rooms depend on.
type Deps struct {
	Sales Sales
	Lua   *lua.Scripts
	Clock *clock.Clock
}
