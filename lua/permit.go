package lua

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// PermitCode is the answer of take_permit.lua.
type PermitCode int

// The answers to a permit.
const (
	PermitTaken     PermitCode = 1
	PermitNone      PermitCode = 0 // as many are out as may be
	PermitSoldOut   PermitCode = -1
	PermitNotLoaded PermitCode = -7
)

// TakePermit gives a user a permit of a sku that lives for ttl, but not beyond endsMS; a user who
// has one gets the same again. At most ceil(units left × ratio) are out at once. ExpiresMS is set
// with PermitTaken; nowMS is Redis TIME in ms.
func (s *Scripts) TakePermit(
	ctx context.Context, lane int, activity, user, sku string, ratio float64, ttl time.Duration, endsMS int64,
) (code PermitCode, expiresMS, nowMS int64, err error) {
	keys := []string{s.Keys.Permits(lane, activity, sku), s.Keys.Stock(lane, activity)}
	reply, err := takePermit.Run(ctx, s.Redis, keys,
		user, sku, strconv.FormatFloat(ratio, 'f', -1, 64), ttl.Milliseconds(), endsMS).Int64Slice()
	if err != nil {
		return 0, 0, 0, fmt.Errorf("take a permit of sku %s in activity %s: %w", sku, activity, err)
	}
	if len(reply) != 3 {
		return 0, 0, 0, fmt.Errorf("take a permit of sku %s in activity %s: script returned %d values",
			sku, activity, len(reply))
	}
	switch code = PermitCode(reply[0]); code {
	case PermitTaken, PermitNone, PermitSoldOut, PermitNotLoaded:
		return code, reply[1], reply[2], nil
	default:
		return 0, 0, 0, fmt.Errorf("take a permit of sku %s in activity %s: %w", sku, activity, unknownCode(reply[0]))
	}
}
