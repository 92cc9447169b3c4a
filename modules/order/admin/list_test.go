package admin

import (
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
	"onrush/test/stage"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// insert stores n orders, one a second from the given one on, of two sales and all states.
func insert(t *testing.T, s *kit.Stores, from, n int) {
	t.Helper()
	for at := from; at < from+n; at += 1000 {
		orders := make([]*order.Order, 0, 1000)
		for i := at; i < min(at+1000, from+n); i++ {
			placed := noon.Add(time.Duration(i) * time.Second)
			orders = append(orders, &order.Order{
				Number: order.NewNumber(placed, 0, 1), Task: fmt.Sprint(i), Status: statuses[i%len(statuses)],
				User: fmt.Sprint("u", i%100),
				Content: order.Content{
					Type: order.Ordinary, Kind: catalogue.Virtual, Activity: fmt.Sprint("sale-", i%2),
					PlacedAt: api.Millis(placed.UnixMilli()), Remark: "=1+1", Room: fmt.Sprint("room-", i%30),
					ShareCode: fmt.Sprint("code-", i%70), ShareSource: fmt.Sprint("from-", i%20),
					Inviter: fmt.Sprint("u", i%60), Items: []order.Item{{SKU: fmt.Sprint("sku-", i%3), Quantity: 1}},
				},
			})
		}
		require.NoError(t, s.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			return order.Insert(t.Context(), tx, orders, nil)
		}))
	}
}

func TestOrdersByCursorAreEachListedOnceWhileOthersAreInserted(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		insert(t, s, 0, 300)
		next := 300
		require.NoError(t, stage.Archive(t.Context(), s.DB, `number % 3 = 0`))
		for _, f := range []Filter{
			{},
			{Activity: "sale-1"},
			{Status: order.Paid},
			{Activity: "sale-1", Status: order.Paid},
			{
				From: api.Millis(noon.Add(10 * time.Second).UnixMilli()),
				To:   api.Millis(noon.Add(90 * time.Second).UnixMilli()),
			},
		} {
			want := map[string]bool{}
			for i := range next {
				at := api.Millis(noon.Add(time.Duration(i) * time.Second).UnixMilli())
				if (f.Activity == "" || i%2 == 1) && (f.Status == "" || i%5 == 1) && at >= f.From &&
					(f.To == 0 || at < f.To) {
					want[order.NewNumber(at.Time(), 0, 1).String()] = true
				}
			}
			page := api.Page{Page: 1, Size: 7}
			for {
				list, err := NewService(s.DB, stored{}).List(t.Context(), f, page)
				require.NoError(t, err)
				for _, v := range list.Items {
					assert.True(t, want[v.Number.String()], "%+v lists %s, or lists it twice", f, v.Number)
					delete(want, v.Number.String())
				}
				if list.NextCursor == "" {
					break
				}
				insert(t, s, next, 1)
				next++
				require.NoError(t, stage.Archive(t.Context(), s.DB, `number IN (SELECT n FROM (
					SELECT MAX(number) AS n FROM orders) AS newest)`))
				before, err := order.ParseNumber(list.NextCursor)
				require.NoError(t, err)
				page = api.Page{Size: 7, Before: int64(before)}
			}
			assert.Empty(t, want, "%+v misses orders", f)
		}
	})
}

func TestOrdersAreListedFromIndexesInTheirOrder(t *testing.T) {
	t.Parallel()
	s := kit.OnReal(t)
	rows, other := 3000, ""
	if !kit.IsMariaDB() {
		rows = 30_000 // MySQL sorts a few thousand rows
		other = "PRIMARY"
	}
	insert(t, s, 0, rows)
	require.NoError(t, stage.Archive(t.Context(), s.DB, `number % 3 = 0`))
	below := s.Below(t)
	_, err := below.Write.ExecContext(t.Context(), `ANALYZE TABLE orders, orders_archive, order_labels`)
	require.NoError(t, err)
	for index, f := range map[string]Filter{
		"orders_status_number":    {Status: order.Paid},
		"orders_activity_status":  {Activity: "sale-1", Status: order.Paid},
		"orders_activity_status ": {Activity: "sale-1", Status: order.Paid, SKU: "sku-1"},
		"orders_user":             {User: "u7"},

		"PRIMARY":      {From: 1, To: api.Millis(noon.Add(time.Minute).UnixMilli())},
		"order_labels": {Room: "room-7"}, "order_labels ": {Inviter: "u7", Activity: "sale-1"},
		"label  ":      {ShareSource: "from-7", ShareCode: "code-7", Status: order.Paid},
		"orders_user ": {User: "u7", Room: "room-7"},
	} {
		index := strings.TrimSpace(index)
		query, args := f.newest(0, 11, 0)
		plan := kit.Explain(t, below, query, args...)
		assert.True(t, strings.Contains(plan, index) || other != "" && strings.Contains(plan, other),
			"%s: %s", index, plan)
		for line := range strings.Lines(plan) { // the pages of the two tables are sorted together
			assert.True(t, strings.Contains(line, "UNION RESULT") || !strings.Contains(line, "filesort"), plan)
		}
	}
}

// A room that has few orders is listed without reading the million orders of its sale.
func TestOrdersOfASaleByWhatLedToThemAreReadFromItsIndex(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		insert(t, s, 0, 300)
		for _, f := range []Filter{
			{Activity: "sale-1", Room: "room-7"},
			{Activity: "sale-1", ShareCode: "code-7"},
			{Activity: "sale-1", ShareSource: "from-7"},
			{Activity: "sale-1", Inviter: "u7"},
		} {
			q := &counting{QueryerContext: s.DB.Read}
			found, err := f.numbers(t.Context(), q, 0, 500, 0)
			require.NoError(t, err)
			assert.NotEmpty(t, found)
			assert.Equal(t, 1, q.queries, "%+v: one query for all states", f)
		}
	})
}

func TestOperatorsFindOrdersByWhatLedToThem(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		const all = 300
		insert(t, s, 0, all)
		require.NoError(t, stage.Archive(t.Context(), s.DB, `number % 3 = 0`))
		service := NewService(s.DB, stored{})
		for _, row := range []struct {
			f     Filter
			meets func(i int) bool
		}{
			{Filter{Room: "room-7"}, func(i int) bool { return i%30 == 7 }},
			{Filter{ShareCode: "code-7"}, func(i int) bool { return i%70 == 7 }},
			{Filter{ShareSource: "from-7"}, func(i int) bool { return i%20 == 7 }},
			{Filter{Inviter: "u7"}, func(i int) bool { return i%60 == 7 }},
			{Filter{Room: "room-7", Activity: "sale-1"}, func(i int) bool { return i%30 == 7 && i%2 == 1 }},
			{Filter{Room: "room-7", Activity: "sale-0"}, func(int) bool { return false }},
			{
				Filter{ShareSource: "from-7", Status: statuses[2], Inviter: "u7"},
				func(i int) bool { return i%20 == 7 && i%5 == 2 && i%60 == 7 },
			},
			{Filter{SKU: "sku-1"}, func(i int) bool { return i%3 == 1 }},
			{Filter{SKU: "sku-1", Room: "room-7"}, func(i int) bool { return i%3 == 1 && i%30 == 7 }},
			{Filter{SKU: "sku-1", Activity: "sale-1", Status: statuses[2]}, func(i int) bool {
				return i%3 == 1 && i%2 == 1 && i%5 == 2
			}},
			{Filter{Room: "room-"}, func(int) bool { return false }},
			{Filter{ShareCode: "CODE-7"}, func(int) bool { return false }},
		} {
			want := []string{}
			for i := all - 1; i >= 0; i-- {
				if row.meets(i) {
					want = append(want, order.NewNumber(noon.Add(time.Duration(i)*time.Second), 0, 1).String())
				}
			}
			list, err := service.List(t.Context(), row.f, api.Page{Page: 1, Size: 100})
			require.NoError(t, err)
			assert.EqualValues(t, len(want), *list.Total, "%+v", row.f)
			listed := []string{}
			for _, v := range list.Items {
				listed = append(listed, v.Number.String())
			}
			assert.Equal(t, want, listed, "%+v", row.f)
			rows, err := service.CSV(row.f)(t.Context())
			require.NoError(t, err)
			written := []string{}
			for _, r := range rows {
				written = append(written, r[0])
			}
			assert.Equal(t, want, written, "the file, %+v", row.f)
		}
	})
}

// heapOf returns the heap in use after a collection, in bytes.
func heapOf() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestAFileOfManyOrdersNeedsTheMemoryOfAPage(t *testing.T) { //nolint:paralleltest // it measures the heap
	fileNeedsAPage(t, 20_000)
}

// fileNeedsAPage reads the file of n orders, which take about 1 KB each.
func fileNeedsAPage(t *testing.T, n int) {
	t.Helper()
	s := kit.OnEmbedded(t)
	insert(t, s, 0, n)
	next := NewService(s.DB, stored{}).CSV(Filter{})
	before, most, rows, last := heapOf(), uint64(0), 0, "~"
	for {
		page, err := next(t.Context())
		require.NoError(t, err)
		if len(page) == 0 {
			break
		}
		for _, row := range page {
			require.Len(t, row, len(csvHeader))
			require.Less(t, row[0], last, "newest first, each once")
			last = row[0]
		}
		if rows += len(page); rows%(n/10) == 0 {
			most = max(most, heapOf())
		}
	}
	assert.Equal(t, n, rows)
	assert.Less(t, int64(most)-int64(before), int64(8<<20), "bytes of heap above those before the file")
}

func TestNotesAreBoundedWith48OperatorsAtOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		insert(t, s, 0, 1)
		notes := NewNotes(s.DB, kit.NewClock(noon).Now, rand.Uint32)
		number := order.NewNumber(noon, 0, 1)
		_, err := notes.Add(t.Context(), number+1, "anna", "x")
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		errs := make([][]error, 48)
		kit.Crowd(len(errs), func(w int) {
			for i := range 5 {
				_, err := notes.Add(t.Context(), number, fmt.Sprint("operator-", w), fmt.Sprint(i))
				errs[w] = append(errs[w], err)
			}
		})
		refused := 0
		for _, of := range errs {
			for _, err := range of {
				if err != nil {
					require.Equal(t, problem.CodeConflict, problem.CodeOf(err), err)
					refused++
				}
			}
		}
		assert.Equal(t, 48*5-maxNotes, refused)
		list, err := notes.Of(t.Context(), number)
		require.NoError(t, err)
		assert.Len(t, list, maxNotes)
	})
}

func TestSearchFindsEachKindFromAnIndex(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		insert(t, s, 0, 30)
		_, err := s.DB.Write.ExecContext(t.Context(), `INSERT INTO order_labels (name, value, number)
			SELECT 'client_reference', 'PO/1', number FROM orders`)
		require.NoError(t, err)
		number := order.NewNumber(noon, 0, 1).String()
		_, err = s.DB.Write.ExecContext(t.Context(), `INSERT INTO vouchers (order_number, line, unit, code, status)
			VALUES (?, 1, 1, 'CODE-1', 'active')`, number)
		require.NoError(t, err)
		find := func(q string) []api.Hit {
			hits, err := NewService(s.DB, stored{}).Find(context.WithoutCancel(t.Context()), q, maxHits)
			require.NoError(t, err)
			return hits
		}
		at := "/admin/api/v1/orders/" + number
		assert.Equal(t, []api.Hit{{Kind: "order", ID: number, Link: at, Status: "unpaid"}}, find(number))
		assert.Equal(t, []api.Hit{{Kind: "voucher", ID: "CODE-1", Link: at}}, find("CODE-1"))
		assert.Equal(t, []api.Hit{{Kind: "user", ID: "u7", Link: "/admin/api/v1/orders?user_id=u7"}}, find("u7"))
		assert.Len(t, find("PO/1"), maxHits)
		for _, q := range []string{"code-1", "PO/", "%", "_", "'", "0", "1e3"} {
			assert.Empty(t, find(q), q)
		}
	})
}

func TestRowsOfTheFileAreReadBackAsTheyWere(t *testing.T) {
	t.Parallel()
	row := csvRow(&order.Order{
		Number: 5,
		Content: order.Content{
			Remark: "a \"b\",\r\nc", Address: &catalogue.Address{Receiver: "Ada", Phone: "+44"},
			Items: []order.Item{{SKU: "s", Quantity: 2}, {SKU: "t", Quantity: 1}},
		},
	})
	var text strings.Builder
	w := csv.NewWriter(&text)
	require.NoError(t, w.Write(csvHeader))
	require.NoError(t, w.Write(row))
	w.Flush()
	read, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	require.NoError(t, err)
	require.Len(t, read, 2)
	got := map[string]string{}
	for i, name := range read[0] {
		got[name] = read[1][i]
	}
	assert.Equal(t, "s x 2; t x 1", got["items"])
	assert.Equal(t, "+44", got["phone"])
	assert.Equal(t, `a "b", c`, got["remark"], "in one line")
	assert.Empty(t, got["paid_at"])
}

// counting counts queries and the rows that they return.
type counting struct {
	sqlx.QueryerContext
	queries, rows int
}

func (c *counting) QueryxContext(ctx context.Context, query string, args ...any) (*sqlx.Rows, error) {
	var n int
	if err := c.QueryRowxContext(ctx, `SELECT COUNT(*) FROM (`+query+`) AS found`, args...).Scan(&n); err != nil {
		return nil, err
	}
	c.queries++
	c.rows += n
	return c.QueryerContext.QueryxContext(ctx, query, args...)
}

// SQL skips to a deep page: it reads the rows of this page, and not of all pages before it.
func TestADeepPageReadsOnlyItsOwnRows(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		insert(t, s, 0, 500)
		for _, f := range []Filter{{}, {Activity: "sale-1"}, {Activity: "sale-1", Status: order.Paid}} {
			all, err := f.numbers(t.Context(), s.DB.Read, 0, 500, 0)
			require.NoError(t, err)
			for _, offset := range []int{0, 20, len(all) - 5, len(all) + 5} {
				q := &counting{QueryerContext: s.DB.Read}
				page, err := f.numbers(t.Context(), q, 0, 10, offset)
				require.NoError(t, err)
				from := min(offset, len(all))
				assert.Equal(t, all[from:min(from+10, len(all))], append([]order.Number{}, page...),
					"%+v from %d", f, offset)
				assert.LessOrEqual(t, q.rows, 10*len(statuses), "%+v from %d", f, offset)
			}
		}
	})
}
