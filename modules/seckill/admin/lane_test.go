package admin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
	"onrush/test/stage"
)

func TestSalesAreSharedOutAmongTheLanes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		sales := map[int]int{s.Lane: 1}
		for range 2*stage.Lanes - 1 {
			_, lane := s.Publish(t)
			sales[lane]++
		}
		assert.Equal(t, map[int]int{1: 2, 2: 2, 3: 2, 4: 2}, sales)
	})
}
