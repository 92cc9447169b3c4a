package admin_test

import (
	"strings"
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

// A search finds a part of a title or an id as it is written, in any case, and adds to the other filters.
func TestActivitiesAreFoundByAPartOfTheirTitleOrID(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		d := newDesk(t, stores, stores.Redis, func(*admin.Deps) {})
		titled := func(title string) string {
			return d.drafts(t, func(a *seckill.Activity) { a.Title = title })
		}
		lamps, half, tea := titled("Lamps at noon"), titled("50% off_now!"), titled("茶 Tea")
		for text, want := range map[string][]string{
			"LAMP": {lamps}, "at noon": {lamps}, "茶": {tea}, "0%": {half}, "f_n": {half}, "w!": {half},
			"%": {half}, "_": {half}, "o_f": {}, lamps[1:8]: {lamps}, strings.ToUpper(tea): {tea}, "desk": {},
		} {
			list, err := d.activities.List(t.Context(), admin.Filter{Text: text}, api.KeyPage{Page: 1, Size: 10})
			require.NoError(t, err)
			found := []string{}
			for _, a := range list.Items {
				found = append(found, a.ID)
			}
			assert.Equal(t, want, found, text)
			assert.EqualValues(t, len(want), *list.Total, text)
		}
		for _, f := range []admin.Filter{
			{Text: "lamp", State: seckill.Published}, {Text: "lamp", Shop: "other"},
		} {
			list, err := d.activities.List(t.Context(), f, api.KeyPage{Page: 1, Size: 10})
			require.NoError(t, err)
			assert.Empty(t, list.Items)
		}
	})
}

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
