package lua

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// PermitCode is the result of take_permit.lua.
type PermitCode int

// The results of TakePermit.
const (
	PermitTaken     PermitCode = 1
	PermitNone      PermitCode = 0 // the maximum number is issued
	PermitSoldOut   PermitCode = -1
	PermitNotLoaded PermitCode = -7
)

// TakePermit issues a user a permit of a sku that is valid for ttl, but not beyond endsMS; a user who
// has an unexpired one gets the same again. At most ceil(units left × ratio) are issued at once.
// expiresMS is set only with PermitTaken; nowMS is Redis TIME in ms.
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
