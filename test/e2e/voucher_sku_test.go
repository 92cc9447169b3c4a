package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

func spa(shop, kind string) client.SKURequest {
	return client.SKURequest{Title: "Spa", ShopID: shop, Kind: kind, Currency: "CNY", Stock: 100}
}

func importCodes(op *site.Person, key string, codes ...string) site.Answer {
	return op.Insist(http.MethodPost, admin+"/skus/spa/vouchers:import", key,
		map[string]any{"codes": append([]string{}, codes...)})
}

// Codes are found by the id of a sku: nobody may make other goods of it while buyers or codes are left.
func TestASKUWhoseVouchersWaitOrWhoseCodesAreLeftBecomesNoOtherGoods(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		op := site.Start(t, stores, site.Idle()).Operator(t)
		second := site.Start(t, stores, site.Idle())
		other, ada := second.Operator(t), second.Buyer(t, "ada")
		op.PutSKU(t, "spa", spa("shop", "voucher"))
		refused := func(why string) {
			t.Helper()
			for name, a := range map[string]site.Answer{
				"delete": other.Call(t, http.MethodDelete, admin+"/skus/spa", "", nil),
				"kind":   other.Call(t, http.MethodPut, admin+"/skus/spa", "", spa("shop", "virtual")),
				"shop":   op.Call(t, http.MethodPut, admin+"/skus/spa", "", spa("other", "voucher")),
				"batch": op.Call(t, http.MethodPut, admin+"/skus:batch", "", map[string]any{"items": []any{
					map[string]any{
						"sku_id": "spa", "title": "Spa", "shop_id": "other", "kind": "voucher", "price": 0,
						"currency": "CNY", "stock": 1,
					},
				}}),
			} {
				assert.Equal(t, http.StatusConflict, a.Status, "%s: %s", name, a.Body)
				assert.Equal(t, "conflict", a.Code(), name)
				if name != "delete" { // which names the first of all its reasons
					assert.Contains(t, string(a.Body), why, name)
				}
			}
		}
		require.Equal(t, http.StatusOK, importCodes(op, "1", "SPA-1").Status)
		refused("Imported codes of the sku spa are left")
		two := []client.OrderLine{{SKUID: "spa", Quantity: 2}}
		number := ada.CreateOrders(t, "o", client.OrderRequest{Items: two})[0].OrderNumber
		refused("An unpaid order has the sku spa as a voucher")
		ada.BeginPayment(t, "p", number)
		refused("Paid units of the sku spa wait for codes")
		assert.Equal(t, http.StatusOK, op.Call(t, http.MethodPut, admin+"/skus/spa", "", spa("shop", "voucher")).Status,
			"the same goods may be edited")

		require.Equal(t, http.StatusOK, importCodes(op, "2", "SPA-2").Status)
		assert.Equal(t, map[string][]string{"spa": {"SPA-1", "SPA-2"}}, codesOf(op.GetAdminOrder(t, number).Items))
		deleted := other.Call(t, http.MethodDelete, admin+"/skus/spa", "", nil)
		require.Less(t, deleted.Status, 300, "%s", deleted.Body)

		// Another shop's goods under the id have nothing of the former ones.
		op.PutSKU(t, "spa", spa("other", "voucher"))
		bob := second.Buyer(t, "bob")
		number = bob.CreateOrders(t, "o", client.OrderRequest{Items: []client.OrderLine{{SKUID: "spa"}}})[0].OrderNumber
		bob.BeginPayment(t, "p", number)
		item := op.GetAdminOrder(t, number).Items[0]
		assert.Zero(t, item.VouchersWaiting, "the codes of these goods are not a partner's")
		assert.Len(t, item.VoucherCodes, 1)
	})
}

func TestOfImportsPaymentsAndDeletionsOfASKUAtOnceNoCodeIsLeftBehind(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())}
		operators := []*site.Person{instances[0].Operator(t), instances[1].Operator(t)}
		crowd := 48
		if stores.Name == kit.Embedded {
			crowd = 12 // they wait for its one writer
		}
		for round := range 3 {
			operators[0].PutSKU(t, "spa", spa(fmt.Sprint("shop", round), "voucher"))
			answers := kit.AtOnce(crowd, func(i int) site.Answer {
				op := operators[i%2]
				switch i % 4 {
				case 0:
					return op.Insist(http.MethodDelete, admin+"/skus/spa", "", nil)
				case 1:
					return op.Insist(http.MethodPut, admin+"/skus/spa", "", spa(fmt.Sprint("other", i), "voucher"))
				default:
					return importCodes(op, fmt.Sprint(round, "-", i), fmt.Sprintf("SPA-%d-%d", round, i))
				}
			})
			count := func(query string) (n int) {
				require.NoError(t, stores.DB.Read.GetContext(t.Context(), &n, query))
				return n
			}
			for i, a := range answers {
				assert.Less(t, a.Status, http.StatusInternalServerError, "%d: %s", i, a.Body)
			}
			const orphans = `SELECT COUNT(*) FROM voucher_codes c WHERE NOT EXISTS (SELECT 1 FROM skus s
				WHERE s.sku_id = c.sku_id) OR NOT EXISTS (SELECT 1 FROM voucher_pools p WHERE p.sku_id = c.sku_id)`
			assert.Zero(t, count(orphans))
			assert.Equal(t, count(`SELECT COUNT(*) FROM voucher_codes`),
				count(`SELECT COALESCE(SUM(imported - given - withdrawn), 0) FROM voucher_pools`))
			if count(`SELECT COUNT(*) FROM voucher_codes`) > 0 {
				a := operators[0].Insist(http.MethodPost, admin+"/skus/spa/vouchers:withdraw", fmt.Sprint("w", round),
					map[string]any{"all": true})
				require.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
			}
			if a := operators[1].Insist(http.MethodDelete, admin+"/skus/spa", "", nil); a.Status >= 300 {
				require.Equal(t, http.StatusNotFound, a.Status, "%s", a.Body)
			}
			assert.Zero(t, count(`SELECT COUNT(*) FROM voucher_pools`))
		}
	})
}
