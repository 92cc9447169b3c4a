package waitlist

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestUnitsAreOfferedInOrderAndKeptInTurns(t *testing.T) {
	t.Parallel()
	const within, start = 100, 1000
	wants := func(id string, quantity, passedMS int64) Entry {
		return Entry{SKU: "s", Point: "0", ID: id, Quantity: quantity, PassedMS: passedMS}
	}
	two := func(passedMS int64) []Entry {
		return []Entry{wants("a", 2, passedMS), wants("b", 1, 0), wants("c", 1, 0)}
	}
	large := []Entry{wants("a", 3, start), wants("b", 2, start+within), wants("c", 1, 0)}
	for name, row := range map[string]struct {
		entries        []Entry
		left, may      int64
		nowMS          int64
		offers, passed []string
		kept           bool
	}{
		"nothing is left":           {two(0), 0, 9, start, nil, nil, true},
		"the first comes first":     {two(0), 2, 9, start, []string{"a"}, nil, true},
		"and then the next":         {two(0), 3, 9, start, []string{"a", "b"}, nil, true},
		"all are served":            {two(0), 9, 9, start, []string{"a", "b", "c"}, nil, false},
		"one goes ahead of two":     {two(0), 1, 9, start, []string{"b"}, []string{"a"}, true},
		"for within":                {two(start), 1, 9, start + within - 1, []string{"b"}, nil, true},
		"then it is kept":           {two(start), 1, 9, start + within, nil, nil, true},
		"for as long":               {two(start), 1, 9, start + 2*within, []string{"b"}, nil, true},
		"and kept again":            {two(start), 1, 9, start + 3*within, nil, nil, true},
		"until there are enough":    {two(start), 2, 9, start + within, []string{"a"}, nil, true},
		"but not for the hopeless":  {two(start), 1, 1, start + within, []string{"b"}, nil, true},
		"everybody goes ahead":      {two(0)[:1], 1, 9, start, nil, []string{"a"}, false},
		"but not for ever":          {two(start)[:1], 1, 9, start + within, nil, nil, true},
		"for the first, in turns":   {large, 1, 9, start + within, nil, nil, true},
		"and not for the second":    {large[:2], 1, 9, start + 2*within, nil, nil, false},
		"but if the first can't":    {large[:2], 1, 2, start + 2*within, nil, nil, true},
		"a clock that was set back": {two(start), 1, 9, start - 5*within, []string{"b"}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			has := map[string]units{"s~0": {row.left, row.may}}
			offers, passed, kept := plan(row.entries, has, map[string]bool{}, row.nowMS, within)
			ids := func(entries []Entry) (ids []string) {
				for _, e := range entries {
					ids = append(ids, e.ID)
				}
				return ids
			}
			assert.Equal(t, row.offers, ids(offers), "offers")
			assert.Equal(t, row.passed, ids(passed), "passed")
			assert.Equal(t, row.kept, kept["s~0"], "kept")
		})
	}
}

// However units come back one by one, whoever waits for two of them gets them, within a bounded time.
func TestWhoeverWaitsForTwoIsNotPassedForEver(t *testing.T) {
	t.Parallel()
	const within = 1000
	waits := []Entry{{SKU: "s", Point: "0", ID: "two", Quantity: 2}}
	left := int64(0)
	for nowMS := int64(1); nowMS < 3*within; nowMS += 100 {
		left++ // a unit comes back, and another buyer waits for one
		waits = append(waits, Entry{SKU: "s", Point: "0", ID: "one", Quantity: 1})
		offers, passed, _ := plan(waits, map[string]units{"s~0": {left, 100}}, map[string]bool{}, nowMS, within)
		for _, e := range offers {
			if e.ID == "two" {
				return
			}
			left -= e.Quantity
			waits = slices.Delete(waits, 1, 2)
		}
		if len(passed) > 0 {
			waits[0].PassedMS = nowMS
		}
	}
	assert.Fail(t, "it was passed again and again")
}
