package e2e

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/test/stage"
)

// swapSale is a sale of the skus sku, blue and green, which are alike.
type swapSale struct {
	*graceSale
	address string // of the buyer
}

func newSwapSale(t *testing.T, stores *kit.Stores, sale site.Sale, opts ...site.Option) *swapSale {
	t.Helper()
	clock := kit.NewClock(time.Now())
	sale.Others, sale.Kind = []string{"blue", "green"}, catalogue.Physical
	opts = append([]site.Option{site.Time(clock.Now)}, opts...)
	return &swapSale{graceSale: &graceSale{newPaySale(t, stores, sale, opts...), clock}}
}

// of places an order of a sku.
func (w *swapSale) of(t *testing.T, sku string) string {
	t.Helper()
	if w.address == "" {
		w.address = w.buyer.Address(t, "north")
	}
	a := w.buyer.Submit(t, w.buyer.Path(t, w.activity, sku), rand.Text(),
		map[string]any{"quantity": 1, "address_id": w.address})
	require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
	return a.Placed(t).OrderNumber
}

// swap swaps an order at a site, and returns the answer.
func (w *swapSale) swap(s *site.Site, order, sku string) (site.Answer, error) {
	return w.buyer.At(s).Try(context.Background(), http.MethodPatch, "/api/v1/orders/"+order, "",
		map[string]any{"sku_id": sku})
}

func (w *swapSale) swapped(t *testing.T, order, sku string) int {
	t.Helper()
	a, err := w.swap(w.Site, order, sku)
	require.NoError(t, err)
	return a.Status
}

// account checks that the units of each sku are left, sold, or neither, and returns what is left, by sku.
func (w *swapSale) account(t *testing.T) map[string]string {
	t.Helper()
	w.Drain(t)
	w.clock.Advance(20 * time.Second) // swaps that were interrupted are late
	for range 2 {
		w.Job(t, "settle_stock")
	}
	assert.Empty(t, w.Audit(t, w.activity))
	var pending int
	require.NoError(t, w.Stores.DB.Read.GetContext(t.Context(), &pending, `SELECT COUNT(*) FROM stock_outbox
		WHERE state = 'pending'`))
	assert.Zero(t, pending)
	left := map[string]string{}
	for _, s := range w.buyer.GetActivity(t, w.activity).Skus {
		left[s.SKUID] = fmt.Sprint(s.Remaining)
	}
	return left
}

// skuOf returns the sku of an order, as the order and the list of orders have it.
func (w *swapSale) skuOf(t *testing.T, order string) string {
	t.Helper()
	sku := w.buyer.GetOrder(t, order).Items[0].SKUID
	list := w.buyer.ListOrders(t, "order_number="+order).Items
	require.Len(t, list, 1)
	assert.Equal(t, sku, list[0].Items[0].SKUID)
	return sku
}

func TestAnOrderIsSwappedForAnotherSKUOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newSwapSale(t, stores, site.Sale{Stock: map[string]int64{"0": 3}, SKULimit: 2, PurchaseLimit: 3})
		order := w.of(t, "sku") // only Redis has it
		for range 2 {
			assert.Equal(t, http.StatusOK, w.swapped(t, order, "blue"))
		}
		assert.Equal(t, "blue", w.skuOf(t, order))
		assert.Equal(t, []string{"placed", "sku_changed"}, w.did(t, order))
		assert.Equal(t, map[string]string{"sku": "3", "blue": "2", "green": "3"}, w.account(t))
		w.Number(t)
		events := w.Operator(t).ListEvents(t, "types=order.sku_changed")
		require.Len(t, events, 1)
		assert.Equal(t, "sku", events[0].Data.FormerSKUID)

		w.of(t, "sku")
		w.of(t, "sku")
		redis, changes := stores.Redis, stores.Keys.Changes(site.Lane(t, stores, w.activity), w.activity)
		known := redis.HLen(t.Context(), changes).Val()
		for range 3 {
			assert.Equal(t, http.StatusConflict, w.swapped(t, order, "sku"), "two is the limit")
		}
		assert.Equal(t, known, redis.HLen(t.Context(), changes).Val(), "a refused swap is not kept")
		assert.Equal(t, map[string]string{"sku": "1", "blue": "2", "green": "3"}, w.account(t))

		p := w.money(t, w.begin(t, "key", order))
		assert.Equal(t, http.StatusOK, w.notify(t, p).Status)
		assert.Equal(t, http.StatusOK, w.swapped(t, order, "green"))
		assert.Equal(t, "green", w.skuOf(t, order))
		assert.Equal(t, map[string]string{"sku": "1", "blue": "3", "green": "2"}, w.account(t))
		for sku, status := range map[string]int{
			"red": http.StatusNotFound, "": http.StatusUnprocessableEntity, "green": http.StatusOK,
		} {
			assert.Equal(t, status, w.swapped(t, order, sku), sku)
		}
		stranger, err := w.Buyer(t, "stranger").Try(t.Context(), http.MethodPatch, "/api/v1/orders/"+order, "",
			map[string]any{"sku_id": "blue"})
		require.NoError(t, err)
		assert.Equal(t, http.StatusNotFound, stranger.Status)
		w.write(t, `UPDATE activity_skus SET flash_price = 99 WHERE sku_id = 'blue'`)
		assert.Equal(t, http.StatusConflict, w.swapped(t, order, "blue"), "it has another price")
	})
}

// After a crash at each step, the order has one of the skus, and no unit is lost or sold twice.
func TestASwapThatACrashInterruptsIsFinishedOrUndone(t *testing.T) {
	t.Parallel()
	for step, want := range map[string]string{
		"swap_begin": "sku", "swap_take": "sku", "swap_commit": "blue", "swap_give": "blue",
	} {
		for _, then := range []string{"", "cancel", "pay", "load"} {
			t.Run(step+" "+then, func(t *testing.T) {
				t.Parallel()
				kit.Each(t, func(t *testing.T, stores *kit.Stores) {
					w := newSwapSale(t, stores, site.Sale{Stock: map[string]int64{"0": 3}, SKULimit: 2})
					order := w.of(t, "sku")
					w.Drain(t)
					broken := site.Start(t, stores, site.Idle(), site.Time(w.clock.Now),
						site.Faults(stage.CrashAt(step)))
					_, err := w.swap(broken, order, "blue")
					require.NoError(t, err)
					assert.Equal(t, want, w.skuOf(t, order))
					left := map[string]string{"sku": "2", "blue": "3", "green": "3"}
					if want == "blue" {
						left = map[string]string{"sku": "3", "blue": "2", "green": "3"}
					}
					assert.Empty(t, w.Audit(t, w.activity), "before anything is finished")
					switch then {
					case "cancel":
						_, err := w.buyer.Try(t.Context(), http.MethodPost, "/api/v1/orders/"+order+"/cancel", "", nil)
						require.NoError(t, err)
						w.account(t)
						w.buyer.CancelOrder(t, order)
						left[want] = "3"
					case "pay":
						assert.Equal(t, http.StatusOK, w.notify(t, w.money(t, w.begin(t, "key", order))).Status)
					case "load":
						lane := site.Lane(t, stores, w.activity)
						require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Meta(lane, w.activity)).Err())
						w.Job(t, "preheat")
					}
					assert.Equal(t, left, w.account(t))
					assert.Equal(t, want, w.skuOf(t, order))
				})
			})
		}
	}
}

// TestSwapsAtOnce has 48 swaps, payments and cancels of few orders, with few units of each sku.
func TestSwapsAtOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newSwapSale(t, stores, site.Sale{Stock: map[string]int64{"0": 2}})
		skus := []string{"sku", "blue", "green"}
		orders := []string{w.of(t, "sku"), w.of(t, "sku"), w.of(t, "blue"), w.of(t, "green")}
		p := w.money(t, w.begin(t, "key", orders[0]))
		seed := mathrand.Uint64()
		t.Logf("seed %d", seed)
		kit.Crowd(48, func(i int) {
			random := mathrand.New(mathrand.NewPCG(seed, uint64(i)))
			order := orders[random.IntN(len(orders))]
			switch i % 12 {
			case 0:
				w.notify(t, p)
			case 1:
				_, err := w.buyer.Try(context.Background(), http.MethodPost, "/api/v1/orders/"+orders[1]+"/cancel", "",
					nil)
				assert.NoError(t, err) //nolint:testifylint // not in the goroutine of the test
			default:
				_, err := w.swap(w.Site, order, skus[random.IntN(len(skus))])
				assert.NoError(t, err)
			}
		})
		left := w.account(t)
		for _, sku := range skus {
			holds := 0
			for _, o := range orders {
				if shown := w.buyer.GetOrder(t, o); shown.Items[0].SKUID == sku && shown.Status != "cancelled" {
					holds++
				}
			}
			assert.Equal(t, fmt.Sprint(2-holds), left[sku], sku)
		}
		assert.Contains(t, []string{"unpaid", "paid"}, w.status(t, orders[0]))
		assert.True(t, slices.Contains(skus, w.skuOf(t, orders[3])))
	})
}
