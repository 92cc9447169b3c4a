package admin_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/stage"
)

func TestACrowdOfInstancesAnnouncesEachStepOfASaleOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		announced := func() (sum int) {
			for _, n := range kit.AtOnce(8, func(int) int {
				n, err := s.Activities.Announce(context.WithoutCancel(t.Context()))
				assert.NoError(t, err)
				return n
			}) {
				sum += n
			}
			return sum
		}
		assert.Equal(t, 1, announced(), "it has started")
		assert.Zero(t, announced())
		o := s.Place(t, "ann", 10)
		s.Move(t)
		assert.Equal(t, 1, announced(), "it has sold out")
		require.NoError(t, s.Canceller.Cancel(t.Context(), o.User, o.Number, ""))
		assert.Zero(t, announced(), "units came back")
		s.Place(t, "bob", 10)
		s.Move(t)
		assert.Equal(t, 1, announced(), "it has sold out again")
		_, err := s.Activities.Offline(t.Context(), s.Activity)
		require.NoError(t, err)
		assert.Zero(t, announced(), "taking it offline has told its end")
	})
}
