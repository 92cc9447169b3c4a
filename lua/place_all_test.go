package lua

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCallsOfOneRoundTripHaveOutcomesOfTheirOwn places in a sale, in one that isn't loaded, with a call that the script
// refuses, and in the first one again; on a server that knows the script, and on one that doesn't.
func TestCallsOfOneRoundTripHaveOutcomesOfTheirOwn(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]bool{"known": true, "unknown": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := newStores(t)
			sale(t, all)
			all.each(t, func(s *Scripts) error {
				if known {
					_, _, err := s.Place(t.Context(), &PlaceCall{Lane: lane, Activity: activity})
					return err
				}
				return s.Redis.ScriptFlush(t.Context()).Err()
			})
			broken := buy("3", "eve", 0)
			calls := []*PlaceCall{
				{Lane: lane, Activity: activity, Orders: []PlaceOrder{buy("1", "ada", 2), buy("2", "bob", 1)}},
				{Lane: lane, Activity: "another", Orders: []PlaceOrder{buy("4", "cy", 1)}},
				{Lane: lane, Activity: activity, Orders: []PlaceOrder{broken}},
				{Lane: lane, Activity: activity, Orders: []PlaceOrder{buy("1", "ada", 2), buy("5", "dan", 4)}},
			}
			all.each(t, func(s *Scripts) error {
				replies := s.PlaceAll(t.Context(), calls)
				require.Len(t, replies, len(calls))
				codes := func(i int) (codes []PlaceCode) {
					require.NoError(t, replies[i].Err)
					assert.Positive(t, replies[i].NowMS)
					for _, r := range replies[i].Results {
						codes = append(codes, r.Code)
					}
					return codes
				}
				assert.Equal(t, []PlaceCode{Placed, Placed}, codes(0))
				assert.Equal(t, []PlaceCode{NotLoaded}, codes(1))
				require.ErrorContains(t, replies[2].Err, "not a whole number")
				assert.Equal(t, []PlaceCode{Replayed, SoldOut}, codes(3))
				left, err := s.Redis.HGet(t.Context(), s.Keys.Stock(lane, activity), "sku1~0").Int()
				assert.Equal(t, 3, left)
				return err
			})
		})
	}
}
