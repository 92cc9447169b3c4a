package contract

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web/client"
)

// held sets a lamp of the sale aside for a desk.
func (w *world) held(t testing.TB) client.UnitHold {
	t.Helper()
	return do[client.UnitHold](t, w.op, 201, "holdUnits", param("activity_id", w.activity),
		sent(object{"sku_id": "lamp", "point_id": "north"}))
}

// holdBodies are the bodies of operations with units set aside.
func (w *world) holdBodies() map[string]object {
	return map[string]object{
		"holdUnits": {
			"sku_id": "lamp", "point_id": "0", "quantity": 1, "user_id": "u-" + rand.Text(), "note": "For the stand",
			"until": time.Now().Add(time.Hour),
		},
		"nameHold": {"user_id": "u-" + rand.Text()},
		"orderHold": {
			"user_id": "ada", "quantity": 1, "delivery": "express", "address_id": w.address, "remark": "soon",
			"fields": object{"gift": "yes"}, "room_id": "r", "share_code": "c", "share_source": "s", "inviter_id": "i",
			"client_reference": "po-1", "notify_token": "form-1",
		},
	}
}

func TestUnitsSetAsideAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		sale := param("activity_id", w.activity)
		left := func() int64 {
			audit := do[client.Audit](t, w.op, 200, "auditActivity", sale)
			assert.True(t, audit.Ok)
			return audit.Items[1].Remaining + audit.Items[1].Offered
		}
		all := left()
		w.held(t)
		until := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
		body := object{
			"sku_id": "lamp", "point_id": "north", "quantity": 2, "user_id": "ada", "note": "Stand", "until": until,
		}
		ada := do[client.UnitHold](t, w.op, 201, "holdUnits", sale, key("hold"), sent(body))
		assert.Equal(t, []any{"ada", "Stand", int64(2)}, []any{ada.UserID, ada.Note, ada.Quantity})
		again := do[client.UnitHold](t, w.op, 201, "holdUnits", sale, key("hold"), sent(body))
		assert.True(t, again.Replayed)
		assert.Equal(t, ada.HoldID, again.HoldID)
		assert.Equal(t, "conflict", w.op.do(t, 409, "holdUnits", sale, sent(body)).Code())
		body["quantity"], body["user_id"] = 1000000000, "bob"
		assert.Equal(t, "conflict", w.op.do(t, 409, "holdUnits", sale, sent(body)).Code())
		assert.Equal(t, all, left())
		list := do[client.UnitHoldList](t, w.op, 200, "listHolds", sale, query("page_size=1"))
		assert.EqualValues(t, 2, list.Total)
		assert.NotEmpty(t, list.NextCursor)
		offered := do[struct{ Items []client.WaitlistEntry }](t, w.ada, 200, "listWaits",
			query("activity_id="+w.activity)).Items
		require.Len(t, offered, 1)
		assert.Equal(t, "offered", offered[0].State)
		stand := do[client.UnitHold](t, w.op, 201, "holdUnits", sale,
			sent(object{"sku_id": "lamp", "point_id": "0", "user_id": "cid"}))
		assert.Equal(t, "conflict", w.op.do(t, 409, "nameHold", sale, param("hold_id", stand.HoldID),
			sent(object{"user_id": "bob"})).Code())

		// As an offer it needs no place in a line, and no permit.
		w.ada.do(t, 202, "submit", param("path", w.path(t, w.ada)), key("mine"),
			sent(object{"quantity": 2, "address_id": w.address}))
		assert.Equal(t, "conflict", w.op.do(t, 409, "releaseHold", sale, param("hold_id", ada.HoldID)).Code())

		w.op.do(t, 202, "runJob", param("name", "serve_waitlists"), key("serve"))
		require.Eventually(t, func() bool {
			return do[client.UnitHoldList](t, w.op, 200, "listHolds", sale).Total == 2
		}, time.Minute, 10*time.Millisecond)
		w.op.do(t, 204, "releaseHold", sale, param("hold_id", stand.HoldID))
		w.op.do(t, 404, "releaseHold", sale, param("hold_id", stand.HoldID))
		assert.Equal(t, "conflict", w.op.do(t, 409, "holdUnits", param("activity_id", w.draft),
			sent(object{"sku_id": "lamp", "point_id": "0"})).Code())
	})
}

func TestUnitsSetAsideBecomeAnOrder(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		sale, desk := param("activity_id", w.activity), w.held(t)
		assert.True(t, do[client.Activity](t, w.ada, 200, "getActivity", sale).Holds)
		named := do[client.UnitHold](t, w.op, 200, "nameHold", sale, param("hold_id", desk.HoldID),
			sent(object{"user_id": "ada"}))
		assert.Equal(t, "ada", named.UserID)
		hold := param("hold_id", desk.HoldID)
		w.op.do(t, 422, "orderHold", sale, hold, sent(object{"quantity": 2, "address_id": w.address}))
		w.op.do(t, 409, "orderHold", sale, hold, sent(object{"user_id": "bob", "address_id": w.address}))
		elsewhere := do[client.Address](t, w.ada, 201, "createAddress", sent(object{
			"receiver": "Ada", "phone": "1", "region": "DE-BY", "detail": "1",
		})).AddressID
		served := w.op.do(t, 422, "orderHold", sale, hold, sent(object{"address_id": elsewhere}))
		assert.Contains(t, string(served.Body), "the units are at north")
		order := do[client.OrderedHold](t, w.op, 201, "orderHold", sale, hold, key("order"),
			sent(object{"address_id": w.address}))
		same := do[client.OrderedHold](t, w.op, 201, "orderHold", sale, hold, key("order"),
			sent(object{"address_id": w.address}))
		assert.Equal(t, []any{order.OrderNumber, true}, []any{same.OrderNumber, same.Replayed})
		w.op.do(t, 404, "orderHold", sale, hold, sent(object{"address_id": w.address}))
		shown := do[client.Order](t, w.ada, 200, "getOrder", param("order_number", order.OrderNumber))
		assert.Equal(t, "unpaid", shown.Status)
	})
}
