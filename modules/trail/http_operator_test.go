package trail

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/modules/api"
	"onrush/modules/problem"
)

func TestAShopSeesItsRefusalsWithManyOfOthersAndOneSaleThatCannotBeRead(t *testing.T) {
	t.Parallel()
	shopOf := func(_ context.Context, sale string) (string, error) {
		switch sale {
		case "broken":
			return "", problem.Unavailable(nil, "The sale can't be read right now.")
		case "gone":
			return "", problem.NotFound("activity")
		}
		return sale, nil
	}
	h := NewHTTPOperator(nil, nil, shopOf, nil)
	refusals := []Refusal{{}, {Activity: "gone"}}
	for i := range 2 * maxRefusals {
		refusals = append(refusals, Refusal{Activity: "other", User: fmt.Sprint(i)})
	}
	refusals = append(refusals, Refusal{Activity: "own"})
	ctx := api.WithShop(t.Context(), "own")
	seen, all := h.ofShop(ctx, refusals)
	assert.Equal(t, []Refusal{{Activity: "own"}}, seen)
	assert.True(t, all)
	seen, all = h.ofShop(ctx, append([]Refusal{{Activity: "broken"}}, refusals...))
	assert.Equal(t, []Refusal{{Activity: "own"}}, seen)
	assert.False(t, all)
	seen, all = h.ofShop(t.Context(), refusals)
	assert.Len(t, seen, maxRefusals)
	assert.True(t, all)
}
