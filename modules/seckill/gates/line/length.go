package line

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
)

// Length is how many users are in a waiting room.
type Length struct {
	Waiting        int64   `json:"waiting"`  // places that are not admitted yet
	Admitted       int64   `json:"admitted"` // places that are admitted and have not expired
	PathsPerSecond float64 `json:"paths_per_second"`
	LastWaitsS     int64   `json:"last_waits_s"` // until the last of the waiting users is admitted, at this rate
}

// ReadLength reads the length of a sale's waiting room at nowMS through r, which may be a pipeline: then the result is
// there after it was sent. The result is nil if the sale has no waiting room.
func ReadLength(
	ctx context.Context, r redis.Cmdable, keys lua.Keys, sale Sale, nowMS int64,
) (result func() (*Length, error)) {
	if !sale.Room.On() {
		return func() (*Length, error) { return nil, nil }
	}
	gone, admitted := sale.Room.Expired(sale.StartsMS, nowMS), sale.Room.Admitted(sale.StartsMS, nowMS)
	if nowMS < sale.StartsMS {
		gone, admitted = 0, 0
	}
	late := keys.LineLate(sale.Lane, sale.Activity)
	early := r.ZCard(ctx, keys.LineEarly(sale.Lane, sale.Activity))
	lateIn := r.ZCount(ctx, late, number(gone), "("+number(admitted))
	lateOut := r.ZCount(ctx, late, number(admitted), "+inf")
	last := r.ZRevRangeWithScores(ctx, late, 0, 0)
	return func() (*Length, error) {
		for _, cmd := range []redis.Cmder{early, lateIn, lateOut, last} {
			if err := cmd.Err(); err != nil {
				return nil, fmt.Errorf("read the line of activity %s: %w", sale.Activity, err)
			}
		}
		// Early places have the positions below their number.
		length := &Length{
			Waiting:        max(early.Val()-admitted, 0) + lateOut.Val(),
			Admitted:       min(early.Val(), admitted) - min(early.Val(), gone) + lateIn.Val(),
			PathsPerSecond: sale.Room.PathsPerSecond,
		}
		if length.Waiting == 0 {
			return length, nil
		}
		position := early.Val() - 1
		if places := last.Val(); len(places) > 0 {
			position = max(position, int64(places[0].Score))
		}
		wait := sale.Room.wait(position, sale.StartsMS, nowMS)
		length.LastWaitsS = int64(math.Ceil(float64(max(wait, 0)) / 1000))
		return length, nil
	}
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
