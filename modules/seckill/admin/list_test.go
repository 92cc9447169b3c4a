package admin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/test/kit"
)

// All drafts are of the same moment, so that their ids decide the order.
func TestThePagesOfActivitiesHaveEachOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		d := newDesk(t, stores, stores.Redis, func(*admin.Deps) {})
		made, listed := map[string]bool{}, map[string]bool{}
		for range 5 {
			made[d.drafts(t, func(*seckill.Activity) {})] = true
		}
		pages := 0
		for page := (api.KeyPage{Page: 1, Size: 2}); ; page = (api.KeyPage{Size: 2, After: page.After}) {
			list, err := d.activities.List(t.Context(), admin.Filter{State: seckill.Draft}, page)
			require.NoError(t, err)
			if pages++; pages == 1 {
				assert.EqualValues(t, 5, *list.Total)
			}
			for _, a := range list.Items {
				assert.False(t, listed[a.ID], "twice")
				listed[a.ID] = true
			}
			if page.After = list.NextCursor; page.After == "" {
				break
			}
		}
		assert.Equal(t, 3, pages)
		assert.Equal(t, made, listed)

		for name, f := range map[string]admin.Filter{
			"published":   {State: seckill.Published},
			"made later":  {From: api.Millis(noon.Add(time.Millisecond).UnixMilli())},
			"made before": {To: api.Millis(noon.UnixMilli())},
		} {
			list, err := d.activities.List(t.Context(), f, api.KeyPage{Page: 1, Size: 10})
			require.NoError(t, err)
			assert.Empty(t, list.Items, name)
		}
		_, err := d.activities.List(t.Context(), admin.Filter{}, api.KeyPage{Size: 2, After: "x"})
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err))
	})
}
