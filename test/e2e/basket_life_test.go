package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// The accounts of a household share the limits of a sale and of each sku, in Redis and in SQL, also after Redis has
// lost the sale, and what one account gives back of two skus another one may have.
func TestTheAccountsOfAHouseholdShareTheLimitsOfABasket(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newBasketSale(t, stores, site.Sale{
			Stock: map[string]int64{"0": 9}, PurchaseLimit: 6, SKULimit: 3, LimitKey: "household",
		})
		buy := func(user string, of []map[string]any) site.Answer {
			p := holder(t, w.Site, user, inHouse("home"))
			p.Name = user
			a := w.path(p, of)
			require.Equal(t, http.StatusOK, a.Status, string(a.Body))
			return p.Submit(t, a.JSON(t)["path"].(string), "key",
				map[string]any{"lines": of, "address_id": p.Address(t, "north")})
		}
		both := units("sku", 1, "blue", 2)
		first := buy("ann", both)
		require.Equal(t, http.StatusAccepted, first.Status, string(first.Body))
		lost := func() {
			w.Drain(t)
			stores.LoseRedis(t)
			w.Job(t, "preheat")
		}
		lost()
		over := buy("bob", units("blue", 2, "green", 1))
		assert.Equal(t, "purchase_limit", over.Code(), "of the sku")
		assert.Contains(t, string(over.Body), `"lines[0].sku_id"`)
		assert.Equal(t, "purchase_limit", buy("cid", units("sku", 2, "green", 2)).Code(), "of the sale")
		holder(t, w.Site, "ann", inHouse("home")).CancelOrder(t, first.Placed(t).OrderNumber)
		w.Job(t, "settle_stock")
		assert.Equal(t, http.StatusAccepted, buy("dan", units("blue", 3, "green", 1)).Status)
		lost()
		assert.Equal(t, "purchase_limit", buy("eva", units("blue", 1, "green", 1)).Code())
		assert.Equal(t, http.StatusAccepted, buy("fay", units("green", 1)).Status)
		assert.Equal(t, map[string]string{"sku": "9", "blue": "6", "green": "7"}, w.account(t))
	})
}

// Nobody pays for a basket in time: the units of both skus return. The money that comes later is refunded.
func TestABasketIsCancelledAtItsDeadlineAndALatePaymentIsRefunded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newBasketSale(t, stores, site.Sale{Stock: map[string]int64{"0": 9}, PayWithinS: 60})
		of := units("sku", 1, "blue", 2)
		unpaid, late := w.basket(t, of), w.basket(t, of)
		pay := w.begin(t, "key", late)
		assert.Equal(t, map[string]string{"sku": "7", "blue": "5", "green": "9"}, w.account(t))
		w.clock.Advance(time.Hour)
		w.runMoneyJobs(t)
		assert.Equal(t, []string{"cancelled", "cancelled"}, []string{w.status(t, unpaid), w.status(t, late)})
		p := w.money(t, pay)
		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		w.runMoneyJobs(t)
		_, refunded := w.paid(t, p)
		assert.EqualValues(t, 300, refunded)
		assert.Equal(t, "cancelled", w.status(t, late))
		assert.Equal(t, map[string]string{"sku": "9", "blue": "9", "green": "9"}, w.account(t))
	})
}

// The address of a basket changes to one whose stock point has all its goods, not only the first.
func TestTheAddressOfABasketIsServedByAPointWithAllItsGoods(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newBasketSale(t, stores, site.Sale{
			Stock: map[string]int64{"0": 5, "n": 5}, Regions: map[string][]string{"n": {"north"}},
		})
		w.address = w.buyer.Address(t, "south")
		o := w.basket(t, units("blue", 1, "sku", 1))
		w.Drain(t)
		change := func(region string) site.Answer {
			return w.buyer.Insist(http.MethodPatch, "/api/v1/orders/"+o, "",
				map[string]any{"address_id": w.buyer.Address(t, region)})
		}
		assert.Equal(t, "other_freight", change("north").Code(), "the point n has both")
		_, err := stores.DB.Write.ExecContext(t.Context(), `DELETE FROM activity_stock
			WHERE activity_id = ? AND point_id = 'n' AND sku_id = 'sku'`, w.activity)
		require.NoError(t, err)
		a := change("north")
		assert.Equal(t, http.StatusOK, a.Status, "%s: n has one of them, so the others come from everywhere", a.Body)
	})
}
