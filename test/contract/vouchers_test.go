package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/web/client"
)

// A partner's codes are imported, given, waited for and withdrawn.
func TestImportedVouchersAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		spa := param("sku_id", "spa")
		codes := func(codes ...string) object { return object{"codes": append([]string{}, codes...)} }
		w.op.do(t, 404, "importVouchers", spa, sent(codes("SPA-1")))
		w.op.do(t, 200, "putSKU", spa, sent(voucherBody(0)))
		w.op.do(t, 409, "importVouchers", param("sku_id", "lamp"), sent(codes("SPA-1")))
		w.op.do(t, 404, "withdrawVouchers", spa, sent(object{"all": true}))
		for range 2 { // the second time by its key
			done := do[client.ImportedVouchers](t, w.op, 200, "importVouchers", spa, key("i1"),
				sent(codes("SPA-1", "SPA-2", "SPA-1")))
			assert.EqualValues(t, 2, done.Accepted)
			assert.Len(t, done.Skipped, 1)
		}
		w.op.do(t, 422, "importVouchers", spa, key("i1"), sent(codes("SPA-3")))
		again := do[client.ImportedVouchers](t, w.op, 200, "importVouchers", spa, key("i2"), sent(codes("SPA-2")))
		assert.Equal(t, "known", string(again.Skipped[0].Reason))

		buy := func(k string, quantity int) client.Item {
			placed := do[client.CreateOrders201JSONResponseBody](t, w.ada, 201, "createOrders", key(k),
				sent(object{"items": []object{{"sku_id": "spa", "quantity": quantity}}})).Orders
			number := placed[0].OrderNumber // a free order is paid when its payment begins
			w.ada.do(t, 201, "beginPayment", key(k),
				sent(object{"order_numbers": []string{number}, "channel": "sandbox"}))
			return do[client.Order](t, w.ada, 200, "getOrder", param("order_number", number)).Items[0]
		}
		assert.Equal(t, []string{"SPA-1"}, buy("o1", 1).VoucherCodes)
		waits := buy("o2", 3)
		assert.Equal(t, []string{"SPA-2"}, waits.VoucherCodes)
		assert.EqualValues(t, 2, waits.VouchersWaiting)
		pools := do[client.VoucherPoolList](t, w.op, 200, "listVoucherPools", query("waiting=true&page_size=1")).Items
		p := pools[0]
		assert.Equal(t, []int64{2, 2, 0, 2}, []int64{p.Imported, p.Given, p.Left, p.Waiting})

		w.op.do(t, 200, "importVouchers", spa, sent(codes("SPA-3", "SPA-4", "SPA-5", "SPA-6")))
		found := do[client.AdminOrder](t, w.op, 200, "getAdminOrder", param("order_number", pools[0].OldestOrder))
		assert.Equal(t, []string{"SPA-2", "SPA-3", "SPA-4"}, found.Items[0].VoucherCodes)
		gone := do[client.WithdrawnVouchers](t, w.op, 200, "withdrawVouchers", spa, sent(codes("SPA-5", "SPA-1")))
		assert.EqualValues(t, 1, gone.Withdrawn)
		w.op.do(t, 422, "withdrawVouchers", spa, sent(codes()))
		w.op.do(t, 422, "withdrawVouchers", spa, sent(object{}))
		card := param("sku_id", "card")
		w.op.do(t, 200, "putSKU", card, sent(voucherBody(100)))
		w.op.do(t, 200, "importVouchers", card, sent(codes()))
		first := do[client.VoucherPoolList](t, w.op, 200, "listVoucherPools", query("page_size=1"))
		assert.Equal(t, "card", first.NextCursor)
		rest := do[client.VoucherPoolList](t, w.op, 200, "listVoucherPools", query("page_size=1&after=card")).Items
		assert.Equal(t, "spa", string(rest[0].SKUID))
	})
}
