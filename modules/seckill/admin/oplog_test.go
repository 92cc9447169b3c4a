package admin

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/modules/seckill"
)

func TestTheRecordOfALargeSaleHasTheSumOfEachSKU(t *testing.T) {
	t.Parallel()
	stockOf := func(points int) []adminStock {
		g := seckill.ActivitySKU{SKU: "lamp"}
		for i := range points {
			g.Stock = append(g.Stock, seckill.PointStock{Point: fmt.Sprint(i), Total: 2})
		}
		return loggedActivity(&seckill.Activity{SKUs: []seckill.ActivitySKU{g}}).(adminActivity).SKUs[0].Stock
	}
	assert.Len(t, stockOf(maxNotedStock), maxNotedStock)
	assert.Equal(t, []adminStock{{Point: "*", Quantity: 2 * (maxNotedStock + 1)}}, stockOf(maxNotedStock+1))
	assert.Nil(t, loggedActivity(nil))
}
