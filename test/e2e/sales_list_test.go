package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// addSales stores n published sales without skus; every one has its own times.
func addSales(t *testing.T, stores *kit.Stores, prefix string, n int, startsIn, endsIn time.Duration) {
	t.Helper()
	now := time.Now()
	for from := 0; from < n; from += 100 {
		var rows []string
		for i := from; i < min(from+100, n); i++ {
			each := time.Duration(i) * time.Second
			rows = append(rows, fmt.Sprintf("('%s%04d', 's', 't', %d, %d, 900, -1, -1, 'published', 1, 1, 0, '', '')",
				prefix, i, now.Add(startsIn+each).UnixMilli(), now.Add(endsIn+each).UnixMilli()))
		}
		_, err := stores.DB.Write.ExecContext(context.WithoutCancel(t.Context()),
			`INSERT INTO activities (activity_id, shop_id, title,
			starts_ms, ends_ms, pay_within_s, purchase_limit, permit_ratio, state, lane, created_ms, retired_ms,
			description, images)
			VALUES `+strings.Join(rows, ","))
		require.NoError(t, err)
	}
}

// salesOf asks for a page of sales and returns their ids and the total.
func salesOf(t *testing.T, p *site.Person, query string) (ids []string, total int64) {
	t.Helper()
	list := p.ListActivities(t, query)
	for _, item := range list.Items {
		ids = append(ids, item.ActivityID)
	}
	return ids, list.Total
}

func TestRunningSaleIsListedWhenManyOthersEndLater(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		addSales(t, stores, "soon", 550, 24*time.Hour, 48*time.Hour)
		addSales(t, stores, "past", 3, -3*time.Hour, -2*time.Hour)
		addSales(t, stores, "gone", 3, -9*24*time.Hour, -8*24*time.Hour)
		running := s.Open(t, site.Sale{})
		alice := s.Buyer(t, "alice")

		ids, total := salesOf(t, alice, "state=running")
		assert.Equal(t, []string{running}, ids)
		assert.EqualValues(t, 1, total)
		ids, total = salesOf(t, alice, "page_size=3")
		assert.Equal(t, []string{running, "soon0000", "soon0001"}, ids, "running first, then the next to start")
		assert.EqualValues(t, 554, total, "what ended long ago is left out")
		ids, _ = salesOf(t, alice, "page_size=3&page=185")
		assert.Equal(t, []string{"past0001", "past0000"}, ids, "the last to end comes first")
		ids, _ = salesOf(t, alice, "state=ended&page_size=2&page=2")
		assert.Equal(t, []string{"past0000"}, ids)

		seen := map[string]bool{}
		for page := 1; page <= 80; page++ { // a page of 7 often lies in two blocks
			ids, total := salesOf(t, alice, fmt.Sprintf("state=upcoming&page_size=7&page=%d", page))
			assert.EqualValues(t, 550, total)
			for _, id := range ids {
				assert.False(t, seen[id], id)
				seen[id] = true
			}
		}
		assert.Len(t, seen, 550)
	})
}
