package myorders

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/test/kit"
)

func TestNamesAreFoundWithoutRegardToCaseAndForm(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		titles := []string{"Straßenkarte", "ΒΟΡΡΆΣ", "ＡＢＣ 手机", "Café", "ｶﾞﾗｽ", "100% LAMP_1"}
		w := &world{s: s, user: "reader", orders: map[order.Number]*order.Order{}}
		titled := func(i int, title string) *order.Order {
			return &order.Order{
				Number: order.NewNumber(listNow, 1, uint32(i+1)), Task: fmt.Sprint(i), User: w.user,
				Status: order.Unpaid,
				Content: order.Content{
					Type: order.Seckill, Activity: "sale", Items: []order.Item{{SKU: "s", Title: title, Quantity: 1}},
				},
			}
		}
		for i, title := range titles {
			require.NoError(t, w.place(ctx, titled(i, title)))
		}
		old := titled(len(titles), "ALTE STRAẞE") // stored by an older version
		require.NoError(t, w.store(ctx, old))
		_, err := s.DB.Write.ExecContext(ctx, `UPDATE orders SET search_name = ? WHERE number = ?`,
			strings.ToLower("ALTE STRAẞE"), old.Number)
		require.NoError(t, err)
		all := map[order.Number]string{old.Number: old.Items[0].Title}
		for i, title := range titles {
			all[titled(i, title).Number] = title
		}
		finds := func(where string) {
			for name, want := range map[string][]string{
				"STRASSENKARTE": {titles[0]}, "straße": {old.Items[0].Title, titles[0]},
				"βορρας": {}, "βορράς": {titles[1]}, "ΒΟΡΡΆΣ": {titles[1]},
				"abc": {titles[2]}, "ａｂｃ": {titles[2]}, "手机": {titles[2]},
				"cafe\u0301": {titles[3]}, "CAFÉ": {titles[3]}, "ガラス": {titles[4]}, "0% lamp_": {titles[5]}, "0_": {},
				"karte": {titles[0]},
			} {
				list, err := patientOrders(s).List(ctx, w.user, Filter{Name: name}, api.Page{Page: 1, Size: 10})
				require.NoError(t, err)
				found := []string{}
				for _, o := range list.Items {
					found = append(found, all[o.Number])
				}
				slices.Sort(found)
				slices.Sort(want)
				assert.Equal(t, want, found, "%s: %q", where, name)
			}
		}
		finds("cached")
		for i, title := range titles {
			require.NoError(t, w.move(ctx, titled(i, title)))
		}
		finds("stored")
	})
}

func TestTheLongestNamesFitIntoTheirColumn(t *testing.T) {
	t.Parallel()
	items := make([]order.Item, 100)
	for i := range items {
		items[i].Title = strings.Repeat("ﷺ", 200) // NFKC makes 18 characters of one
	}
	name := order.SearchName(&order.Order{Content: order.Content{Items: items}})
	assert.LessOrEqual(t, len(name), 65_535)
	assert.True(t, utf8.ValidString(name))
}
