package onrush_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/golang-jwt/jwt/v5"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"onrush/modules/loop"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

func TestTheLedgerOfAKilledProgramAgreesWithItsOrders(t *testing.T) {
	t.Parallel()
	killTheLedger(t, 3)
}

// client calls a program that may be killed at any time.
type client struct{ url string }

// call calls a route with a token, and returns the status; 0 without an answer.
func (c client) call(ctx context.Context, method, path, token string, body, into any) int {
	text := []byte(nil)
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return 0
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(text))
	if err != nil {
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", fmt.Sprint(rand.Uint64()))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil || into != nil && json.Unmarshal(answer, into) != nil {
		return 0
	}
	return res.StatusCode
}

// admin returns a token of an operator.
func admin(t *testing.T) string {
	t.Helper()
	signed, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"sub": "op", "role": "admin", "exp": time.Now().Add(time.Hour).Unix(),
	}).SignedString([]byte(jwtSecret))
	require.NoError(t, err)
	return signed
}

// opensSale opens a sale of a lamp, and returns its id.
func (c client) opensSale(t *testing.T, operator string) string {
	t.Helper()
	require.Less(t, c.call(t.Context(), http.MethodPut, "/admin/api/v1/skus/lamp", operator, map[string]any{
		"title": "Lamp", "shop_id": "shop", "kind": "virtual", "price": 200, "currency": "CNY", "stock": 1000,
	}, nil), 300)
	var made struct {
		ID string `json:"activity_id"`
	}
	require.Equal(t, http.StatusCreated, c.call(t.Context(), http.MethodPost, "/admin/api/v1/activities", operator,
		map[string]any{
			"title": "Sale", "shop_id": "shop", "starts_at": time.Now().Add(-time.Minute).Format(time.RFC3339),
			"ends_at": time.Now().Add(time.Hour).Format(time.RFC3339), "pay_within_s": 900,
			"skus": []any{map[string]any{
				"sku_id": "lamp", "flash_price": 100,
				"stock": []any{map[string]any{"point_id": "0", "quantity": 100_000}},
			}},
		}, &made))
	publish := "/admin/api/v1/activities/" + made.ID + "/publish"
	require.Eventually(t, func() bool {
		return c.call(t.Context(), http.MethodPost, publish, operator, nil, nil) < 300
	}, 20*time.Second, 50*time.Millisecond)
	return made.ID
}

// shops buys one lamp after the other until ctx ends: some are paid, some of those refunded, some cancelled.
func (c client) shops(ctx context.Context, sale, user, token, operator string) {
	for i := 0; ctx.Err() == nil; i++ {
		var path struct {
			Path string `json:"path"`
		}
		var placed struct {
			Number string `json:"order_number"`
		}
		if c.call(ctx, http.MethodPost, "/api/v1/seckill/path", token,
			map[string]any{"activity_id": sale, "sku_id": "lamp"}, &path) != http.StatusOK ||
			c.call(ctx, http.MethodPost, "/api/v1/seckill/"+path.Path+"/submit", token,
				map[string]any{"quantity": 1}, &placed) != http.StatusAccepted || placed.Number == "" {
			_ = loop.Wait(ctx, 10*time.Millisecond)
			continue
		}
		order := "/admin/api/v1/orders/" + placed.Number
		switch i % 4 {
		case 0: // it waits for its money
		case 1:
			c.call(ctx, http.MethodPost, "/api/v1/orders/"+placed.Number+"/cancel", token, nil, nil)
		default:
			c.call(ctx, http.MethodPost, order+"/paid", operator, map[string]any{
				"user_id": user, "provider": "till", "reference": placed.Number, "amount": 100, "currency": "CNY",
			}, nil)
			if i%4 == 3 {
				c.call(ctx, http.MethodPost, order+"/refund", operator, map[string]any{"amount": 40}, nil)
			}
		}
	}
}

// killTheLedger kills examples/ledger some times while a few buyers shop. After each time, its ledger has what the
// orders have.
func killTheLedger(t *testing.T, times int) {
	t.Helper()
	stores := kit.OnReal(t)
	dsn, err := mysql.ParseDSN(anotherDatabase(t, stores))
	require.NoError(t, err)
	program, addr, operator := buildExample(t, "ledger"), freeAddress(t), admin(t)
	start := func() func(kill bool) {
		run := runExample(t, program, addr, "REDIS="+stores.RedisURL, "MYSQL="+stores.MySQLDSN, "LEDGER="+dsn.DBName,
			"PATH_SECRET="+pathSecret)
		return func(kill bool) {
			if kill {
				require.NoError(t, run.Process.Kill())
				require.Error(t, run.Wait())
				return
			}
			require.NoError(t, run.Process.Signal(os.Interrupt))
			require.NoError(t, run.Wait())
		}
	}
	end := start()
	c := client{"http://" + addr + "/sales"}
	sale := c.opensSale(t, operator)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var crowd sync.WaitGroup
	for i := range 8 {
		user := fmt.Sprintf("user%d", i)
		signed := token(t, user)
		crowd.Go(func() { c.shops(ctx, sale, user, signed, operator) })
	}
	for range times {
		_ = loop.Wait(ctx, 300*time.Millisecond+rand.N(700*time.Millisecond))
		end(true)
		requireSameBooks(t, stores.DB, dsn.DBName)
		end = start()
	}
	require.Eventually(t, func() bool {
		had := requireSameBooks(t, stores.DB, dsn.DBName)
		return had["paid"] > times && had["cancelled"] > 0 && had["partly refunded"] > 0
	}, time.Minute, 50*time.Millisecond, "there was nothing to compare")
	cancel()
	crowd.Wait()
	end(false)
	t.Log(requireSameBooks(t, stores.DB, dsn.DBName))
}

// book is what the orders, or the ledger, have of an order.
type book struct {
	Number    int64 `db:"number"`
	Placed    int   `db:"placed"`
	Failed    int   `db:"failed"`
	Paid      int64 `db:"paid"` // money
	Cancelled int   `db:"cancelled"`
	Refunded  int64 `db:"refunded"` // money
}

// requireSameBooks compares the orders with the ledger, in one view of both, and returns how many orders have a status.
func requireSameBooks(t *testing.T, db *sqldb.DB, ledger string) (statuses map[string]int) {
	t.Helper()
	var orders, lines []book
	var counts []struct {
		Status string `db:"status"`
		Orders int    `db:"orders"`
	}
	require.NoError(t, db.InView(t.Context(), func(tx *sqlx.Tx) error {
		require.NoError(t, tx.SelectContext(t.Context(), &orders, `SELECT number, status <> 'failed' AS placed,
			status = 'failed' AS failed, IF(status IN ('paid', 'refunded'), total_amount, 0) AS paid,
			status = 'cancelled' AS cancelled, refunded_amount AS refunded FROM orders ORDER BY number`))
		require.NoError(t, tx.SelectContext(t.Context(), &lines, `SELECT order_number AS number,
			SUM(what = 'order.placed') AS placed, SUM(what = 'order.failed') AS failed,
			SUM(IF(what = 'order.paid', amount, 0)) AS paid, SUM(what = 'order.cancelled') AS cancelled,
			-SUM(IF(what = 'order.refunded', amount, 0)) AS refunded
			FROM `+ledger+`.ledger GROUP BY order_number ORDER BY order_number`))
		return tx.SelectContext(t.Context(), &counts, `SELECT status, COUNT(*) AS orders FROM orders GROUP BY status
			UNION ALL SELECT 'partly refunded', COUNT(*) FROM orders WHERE status = 'paid' AND refunded_amount > 0`)
	}))
	require.Equal(t, orders, lines)
	statuses = map[string]int{}
	for _, c := range counts {
		statuses[c.Status] = c.Orders
	}
	return statuses
}
