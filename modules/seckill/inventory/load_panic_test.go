package inventory_test

import (
	"slices"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/panics"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestPanicWhileFillingFailsTheLoad(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		s.PlaceMany(t, 3)
		s.Move(t)
		s.Flush(t)
		odd := stage.BeforeEach(t, stores, func(cmd redis.Cmder) {
			if slices.Contains(cmd.Args(), any("fill")) {
				panic("out of order")
			}
		})
		err := s.StartOn(t, nil, stores.DB, odd).Loader.Load(t.Context(), s.Activity)
		var panicked *panics.Error
		require.ErrorAs(t, err, &panicked)
		s.Load(t)
		assert.Equal(t, "7", s.Left(t, ""))
		s.Balanced(t)
	})
}
