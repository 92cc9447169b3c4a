package admit

import (
	"onrush/modules/problem"
	"onrush/modules/segments"
)

// errNotInSegment doesn't name the segments: not every shop tells its buyers in which ones they are.
var errNotInSegment = problem.RefusedBy("segments", problem.Errorf(CodeNotInSegment,
	"This sale is for certain buyers only, and you are not one of them."))

// ToSegments returns why a buyer who is in some segments may not buy in a sale for others; nil if the buyer may. A sale
// for no segments is for everybody. It needs no store, and allocates nothing.
func ToSegments(sale, buyer segments.Set) error {
	if sale == "" || sale.Meets(buyer) {
		return nil
	}
	return errNotInSegment
}
