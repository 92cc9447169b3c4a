package admit_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
	"onrush/modules/seckill/gates/admit"
	"onrush/modules/segments"
)

func TestASaleForSegmentsIsForTheirBuyersOnly(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		sale, buyer segments.Set
		may         bool
	}{
		{"", "", true},
		{"", "gold", true},
		{"gold", "gold", true},
		{"gold vip", "vip", true},
		{"gold vip", "new staff vip", true},
		{"gold", "", false},
		{"gold", "golden", false},
		{"golden", "gold", false},
		{"gold vip", "new silver", false},
	} {
		err := admit.ToSegments(row.sale, row.buyer)
		if row.may {
			require.NoError(t, err, row)
			continue
		}
		refused, ok := errors.AsType[*problem.Error](err)
		require.True(t, ok, row)
		assert.Equal(t, problem.Code{Name: "not_in_segment", Status: 403}, refused.Code)
		assert.Equal(t, "segments", refused.Gate)
		assert.NotContains(t, refused.Detail, "gold")
	}
}
