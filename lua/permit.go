package lua

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// PermitCode is the result of take_permit.lua.
type PermitCode int

// The results of TakePermits.
const (
	PermitTaken             PermitCode = 1
	PermitNone              PermitCode = 0 // the maximum number is issued
	PermitSoldOut           PermitCode = -1
	PermitOverActivityLimit PermitCode = -2 // the user may not buy another unit in the activity
	PermitOverSKULimit      PermitCode = -3 // the user may not buy another unit of the sku
	PermitNotLoaded         PermitCode = -7
)

// PermitCall is a call of take_permit.lua: users who ask for permits of one sku, in the order in which they
// asked.
type PermitCall struct {
	Lane          int
	Activity, SKU string
	Ratio         float64 // at most ceil(units left × Ratio) permits are issued at once
	TTL           time.Duration
	EndsMS        int64 // no permit is valid longer
	Users         []string
	Keys          []string // the limit keys under which their units are counted; nil: the users
}

// Permit is the result for one user. ExpiresMS is set only with PermitTaken, and Bought, the units that the user has
// bought, only if the user is over a limit.
type Permit struct {
	Code      PermitCode
	ExpiresMS int64
	Bought    int64
}

// TakePermits issues permits, and returns a result per user; a user who has an unexpired permit gets the same
// again. nowMS is Redis TIME in ms.
func (s *Scripts) TakePermits(ctx context.Context, c *PermitCall) (permits []Permit, nowMS int64, err error) {
	keys := []string{
		s.Keys.Permits(c.Lane, c.Activity, c.SKU), s.Keys.Stock(c.Lane, c.Activity),
		s.Keys.Meta(c.Lane, c.Activity), s.Keys.Bought(c.Lane, c.Activity),
	}
	args := make([]any, 0, 5+len(c.Users)+len(c.Keys))
	args = append(args, c.SKU, strconv.FormatFloat(c.Ratio, 'f', -1, 64), c.TTL.Milliseconds(), c.EndsMS, len(c.Users))
	for _, text := range slices.Concat(c.Users, c.Keys) {
		args = append(args, text)
	}
	reply, err := takePermit.Run(ctx, s.Redis, keys, args...).Int64Slice()
	if err == nil && len(reply) != 1+2*len(c.Users) {
		err = fmt.Errorf("script returned %d values", len(reply))
	}
	if err != nil {
		return nil, 0, fmt.Errorf("take permits of sku %s in activity %s: %w", c.SKU, c.Activity, err)
	}
	permits = make([]Permit, len(c.Users))
	for i := range permits {
		code := PermitCode(reply[1+2*i])
		switch code {
		case PermitTaken:
			permits[i] = Permit{Code: code, ExpiresMS: reply[2+2*i]}
		case PermitOverActivityLimit, PermitOverSKULimit:
			permits[i] = Permit{Code: code, Bought: reply[2+2*i]}
		case PermitNone, PermitSoldOut, PermitNotLoaded:
			permits[i] = Permit{Code: code}
		default:
			err = unknownCode(reply[1+2*i])
			return nil, 0, fmt.Errorf("take permits of sku %s in activity %s: %w", c.SKU, c.Activity, err)
		}
	}
	return permits, reply[0], nil
}
