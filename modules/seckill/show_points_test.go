package seckill

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/modules/catalogue"
)

// The view of a sale has the points of its physical goods, unless they are too many to send to a crowd.
func TestASaleShowsThePointsOfPhysicalGoods(t *testing.T) {
	t.Parallel()
	stocks := func(n int) (stocks []PointStock) {
		for i := range n {
			stocks = append(stocks, PointStock{Point: strconv.Itoa(i)})
		}
		return stocks
	}
	shown := func(points int) activityView {
		v := activityView{SKUs: make([]skuView, 2)}
		v.showPoints(&Activity{SKUs: []ActivitySKU{
			{Kind: catalogue.Virtual, Stock: stocks(1)}, {Kind: catalogue.Physical, Stock: stocks(points)},
		}})
		return v
	}
	assert.Nil(t, shown(2).SKUs[0].PointIDs)
	assert.Equal(t, []string{"0", "1"}, shown(2).SKUs[1].PointIDs)
	assert.Len(t, shown(maxPointIDs - 1).SKUs[1].PointIDs, maxPointIDs-1)
	assert.Nil(t, shown(maxPointIDs).SKUs[1].PointIDs)
}
