package contract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web/client"
)

// waits is what ada sends to wait for a lamp of a sale.
func (w *world) waits(activity string) object {
	return object{
		"activity_id": activity, "sku_id": "lamp", "quantity": 1, "delivery": "express", "address_id": w.address,
	}
}

// soldOut returns a sale with a waiting list whose lamp ada has bought.
func (w *world) soldOut(t testing.TB) string {
	t.Helper()
	if w.full == "" {
		w.full, _ = w.oneLamp(t)
		w.buysLast(t, w.full)
	}
	return w.full
}

// oneLamp publishes a sale of one lamp with a waiting list, and returns its id and what ada sends to wait for it.
func (w *world) oneLamp(t testing.TB) (activity string, body object) {
	t.Helper()
	sale := saleBody()
	sale["permit_ratio"] = -1
	sale["skus"] = []object{{
		"sku_id": "lamp", "flash_price": 1900, "stock": []object{{"point_id": "north", "quantity": 1}},
	}}
	activity = do[client.AdminActivity](t, w.op, 201, "createActivity", sent(sale)).ActivityID
	made := do[client.AdminActivity](t, w.op, 200, "publishActivity", param("activity_id", activity))
	assert.EqualValues(t, 600, made.OfferWithinS)
	return activity, w.waits(activity)
}

func (w *world) buysLast(t testing.TB, activity string) client.Submitted {
	t.Helper()
	path := do[client.Path](t, w.ada, 200, "takePath", sent(object{"activity_id": activity, "sku_id": "lamp"})).Path
	return do[client.Submitted](t, w.ada, 202, "submit", param("path", path), key("last"),
		sent(object{"quantity": 1, "address_id": w.address}))
}

func TestWaitingListsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		w.place(t)
		bob := w.buyer(t, "bob")
		activity, body := w.oneLamp(t)
		body["address_id"] = do[client.Address](t, bob, 201, "createAddress", sent(addressBody)).AddressID
		assert.Equal(t, "not_sold_out", bob.do(t, 409, "joinWaitlist", sent(body)).Code())
		bought := w.buysLast(t, activity)
		assert.EqualValues(t, 600, do[client.Activity](t, bob, 200, "getActivity",
			param("activity_id", activity)).OfferWithinS)
		entry := do[client.WaitlistEntry](t, bob, 200, "joinWaitlist", sent(body))
		assert.Equal(t, "waiting", entry.State)
		assert.EqualValues(t, 1, entry.Place)
		assert.Equal(t, entry, do[client.WaitlistEntry](t, bob, 200, "joinWaitlist", sent(body)))

		w.ada.do(t, 200, "cancelOrder", param("order_number", bought.OrderNumber), key("back"))
		w.op.do(t, 202, "runJob", param("name", "settle_stock"), key("settle"))
		w.op.do(t, 202, "runJob", param("name", "serve_waitlists"), key("serve"))
		mine := func() []client.WaitlistEntry {
			return do[struct{ Items []client.WaitlistEntry }](t, bob, 200, "listWaits",
				query("activity_id="+activity)).Items
		}
		require.Eventually(t, func() bool { return len(mine()) == 1 && mine()[0].State == "offered" }, time.Minute,
			10*time.Millisecond)
		audit := do[client.Audit](t, w.op, 200, "auditActivity", param("activity_id", activity))
		assert.EqualValues(t, 1, audit.Items[0].Offered)
		assert.True(t, audit.Ok)
		w.ada.do(t, 409, "takePath", sent(object{"activity_id": activity, "sku_id": "lamp"}))

		assert.Equal(t, "not_found", w.ada.do(t, 404, "leaveWaitlist", param("entry_id", entry.EntryID)).Code())
		path := do[client.Path](t, bob, 200, "takePath", sent(object{"activity_id": activity, "sku_id": "lamp"})).Path
		choice := object{"quantity": 1, "address_id": body["address_id"]}
		bob.do(t, 200, "confirm", param("path", path), sent(choice))
		bob.do(t, 202, "submit", param("path", path), key("mine"), sent(choice))

		w.op.do(t, 200, "changeActivity", param("activity_id", w.room), sent(object{"offer_within_s": 0}))
		body["activity_id"] = w.room
		assert.Equal(t, "no_waitlist", bob.do(t, 409, "joinWaitlist", sent(body)).Code())
		cid := w.buyer(t, "cid")
		body["activity_id"] = activity
		delete(body, "address_id")
		body["delivery"], body["pickup_point_id"] = "pickup", "north"
		entry = do[client.WaitlistEntry](t, cid, 200, "joinWaitlist", sent(body))
		kept := do[client.UserExport](t, w.op, 200, "exportUser", param("user_id", "cid")).Waitlist
		require.Len(t, kept, 1)
		assert.Equal(t, "north", kept[0].PickupPointID)
		cid.do(t, 204, "leaveWaitlist", param("entry_id", entry.EntryID))
	})
}
