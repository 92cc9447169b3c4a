package bench

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/lua"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
)

const (
	tenYearsOrders = 20_000 // by default
	// tenYearsDays is how old the oldest order is: ten years don't fit, since order numbers begin in 2024.
	tenYearsDays = 880
	// tenYearsLive is up to which age orders are filled in as live ones. The job archives those above order.MinKeep.
	tenYearsLive = order.MinKeep + 10*24*time.Hour
	// tenYearsAsks is how often each request is measured.
	tenYearsAsks = 300
)

// BenchmarkTenYears measures requests one after the other while SQL has very many finished orders, most of them in the
// archive, and logs the medians. ONRUSH_BENCH_TEN_YEARS sets how many; by default there are 20,000. The buffer pool has
// 2 GB. An order takes about 440 bytes on the disk: its record is short, so that 20 million fit into 10 GB.
//
//	ONRUSH_BENCH_TEN_YEARS=20000000 go test ./test/bench -bench TenYears -benchtime 1x -timeout 2h -v
func BenchmarkTenYears(b *testing.B) {
	skipLarge(b)
	stores := kit.Own(b, kit.FsyncEverySecond(), kit.BufferMB(manyBufferMB))
	y := newTenYears(b, stores.Stores, scale(b, tenYearsEnv, tenYearsOrders))
	y.fill(b)
	stores.Keys = lua.Keys{Prefix: lua.DefaultPrefix}
	s := site.Start(b, stores.Stores, site.Idle(), site.Configured(func(cfg *server.Config) {
		cfg.Keep.Orders = order.MinKeep
	}))
	for b.Loop() {
		y.measure(b, s)
	}
}

// tenYears are finished orders, spread evenly over the buyers and the time.
type tenYears struct {
	*filler

	buyers int
	now    time.Time
}

func newTenYears(b *testing.B, stores *kit.Stores, n int) *tenYears {
	b.Helper()
	f := newFiller(b, stores, n)
	f.exec(b, `DELETE FROM orders`)
	f.exec(b, `DELETE FROM order_labels`)
	return &tenYears{filler: f, buyers: n / listOrders, now: time.Now().Truncate(time.Second)}
}

// begins returns when the oldest order was placed.
func (y *tenYears) begins() time.Time { return y.now.AddDate(0, 0, -tenYearsDays) }

// live returns the first order that is filled in as a live one.
func (y *tenYears) live() int {
	old := time.Duration(tenYearsDays)*24*time.Hour - tenYearsLive
	return int(float64(y.n) * old.Hours() / (tenYearsDays * 24))
}

// fill stores the orders without the secondary indexes, and makes these afterwards, one by one.
func (y *tenYears) fill(b *testing.B) {
	b.Helper()
	began := time.Now()
	y.exec(b, `CREATE TABLE sequence (i INT NOT NULL PRIMARY KEY)`)
	y.exec(b, `INSERT INTO sequence VALUES `+sequence())
	_, _ = y.db.ExecContext(b.Context(), `SET GLOBAL innodb_log_file_size = 536870912`)
	live := y.live()
	for _, part := range []struct {
		table    string
		from, to int
	}{{"orders_archive", 0, live}, {"orders", live, y.n}} {
		adds := y.dropIndexes(b, part.table)
		for from := part.from; from < part.to; from += fillChunk {
			y.exec(b, y.copies(part.table), from, min(fillChunk, part.to-from))
		}
		for _, add := range adds {
			y.exec(b, `ALTER TABLE `+part.table+` `+add)
		}
		y.exec(b, `ANALYZE TABLE `+part.table)
	}
	b.Logf("%d orders, %d of them live, stored in %v", y.n, y.n-live, time.Since(began).Round(time.Second))
	for _, table := range []string{"orders", "orders_archive"} {
		b.Logf("%s: %s", table, y.texts(b, `SELECT CONCAT((data_length + index_length) DIV 1048576, ' MB')
			FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?`, table)[0])
	}
}

// dropIndexes drops the secondary indexes of a table and returns how ALTER TABLE adds them.
func (y *tenYears) dropIndexes(b *testing.B, table string) (adds []string) {
	b.Helper()
	const list = ` FROM information_schema.statistics
		WHERE table_schema = DATABASE() AND table_name = ? AND index_name <> 'PRIMARY' GROUP BY index_name`
	adds = y.texts(b, `SELECT CONCAT('ADD ', CASE MIN(non_unique) WHEN 0 THEN 'UNIQUE ' ELSE '' END, 'INDEX ',
		index_name, ' (', GROUP_CONCAT(column_name ORDER BY seq_in_index), ')')`+list, table)
	y.exec(b, `ALTER TABLE `+table+` `+
		strings.Join(y.texts(b, `SELECT CONCAT('DROP INDEX ', index_name)`+list, table), ", "))
	return adds
}

// copies returns the statement that stores a chunk of orders. Its arguments are the first one and how many there are.
func (y *tenYears) copies(table string) string {
	second := fmt.Sprintf(`(%d + i * %d DIV %d)`, y.begins().Unix(), tenYearsDays*24*3600, y.n)
	number := fmt.Sprintf(`%d + ((%s - %d) << 32) + ((i * 2654435761) & %d)`,
		int64(order.NewNumber(y.begins(), 0, 0)), second, y.begins().Unix(), order.SeqMask)
	return `INSERT INTO ` + table + ` (number, user_id, task_id, digest, type, kind, status, shop_id, activity_id,
		point_id, sku_id, quantity, total_amount, search_name, pay_before_ms, paid_ms, cancelled_ms, reason,
		refunded_amount, record)
		SELECT n, u, t, 'd', 'ordinary', 'virtual', status, CONCAT('shop-', i % 50), '', '0', '', 0, 9900, 'red lamp',
			s * 1000 + 900000, CASE status WHEN 'cancelled' THEN 0 ELSE s * 1000 END,
			CASE status WHEN 'cancelled' THEN s * 1000 + 900000 ELSE 0 END, '',
			CASE status WHEN 'refunded' THEN 9900 ELSE 0 END,
			CONCAT('{"v":1,"n":"', n, '","u":"', u, '","t":"', t,
				'","dg":"d","c":{"type":"ordinary","kind":"virtual"}}')
		FROM (SELECT i, CAST(` + number + ` AS SIGNED) AS n, ` + second + ` AS s,
			CONCAT('buyer-', i % ` + fmt.Sprint(y.buyers) + `) AS u, CONCAT('0.', LEFT(MD5(i), 16), '.00') AS t,
			CASE i % 20 WHEN 0 THEN 'cancelled' WHEN 1 THEN 'refunded' ELSE 'paid' END AS status
			FROM (SELECT CAST(? + i AS SIGNED) AS i FROM sequence WHERE i < ?) AS chunk) AS made ORDER BY n`
}

// measure logs the medians.
func (y *tenYears) measure(b *testing.B, s *site.Site) {
	b.Helper()
	op := s.Operator(b)
	buyers, old := make([]*site.Person, tenYearsAsks), make([]string, tenYearsAsks)
	for i := range buyers {
		buyers[i] = s.Buyer(b, fmt.Sprintf("buyer-%d", rand.IntN(y.buyers)))
		y.cache(b, s.Stores, buyers[i].Name, i)
		old[i] = y.archived(b)
	}
	sale := y.sell(b, s)
	operator := func(int) *site.Person { return op }
	buyer := func(i int) *site.Person { return buyers[i] }
	for _, of := range []struct {
		what string
		asks int
		by   func(i int) *site.Person
		path string // %s: an archived order; %t: its time; %f: 500 orders before; %u: a buyer
	}{
		{"my orders, first page, with a cached order", tenYearsAsks, buyer, "/api/v1/orders?page=1"},
		{"my orders, last three months", tenYearsAsks, buyer, "/api/v1/orders?period=last_three_months&page=1"},
		{"my orders, older", tenYearsAsks, buyer, "/api/v1/orders?period=older&page=1"},
		{"my orders, older, by cursor", tenYearsAsks, buyer, "/api/v1/orders?period=older&before=%s"},
		{"operators: newest orders", tenYearsAsks, operator, "/admin/api/v1/orders?page=1&page_size=20"},
		{
			"operators: orders before an archived one", tenYearsAsks, operator,
			"/admin/api/v1/orders?page_size=20&after=%s",
		},
		{"operators: orders of a shop", tenYearsAsks, operator, "/admin/api/v1/orders?shop_id=shop-7"},
		{"operators: refunded orders", tenYearsAsks, operator, "/admin/api/v1/orders?status=refunded"},
		{"operators: one archived order", tenYearsAsks, operator, "/admin/api/v1/orders/%s"},
		{"operators: search by number", tenYearsAsks, operator, "/admin/api/v1/search?q=%s"},
		{"operators: orders before a time long ago", tenYearsAsks, operator, "/admin/api/v1/orders?to=%t"},
		{"operators: orders of a buyer", tenYearsAsks, operator, "/admin/api/v1/orders?user_id=%u"},
		{"operators: a file of 500 archived orders", 50, operator, "/admin/api/v1/orders.csv?to=%t&from=%f"},
		{"audit of a new sale", 20, operator, "/admin/api/v1/activities/" + sale + "/audit"},
	} {
		took := make([]time.Duration, of.asks)
		for i := range took {
			path := strings.NewReplacer("%s", old[i], "%t", at(b, old[i], 0), "%f", at(b, old[i], -y.span(500)),
				"%u", buyers[i].Name).Replace(of.path)
			began := time.Now()
			a := of.by(i).Ask(http.MethodGet, path, "", nil)
			took[i] = time.Since(began)
			require.Equal(b, http.StatusOK, a.Status, "%s: %s", path, a.Body)
		}
		report(b, of.what, took)
	}
	began := time.Now()
	moved := s.Job(b, "archive_orders")
	b.Logf("the job archived %d orders in %v", moved, time.Since(began).Round(time.Millisecond))
}

// sell opens a sale and stores 200 orders of it.
func (y *tenYears) sell(b *testing.B, s *site.Site) (sale string) {
	b.Helper()
	const sold = 200
	sale = s.Open(b, site.Sale{Stock: map[string]int64{"0": 1000}})
	buyer := s.Buyer(b, "new")
	for i := range sold {
		require.Equal(b, http.StatusAccepted, buyer.Buy(b, sale, "sku", fmt.Sprint(i)).Status)
	}
	s.Drain(b)
	return sale
}

// span returns the time in which so many orders were placed.
func (y *tenYears) span(orders int) time.Duration {
	return time.Duration(orders*tenYearsDays*24*3600/y.n) * time.Second
}

// at returns a time, relative to when the order with a number was placed.
func at(b *testing.B, number string, after time.Duration) string {
	b.Helper()
	n, err := order.ParseNumber(number)
	require.NoError(b, err)
	return n.Time().Add(after).Format("2006-01-02T15:04:05Z")
}

func report(b *testing.B, what string, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	b.Logf("%-55s p50 %8.1f ms, p99 %8.1f ms", what, 1000*took[len(took)/2].Seconds(),
		1000*took[len(took)*99/100].Seconds())
}

// archived returns the number of an archived order.
func (y *tenYears) archived(b *testing.B) string {
	b.Helper()
	days := rand.IntN(tenYearsDays - int(tenYearsLive.Hours()/24) - 1)
	return y.texts(b, `SELECT CAST(number AS CHAR) FROM orders_archive WHERE number >= ? ORDER BY number LIMIT 1`,
		int64(order.FirstNumberAt(y.begins().AddDate(0, 0, days))))[0]
}

// cache puts an order into Redis that SQL doesn't have.
func (y *tenYears) cache(b *testing.B, stores *kit.Stores, user string, i int) {
	b.Helper()
	o := listedOrder(user, i, 0)
	record, err := order.EncodeRecord(o)
	require.NoError(b, err)
	require.NoError(b, stores.Redis.HSet(b.Context(), stores.Keys.Orders(o.Number.Lane(), user),
		lua.OrderField(o.Number.String()), record).Err())
}
