package e2e

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/modules/catalogue"
	"onrush/modules/needs"
	"onrush/modules/seckill/gates/admit"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// refused returns with which code an order isn't swapped for blue; "" if it is.
func (w *swapSale) refused(t *testing.T, order string) string {
	t.Helper()
	a, err := w.swap(w.Site, order, "blue")
	require.NoError(t, err)
	if a.Status == http.StatusOK {
		return ""
	}
	return a.Code()
}

// onlySKU admits buyers to one sku.
func onlySKU(_ context.Context, a admit.Admission) error {
	if a.SKU == "sku" {
		return nil
	}
	return &admit.Refused{}
}

// What keeps a buyer from buying a sku also keeps the buyer from swapping an order for it.
func TestWhoMayNotBuyASKUSwapsNoOrderForIt(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	w := newSwapSale(t, stores, site.Sale{Stock: map[string]int64{"0": 3}})
	order := w.of(t, "sku")
	choosy := site.Start(t, stores, site.Idle(), site.Time(w.clock.Now),
		site.Configured(func(cfg *server.Config) { cfg.Admit = onlySKU }))
	a, err := w.swap(choosy, order, "blue")
	require.NoError(t, err)
	requireRefusal(t, a, http.StatusForbidden, "not_admitted")

	w.write(t, `UPDATE activities SET permit_ratio = 1.5`)
	becomes := func(code string) {
		require.Eventually(t, func() bool { return w.refused(t, order) == code }, 10*time.Second,
			20*time.Millisecond, code)
	}
	becomes("conflict")
	op, block := w.Operator(t), admin+"/blocked/user:buyer"
	for _, on := range []bool{true, false} {
		must(t, http.StatusOK, op.Call(t, http.MethodPatch, admin+"/settings", "", map[string]any{"sales_stopped": on}))
		becomes(map[bool]string{true: "sales_stopped", false: "conflict"}[on])
	}
	must(t, http.StatusOK, op.Call(t, http.MethodPut, block, "", client.BlockRequest{Reason: "bot"}))
	a, err = w.swap(site.Start(t, stores, site.Time(w.clock.Now)), order, "blue")
	require.NoError(t, err)
	requireRefusal(t, a, http.StatusForbidden, "blocked")
	w.write(t, `UPDATE activities SET permit_ratio = -1`)
	// Swaps don't know their units and limits.
	for _, name := range []string{needs.Waves, needs.Waitlist, needs.LimitKey} {
		w.write(t, `UPDATE activities SET needs = '`+name+`'`)
		assert.Equal(t, "conflict", w.refused(t, order), name)
	}
	w.write(t, `UPDATE activities SET needs = ''`)
	becomes("")
	assert.Equal(t, map[string]string{"sku": "3", "blue": "2", "green": "3"}, w.account(t))
}

// Units can be taken back without money, as those of a free order.
func TestAnOrderOfWhichUnitsWereTakenBackIsNotSwapped(t *testing.T) {
	t.Parallel()
	w := newSwapSale(t, kit.OnEmbedded(t), site.Sale{Stock: map[string]int64{"0": 3}})
	order := w.of(t, "sku")
	assert.Equal(t, http.StatusOK, w.notify(t, w.money(t, w.begin(t, "key", order))).Status)
	w.write(t, `INSERT INTO order_items (order_number, line, sku_id, kind, quantity, refunded_quantity)
		VALUES (`+order+`, 1, 'sku', 'physical', 1, 1)`)
	assert.Equal(t, "conflict", w.refused(t, order))
	w.write(t, `UPDATE order_items SET refunded_quantity = 0`)
	assert.Empty(t, w.refused(t, order))
	var sku string
	require.NoError(t, w.Stores.DB.Read.GetContext(t.Context(), &sku, `SELECT sku_id FROM order_items`))
	assert.Equal(t, "blue", sku)
}

// A sale with the id of a deleted draft begins without its list and its codes.
func TestADeletedDraftLeavesNoListAndNoCodes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op, draft := s.Operator(t), admin+"/activities/spring"
		s.Open(t, site.Sale{Kind: catalogue.Physical})
		body := draftBody(1)
		body.Skus[0].Stock = body.Skus[0].Stock[:1]
		put := func() { must(t, http.StatusOK, op.Call(t, http.MethodPut, draft, "", body)) }
		put()
		must(t, http.StatusOK, op.Call(t, http.MethodPost, draft+"/buyers", "",
			client.BuyersRequest{UserIds: []string{"ada", "bob"}}))
		must(t, http.StatusCreated, op.Call(t, http.MethodPost, draft+"/codes", "",
			client.CodesRequest{Count: 2, Uses: 3}))
		must(t, http.StatusNoContent, op.Call(t, http.MethodDelete, draft, "", nil))
		put()
		assert.Equal(t, client.BuyersSummary{}, parsed[client.BuyersSummary](op.Call(t, http.MethodGet,
			draft+"/buyers", "", nil)))
	})
}
