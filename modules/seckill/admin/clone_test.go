package admin

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/lua"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/waves"
)

// Clone puts the detail into a sentence of its own, which ends with a full stop.
func TestTheReasonOfARefusedCloneHasNoFullStop(t *testing.T) {
	t.Parallel()
	wrong := []problem.Field{{Name: "shop_id", Detail: "must be set"}, {Name: "title", Detail: "must be set"}}
	assert.Equal(t, "shop_id: must be set", detailOf(problem.InvalidFields(wrong[:1])))
	assert.Equal(t, "2 fields are not valid", detailOf(problem.InvalidFields(wrong)))
}

// Units were taken out of the stock since it was published: the copy can't reserve more than it has.
func TestACopyReservesNoMoreUnitsThanItsStockHas(t *testing.T) {
	t.Parallel()
	assert.Equal(t, waves.Plan{{Point: "0", Quantity: 3}, {Point: "n", Quantity: 2}}, reservable(seckill.ActivitySKU{
		Stock: []seckill.PointStock{{Point: "0", Total: 3}, {Point: "n", Total: 9}, {Point: "s"}},
		Reserved: []lua.Wave{
			{Point: "0", Quantity: 5},
			{Point: "n", Quantity: 2},
			{Point: "s", Quantity: 1},
			{Point: "gone", Quantity: 1},
		},
	}))
}
