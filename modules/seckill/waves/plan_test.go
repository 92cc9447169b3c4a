package waves

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/problem"
)

var plan = Of([]lua.Wave{
	{Point: "b", AtMS: 30, Quantity: 4}, {Point: "b", AtMS: 20, Quantity: 2}, {Point: "a", AtMS: 20, Quantity: 1},
})

func TestUnitsOfAPlanOpenAtTheirTimes(t *testing.T) {
	t.Parallel()
	assert.EqualValues(t, 7, plan.Closed("", 19))
	assert.EqualValues(t, 4, plan.Closed("b", 20))
	assert.EqualValues(t, 0, plan.Closed("", 30))
	assert.EqualValues(t, 0, plan.Closed("c", 0))
	assert.EqualValues(t, 3, plan.Open("b", 9, 19))
	assert.EqualValues(t, 0, plan.Open("b", 5, 19), "fewer are left than are closed")
	next := func(point string, nowMS int64) []any {
		at, units, planned := plan.Next(point, nowMS)
		return []any{at, units, planned}
	}
	assert.Equal(t, []any{int64(20), int64(3), true}, next("", 0), "of all points")
	assert.Equal(t, []any{int64(20), int64(2), true}, next("b", 0))
	assert.Equal(t, []any{int64(30), int64(4), true}, next("", 20))
	assert.Equal(t, []any{int64(0), int64(0), false}, next("a", 20))
	assert.EqualValues(t, 30, plan.LastMS())
	assert.Zero(t, Plan(nil).LastMS())
	assert.EqualValues(t, 130, plan.Shifted(100).LastMS())
	assert.EqualValues(t, 30, plan.LastMS(), "the original stays")
}

func TestAPlanIsReadFromSQLAsItWasWritten(t *testing.T) {
	t.Parallel()
	for _, p := range []Plan{plan, nil} {
		text, err := p.Value()
		require.NoError(t, err)
		var read Plan
		require.NoError(t, read.Scan(text))
		assert.Equal(t, p, read)
	}
	var p Plan
	require.Error(t, p.Scan([]byte("20~1")))
	require.Error(t, p.Scan(nil))
}

// The column has room for as many waves as a sku may have, with the longest ids and numbers.
func TestTheColumnHasRoomForTheLongestPlan(t *testing.T) {
	t.Parallel()
	longest := make(Plan, MaxOfSKU)
	for i := range longest {
		longest[i] = lua.Wave{Point: string(make([]byte, 64)), AtMS: 253402300799999, Quantity: 1e9}
	}
	assert.LessOrEqual(t, len(longest.Text()), 9600)
}

func TestWavesOfADraftAreChecked(t *testing.T) {
	t.Parallel()
	sale := Sale{StartsMS: 10, EndsMS: 50, Units: map[string]int64{"a": 3, "b": 6}}
	wrong := func(waves ...lua.Wave) string {
		var checks problem.Checks
		Check(&checks, "waves", waves, sale)
		if len(checks) == 0 {
			return ""
		}
		return checks[0].Name
	}
	assert.Empty(t, wrong(plan...))
	assert.Empty(t, wrong())
	assert.Equal(t, "waves[0].point_id", wrong(lua.Wave{Point: "c", AtMS: 20, Quantity: 1}))
	assert.Equal(t, "waves[0].at", wrong(lua.Wave{Point: "a", AtMS: 10, Quantity: 1}))
	assert.Equal(t, "waves[0].at", wrong(lua.Wave{Point: "a", AtMS: 50, Quantity: 1}))
	assert.Equal(t, "waves[0].quantity", wrong(lua.Wave{Point: "a", AtMS: 20, Quantity: 4}))
	assert.Equal(t, "waves[1].quantity",
		wrong(lua.Wave{Point: "a", AtMS: 20, Quantity: 2}, lua.Wave{Point: "a", AtMS: 30, Quantity: 2}))
	assert.Equal(t, "waves[1].at",
		wrong(lua.Wave{Point: "a", AtMS: 20, Quantity: 1}, lua.Wave{Point: "a", AtMS: 20, Quantity: 1}))
	assert.Equal(t, "waves", wrong(make([]lua.Wave, MaxOfSKU+1)...))
}

func TestWhatHasOpenedStaysAndTheRestChanges(t *testing.T) {
	t.Parallel()
	const now, within = 25, 10
	a, b, later := plan[0], plan[1], plan[2] // the first two have opened
	other := lua.Wave{Point: "a", AtMS: 40, Quantity: 3}
	for name, c := range map[string]struct {
		to    []lua.Wave
		ends  int64
		want  Plan
		wrong string
	}{
		"the same":                 {to: plan, want: plan},
		"opened ones are left out": {to: []lua.Wave{later}, want: plan},
		"none":                     {to: nil, want: Plan{a, b}},
		"another one":              {to: []lua.Wave{b, other}, want: Plan{a, b, other}},
		"open now": {
			to: []lua.Wave{{Point: "b", AtMS: 24, Quantity: 4}}, want: Plan{a, b, {Point: "b", AtMS: 24, Quantity: 4}},
		},
		"a past one is changed":     {to: []lua.Wave{{Point: "b", AtMS: 15, Quantity: 3}}, wrong: "waves[0].at"},
		"more than is left":         {to: []lua.Wave{{Point: "b", AtMS: 40, Quantity: 7}}, wrong: "waves[0].quantity"},
		"no stock":                  {to: []lua.Wave{{Point: "c", AtMS: 40, Quantity: 1}}, wrong: "waves[0].point_id"},
		"after the end":             {to: []lua.Wave{{Point: "a", AtMS: 50, Quantity: 1}}, wrong: "waves[0].at"},
		"the end was moved forward": {to: plan, ends: 28, want: plan},
		"too many":                  {to: make([]lua.Wave, MaxOfSKU+1), wrong: "waves"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sale := Sale{StartsMS: 10, EndsMS: 50, Units: map[string]int64{"a": 3, "b": 6}}
			if c.ends > 0 {
				sale.EndsMS = c.ends
			}
			var checks problem.Checks
			got := plan.Change(&checks, "waves", c.to, sale, now, within)
			if c.wrong != "" {
				require.NotEmpty(t, checks)
				assert.Equal(t, c.wrong, checks[0].Name)
				return
			}
			require.Empty(t, checks)
			assert.Equal(t, c.want, got)
		})
	}
}
