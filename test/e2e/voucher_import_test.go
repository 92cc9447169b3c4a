package e2e

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// A buyer who waits for a partner's codes is not erased, sees them after the import, and the platform hears of it.
func TestAnOrderThatWaitsForAPartnersCodesGetsThem(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores)
		op, ada := s.Operator(t), s.Buyer(t, "ada")
		op.PutSKU(t, "spa", client.SKURequest{
			Title: "Spa", ShopID: "shop", Kind: "voucher", Price: 0, Currency: "CNY", Stock: 10,
		})
		load := func(codes ...string) {
			a := op.Call(t, http.MethodPost, admin+"/skus/spa/vouchers:import", "",
				map[string]any{"codes": append([]string{}, codes...)})
			require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
		}
		erase := func() site.Answer {
			return op.Call(t, http.MethodPost, admin+"/users/ada/erase", "", map[string]any{"confirm": "ada"})
		}
		load("SPA-1")
		placed := ada.CreateOrders(t, "o", client.OrderRequest{Items: []client.OrderLine{{SKUID: "spa", Quantity: 3}}})
		number := placed[0].OrderNumber
		ada.BeginPayment(t, "p", number)
		assert.Contains(t, string(erase().Body), "vouchers that wait for their codes: 2")
		m := readMetrics(t, s)
		assert.InDelta(t, 1, m["onrush_metrics_source_up{source=vouchers}"], 0)
		assert.InDelta(t, 1, m["onrush_voucher_orders_waiting"], 0)
		load("SPA-2", "SPA-3")

		order := op.GetAdminOrder(t, number)
		assert.Equal(t, map[string][]string{"spa": {"SPA-1", "SPA-2", "SPA-3"}}, codesOf(order.Items))
		assert.Zero(t, order.Items[0].VouchersWaiting)
		_, err := s.Server.Sequencer.RunOnce(t.Context())
		require.NoError(t, err)
		events := op.ListEvents(t, "types=order.vouchers_given")
		require.Len(t, events, 1)
		data, err := json.Marshal(events[0])
		require.NoError(t, err)
		assert.Contains(t, string(data), number)
		assert.Contains(t, string(data), "SPA-3")
		erased := erase()
		assert.Equal(t, http.StatusOK, erased.Status, "%s", erased.Body)
	})
}
