package bench

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/sqldb"
	"onrush/test/load"
)

const (
	listBuyers  = 400
	listOrders  = 30  // of each buyer
	listSeconds = 2.0 // of one turn
	// leastMyOrders is what my orders have to bring of a bare handler with one SELECT of the page.
	leastMyOrders = 0.285
)

// BenchmarkMyOrders lists the first page of buyers with stored orders, and compares it with a bare handler that
// reads eight columns of the same page by one SELECT.
func BenchmarkMyOrders(b *testing.B) {
	p := startProgram(b)
	fillOrders(b, p.stores.DB)
	bare := serveBare(b, p.stores.DB)
	plan := func(addr string, path func(user string) string) load.Plan {
		plan := load.Plan{Addr: addr, Connections: connections, Seconds: few(listSeconds)}
		for i := range listBuyers {
			user := fmt.Sprintf("buyer-%d", i)
			plan.Requests = append(plan.Requests,
				load.Request{Method: http.MethodGet, Path: path(user), Token: p.token(b, user)})
		}
		return plan
	}
	ours := plan(p.addr(), func(string) string { return "/api/v1/orders?page_size=10" })
	theirs := plan(bare, func(user string) string { return "/?page_size=10&user=" + user })
	var speeds turns
	var p50s, bareP50s []float64
	list := func(plan load.Plan, p50s *[]float64) func() float64 {
		return func() float64 {
			r := generate(b, plan)[0]
			*p50s = append(*p50s, r.P50)
			return r.Rate("200")
		}
	}
	for b.Loop() {
		speeds.take(list(ours, &p50s), list(theirs, &bareP50s))
	}
	b.ReportMetric(median(p50s), "p50-ms")
	b.ReportMetric(median(bareP50s), "bare-p50-ms")
	speeds.report(b, "lists/s", "bare/s", leastMyOrders)
}

// fillOrders stores the orders of the buyers.
func fillOrders(b *testing.B, db *sqldb.DB) {
	b.Helper()
	for i := range listBuyers {
		user := fmt.Sprintf("buyer-%d", i)
		orders := make([]*order.Order, listOrders)
		for n := range orders {
			orders[n] = listedOrder(user, i, n)
		}
		require.NoError(b, db.InTx(b.Context(), func(tx *sqlx.Tx) error {
			return order.Insert(b.Context(), tx, orders, nil)
		}))
	}
}

// listedOrder returns order n of buyer i.
func listedOrder(user string, i, n int) *order.Order {
	placed, id := time.Now().Add(-time.Duration(n)*time.Minute), fmt.Sprintf("%d-%d", i, n)
	return &order.Order{
		Number: order.NewNumber(placed, 1, uint32(i)), User: user, Task: "1.a." + id, Digest: "digest-of-" + id,
		Status: order.Unpaid, PlacedFrom: "192.0.2.1",
		Content: order.Content{
			Type: order.Seckill, Kind: catalogue.Physical, Shop: "shop", Activity: "sale",
			Point: catalogue.DefaultPoint, GoodsAmount: 9900, FreightAmount: 600, TotalAmount: 10500,
			Currency: "CNY", Delivery: catalogue.Express,
			Address: &catalogue.Address{
				AddressID: "home", Receiver: "Ada", Phone: "13800000000", Region: "east",
				Detail: "1 Road, Building 2, Room 3", IsDefault: true,
			}, Remark: "Please ring twice.", Room: "live-42",
			ShareCode: "a1b2c3d4", ShareSource: "feed", Inviter: "user-7", PlacedAt: api.Millis(placed.UnixMilli()),
			PayBefore: api.Millis(placed.Add(24 * time.Hour).UnixMilli()), // none is cancelled meanwhile
			Items: []order.Item{{
				SKU: "sku", Kind: catalogue.Physical, Title: "Red lamp with a long name",
				ImageURL: "https://img.example.com/red-lamp.jpg", Quantity: 1, Price: 9900,
				Point: catalogue.DefaultPoint,
			}},
		},
	}
}

// serveBare serves the page of the user in the query, and returns its address.
func serveBare(b *testing.B, db *sqldb.DB) string {
	b.Helper()
	type row struct {
		Number int64  `db:"number" json:"number"`
		Status string `db:"status" json:"status"`
		Type   string `db:"type" json:"type"`
		Kind   string `db:"kind" json:"kind"`
		Shop   string `db:"shop_id" json:"shop_id"`
		Total  int64  `db:"total_amount" json:"total_amount"`
		Due    int64  `db:"pay_before_ms" json:"pay_before_ms"`
		Paid   int64  `db:"paid_ms" json:"paid_ms"`
	}
	const page = `SELECT number, status, type, kind, shop_id, total_amount, pay_before_ms, paid_ms FROM orders
		WHERE user_id = ? ORDER BY number DESC LIMIT ?`
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/", func(c *fiber.Ctx) error {
		var rows []row
		err := db.Read.SelectContext(c.Context(), &rows, page, c.Query("user"), c.QueryInt("page_size"))
		if err != nil {
			return err
		}
		return c.JSON(rows)
	})
	return serve(b, app)
}
