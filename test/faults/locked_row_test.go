package faults

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
)

// lockedFor is how long the rows are locked, at most; the test ends it earlier.
func lockedFor() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("ONRUSH_TEST_LOCKED_FOR")); err == nil {
		return d
	}
	return 3 * time.Second
}

// letFill returns after a third of the time of the lock, when the crowd has filled what it can fill.
func letFill(ctx context.Context) {
	filled, cancel := context.WithTimeout(ctx, lockedFor()/3)
	defer cancel()
	<-filled.Done()
}

// Another connection locks the stock rows of one sale and of one sku, and many requests need them. All
// others must not wait: the other sale moves, other buyers order and see their lists, webhooks are
// processed, and the server has no more connections than the instance may open.
func TestLockedRowDelaysOnlyRequestsThatNeedIt(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	s := site.Start(t, stores)
	plenty := map[string]int64{"0": 1_000_000}
	hot, other := s.Open(t, site.Sale{SKU: "hot", Stock: plenty}), s.Open(t, site.Sale{SKU: "other", Stock: plenty})
	cancels := hotCancels(t, s, hot)
	s.Drain(t)
	tx, err := stores.DB.Write.BeginTxx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }()
	_, err = tx.ExecContext(t.Context(), `UPDATE activity_stock SET epoch = epoch WHERE activity_id = ?`, hot)
	require.NoError(t, err)
	_, err = tx.ExecContext(t.Context(), `UPDATE skus SET stock = stock WHERE sku_id = 'hot'`)
	require.NoError(t, err)

	ctx, stop := context.WithTimeout(t.Context(), lockedFor())
	defer stop()
	var crowds sync.WaitGroup
	crowdOnto(ctx, t, &crowds, s, hot, cancels)
	var most atomic.Int64
	crowds.Go(func() { countConnections(ctx, stores, &most) })
	letFill(ctx)
	b := &otherBuyer{s: s, stores: stores, sale: other, p: s.Buyer(t, "ada")}
	for i := 0; ctx.Err() == nil; i++ {
		b.round(t, i)
	}
	crowds.Wait()
	require.NoError(t, tx.Rollback())
	t.Logf("the other sale's slowest order was stored after %s; the other buyer's calls took up to %s a round; %d "+
		"refusals; at most %d connections",
		b.slowest, b.longest, b.refused, most.Load())
	assert.Zero(t, b.refused)
	assert.Less(t, b.slowest, 2*time.Second, "a mover waits for a row for up to 5 s; another lane must not wait for it")
	assert.Less(t, b.longest, 1500*time.Millisecond,
		"each statement of the crowd waits for 1 s; other buyers must not wait behind it for a connection")
	// 32 of the instance, at most 3 in each of 4 pools that were given up, the test's own.
	assert.LessOrEqual(t, most.Load(), int64(32+12+3))
	s.Drain(t)
	assert.Empty(t, s.Audit(t, hot))
}

// hotCrowd is how many buyers need the locked rows.
const hotCrowd = 30

// hotCancels places an order of each buyer of the crowd, and returns the paths that cancel these orders.
func hotCancels(t *testing.T, s *site.Site, hot string) (cancels [hotCrowd]string) {
	t.Helper()
	for i := range hotCrowd {
		a := s.Buyer(t, fmt.Sprintf("hot%d", i)).Buy(t, hot, "hot", "first")
		require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
		cancels[i] = "/api/v1/orders/" + a.JSON(t)["order_number"].(string) + "/cancel"
	}
	return cancels
}

// crowdOnto lets each buyer of the crowd order and cancel, again and again, until ctx is done.
func crowdOnto(
	ctx context.Context, t *testing.T, crowds *sync.WaitGroup, s *site.Site, hot string, cancels [hotCrowd]string,
) {
	t.Helper()
	for i := range hotCrowd {
		p := s.Buyer(t, fmt.Sprintf("hot%d", i))
		crowds.Go(func() {
			for ctx.Err() == nil {
				//nolint:contextcheck // each request has its own
				p.Ask(http.MethodPost, "/api/v1/seckill/"+p.Path(t, hot, "hot")+"/submit",
					fmt.Sprint(time.Now().UnixNano()), map[string]any{"quantity": 1})
				//nolint:contextcheck // each request has its own
				p.Ask(http.MethodPost, cancels[i], "", nil)
				//nolint:contextcheck // each request has its own
				p.Ask(http.MethodPost, "/api/v1/orders", fmt.Sprintf("ordinary%d", i), ordinary("hot"))
			}
		})
	}
}

// countConnections raises most to the number of connections to the database, until ctx is done.
func countConnections(ctx context.Context, stores *kit.Stores, most *atomic.Int64) {
	for ctx.Err() == nil {
		var n int64
		if stores.DB.Read.GetContext(ctx, &n,
			`SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE()`) == nil {
			most.Store(max(most.Load(), n))
		}
	}
}

// otherBuyer is a buyer of another sale, who needs none of the locked rows.
type otherBuyer struct {
	s      *site.Site
	stores *kit.Stores
	sale   string
	p      *site.Person

	slowest time.Duration // from an order to its row
	longest time.Duration // calls of a round
	refused int
}

// round places an ordinary order, lists, buys of the sale, pays, and receives the money.
func (b *otherBuyer) round(t *testing.T, i int) {
	t.Helper()
	began := time.Now()
	a := b.p.Ask(http.MethodPost, "/api/v1/orders", fmt.Sprintf("o%d", i), ordinary("other"))
	if a.Status != http.StatusCreated {
		b.refused++
		t.Logf("ordinary order: %d %s", a.Status, a.Body)
	}
	if a = b.p.Ask(http.MethodGet, "/api/v1/orders", "", nil); a.Status != http.StatusOK ||
		a.JSON(t)["partial"] == true {
		b.refused++
		t.Logf("list: %d %s", a.Status, a.Body)
	}
	calls := time.Since(began)
	number := b.p.Buy(t, b.sale, "other", fmt.Sprintf("b%d", i)).JSON(t)["order_number"].(string)
	n, err := order.ParseNumber(number)
	require.NoError(t, err)
	placed := time.Now()
	require.Eventually(t, func() bool {
		var has int
		err := b.stores.DB.Read.GetContext(t.Context(), &has, `SELECT COUNT(*) FROM orders WHERE number = ?`, n)
		return err == nil && has == 1
	}, 30*time.Second, 5*time.Millisecond)
	b.slowest = max(b.slowest, time.Since(placed))
	paying := time.Now()
	paid := b.p.Pay(t, fmt.Sprintf("p%d", i), number)
	b.longest = max(b.longest, calls+time.Since(paying))
	if paid.Status != http.StatusCreated {
		b.refused++
		t.Logf("payment: %d %s", paid.Status, paid.Body)
		return
	}
	m := paid.JSON(t)
	webhook, err := b.s.Notify(t.Context(), site.Payment{
		Number: m["pay_number"].(string), Transaction: "txn" + number, Amount: int64(m["amount"].(float64)),
		Currency: "CNY",
	})
	require.NoError(t, err)
	if webhook.Status != http.StatusOK {
		b.refused++
		t.Logf("webhook: %d %s", webhook.Status, webhook.Body)
	}
	t.Logf("round %d took %s", i, time.Since(began))
}

// Many requests that wait for several locked rows use all connections of buyers. Webhooks and movers
// have their own connections.
func TestBuyersWhoWaitForLockedRowsDoNotDelayWebhooks(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	s := site.Start(t, stores)
	other := s.Open(t, site.Sale{SKU: "other"})
	p := s.Buyer(t, "ada")
	const payments = 5
	var due [payments]site.Payment
	for i := range due {
		number := placed(t, p.Buy(t, other, "other", fmt.Sprintf("b%d", i)))
		a := p.Pay(t, fmt.Sprintf("p%d", i), number)
		require.Equal(t, http.StatusCreated, a.Status, string(a.Body))
		m := a.JSON(t)
		due[i] = site.Payment{
			Number: m["pay_number"].(string), Transaction: "txn" + number, Amount: int64(m["amount"].(float64)),
			Currency: "CNY",
		}
	}
	s.Drain(t)
	const rows = 4 // 3 connections each are more than buyers have to write with
	for i := range rows {
		s.Open(t, site.Sale{SKU: fmt.Sprintf("hot%d", i)})
	}
	tx, err := stores.DB.Write.BeginTxx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }()
	_, err = tx.ExecContext(t.Context(), `UPDATE skus SET stock = stock WHERE sku_id LIKE 'hot%'`)
	require.NoError(t, err)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var crowd sync.WaitGroup
	for i := range 12 * rows {
		buyer := s.Buyer(t, fmt.Sprintf("hot%d", i))
		crowd.Go(func() {
			for ctx.Err() == nil {
				//nolint:contextcheck // each request has its own
				buyer.Ask(http.MethodPost, "/api/v1/orders", "k", ordinary(fmt.Sprintf("hot%d", i%rows)))
			}
		})
	}
	letFill(ctx)
	for i := range due {
		began := time.Now()
		webhook, err := s.Notify(t.Context(), due[i])
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, webhook.Status, string(webhook.Body))
		assert.Less(t, time.Since(began), 700*time.Millisecond)
	}
	stop()
	crowd.Wait()
}

func ordinary(sku string) map[string]any {
	return map[string]any{"items": []map[string]any{{"sku_id": sku, "quantity": 1}}}
}

// Operators who edit a sku whose row is locked use their own connections.
func TestOperatorsWhoWaitForALockedRowDoNotDelayBuyers(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	s := site.Start(t, stores)
	s.Open(t, site.Sale{SKU: "hot"})
	s.Open(t, site.Sale{SKU: "other"})
	tx, err := stores.DB.Write.BeginTxx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }()
	_, err = tx.ExecContext(t.Context(), `UPDATE skus SET stock = stock WHERE sku_id = 'hot'`)
	require.NoError(t, err)

	ctx, stop := context.WithTimeout(t.Context(), lockedFor())
	defer stop()
	op := s.Operator(t)
	edited := map[string]any{"title": "Thing", "shop_id": "shop", "kind": "physical", "price": 200, "currency": "CNY"}
	var crowd sync.WaitGroup
	for range 30 {
		crowd.Go(func() {
			for ctx.Err() == nil {
				//nolint:contextcheck // each request has its own
				op.Ask(http.MethodPut, "/admin/api/v1/skus/hot", "", edited)
			}
		})
	}
	letFill(ctx)
	p := s.Buyer(t, "ada")
	next := time.NewTicker(10 * time.Millisecond) // there are 1000 of the sku
	defer next.Stop()
	for i := 0; ctx.Err() == nil; i++ {
		<-next.C
		began := time.Now()
		a := p.Ask(http.MethodPost, "/api/v1/orders", fmt.Sprintf("o%d", i), ordinary("other"))
		assert.Equal(t, http.StatusCreated, a.Status, string(a.Body))
		assert.Less(t, time.Since(began), time.Second)
	}
	crowd.Wait()
}
