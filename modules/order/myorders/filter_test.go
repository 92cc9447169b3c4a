package myorders

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/problem"
)

func TestFilterThatNoCachedOrderMeetsSkipsRedis(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		filter Filter
		want   bool
	}{
		"no filter":         {Filter{}, true},
		"unpaid":            {Filter{Status: order.Unpaid}, true},
		"paid":              {Filter{Status: order.Paid}, false},
		"failed":            {Filter{Status: order.Failed}, false},
		"seckill":           {Filter{Type: order.Seckill}, true},
		"ordinary":          {Filter{Type: order.Ordinary}, false},
		"recent":            {Filter{Period: LastThreeMonths}, true},
		"older":             {Filter{Period: Older}, false},
		"number of lane 3":  {Filter{Number: order.NewNumber(listNow, 3, 1)}, true},
		"an ordinary order": {Filter{Number: order.NewNumber(listNow, 0, 1)}, false},
	} {
		assert.Equal(t, tc.want, tc.filter.match("u", listNow).cacheable(), name)
	}
}

func TestThreeMonthsEndAtTheSameSecondForBothPeriods(t *testing.T) {
	t.Parallel()
	edge := time.Date(2026, 2, 28, 12, 30, 45, 0, time.UTC) // there is no 31 February
	recent, older := Filter{Period: LastThreeMonths}.match("u", listNow), Filter{Period: Older}.match("u", listNow)
	for at, isRecent := range map[time.Time]bool{edge: true, edge.Add(-time.Second): false} {
		o := &order.Order{User: "u", Number: order.NewNumber(at, order.MaxLane, order.SeqMask)}
		assert.Equal(t, isRecent, recent.meets(o))
		assert.Equal(t, !isRecent, older.meets(o))
	}
}

func TestThreeMonthsBeforeTheEndOfALongMonthIsTheEndOfTheShortOne(t *testing.T) {
	t.Parallel()
	for now, want := range map[string]string{
		"2026-05-31": "2026-02-28", "2028-05-31": "2028-02-29", "2026-05-29": "2026-02-28", "2026-05-28": "2026-02-28",
		"2026-12-31": "2026-09-30", "2026-07-31": "2026-04-30", "2026-01-31": "2025-10-31", "2026-03-15": "2025-12-15",
		"2026-02-28": "2025-11-28",
	} {
		at, err := time.Parse(time.DateOnly, now)
		require.NoError(t, err)
		assert.Equal(t, want, threeMonthsBefore(at).Format(time.DateOnly), now)
	}
}

func TestFilterRefusesValuesThatNoOrderHas(t *testing.T) {
	t.Parallel()
	for _, f := range []Filter{
		{Status: "open"},
		{Type: "flash"},
		{Kind: "gift"},
		{Shop: "shop a"},
		{Period: "yesterday"},
		{Name: "a\x00b"},
		{Name: "\xff"},
		{Number: -1},
	} {
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(f.check()), "%+v", f)
	}
	assert.NoError(t, Filter{Name: "50% off_", Shop: "shop-1"}.check())
}
