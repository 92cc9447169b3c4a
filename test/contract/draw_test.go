package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web/client"
)

// drawn returns a published draw of one lamp that starts later.
func (w *world) drawn(t testing.TB) string {
	t.Helper()
	if w.lots == "" {
		w.lots = w.opensDraw(t)
	}
	return w.lots
}

func (w *world) opensDraw(t testing.TB) string {
	t.Helper()
	sale := saleBody()
	sale["mode"], sale["starts_at"] = "draw", time.Now().Add(30*time.Minute)
	sale["skus"] = []object{{
		"sku_id": "lamp", "flash_price": 1900, "stock": []object{{"point_id": "north", "quantity": 1}},
	}}
	made := do[client.AdminActivity](t, w.op, 201, "createActivity", sent(sale))
	assert.Equal(t, "draw", made.Mode)
	w.op.do(t, 200, "publishActivity", param("activity_id", made.ActivityID))
	return made.ActivityID
}

// shown is what operators and buyers are shown of a draw.
func (w *world) shown(t testing.TB, sale part) (texts []string) {
	t.Helper()
	for _, id := range []string{"getAdminActivity", "getAdminDraw", "listChanges"} {
		parts := []part{sale}
		if id == "listChanges" {
			parts = []part{query("page_size=100")}
		}
		texts = append(texts, string(w.op.do(t, 200, id, parts...).Body))
	}
	for _, id := range []string{"getActivity", "getDraw", "listLots", "listDrawEntries"} {
		texts = append(texts, string(w.ada.do(t, 200, id, sale).Body))
	}
	return texts
}

// A draw refuses buyers as they enter whom the sale would refuse later.
func TestTheGatesOfADrawHoldForWhoEnters(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		sale := param("activity_id", w.opensDraw(t))
		refused := func(status int, code string, body object) {
			t.Helper()
			assert.Equal(t, code, w.ada.do(t, status, "enterDraw", sale, sent(body)).Code())
		}
		change := func(body object) { w.op.do(t, 200, "changeActivity", sale, sent(body)) }
		many := w.enters()
		many["quantity"] = 2
		refused(422, "invalid_request", many)
		change(object{"segments": []string{"vip"}})
		refused(403, "not_in_segment", w.enters())
		change(object{"segments": []string{"members"}, "eligibility": object{"list": true}})
		refused(403, "not_eligible", w.enters())
		w.op.do(t, 422, "changeActivity", sale, sent(object{"eligibility": object{"code": true}}))
		change(object{"eligibility": object{}, "starts_at": time.Now()})
		refused(409, "draw_closed", w.enters()) // by the clock: the entries are not closed yet
		assert.Empty(t, do[client.Draw](t, w.ada, 200, "getDraw", sale).ClosedAt)
	})
}

// enters is what ada sends to take part in a draw.
func (w *world) enters() object {
	return object{"sku_id": "lamp", "quantity": 1, "delivery": "express", "address_id": w.address}
}

// entersForPickup lets ada enter a draw of goods that she picks up, and leave it.
func (w *world) entersForPickup(t testing.TB, sale part) {
	t.Helper()
	e := do[client.DrawEntry](t, w.ada, 200, "enterDraw", sale,
		sent(object{"sku_id": "lamp", "delivery": "pickup", "pickup_point_id": "north"}))
	kept := do[client.UserExport](t, w.op, 200, "exportUser", param("user_id", "ada")).Draws
	require.Len(t, kept, 1)
	assert.Equal(t, "north", kept[0].PickupPointID)
	w.ada.do(t, 204, "leaveDraw", sale, param("entry_id", e.EntryID))
}

func TestDrawsAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		sale := param("activity_id", w.opensDraw(t))
		assert.Equal(t, "draw", do[client.Activity](t, w.ada, 200, "getActivity", sale).Mode)
		before := do[client.Draw](t, w.ada, 200, "getDraw", sale)
		assert.Empty(t, before.Seed)
		entries := map[string]*person{}
		for _, name := range []string{"bob", "cid"} {
			p := w.buyer(t, name)
			body := w.enters()
			body["address_id"] = do[client.Address](t, p, 201, "createAddress", sent(addressBody)).AddressID
			e := do[client.DrawEntry](t, p, 200, "enterDraw", sale, sent(body))
			assert.Equal(t, e, do[client.DrawEntry](t, p, 200, "enterDraw", sale, sent(body)))
			assert.Equal(t, "entered", e.State)
			entries[e.EntryID] = p
		}
		ada := do[client.DrawEntry](t, w.ada, 200, "enterDraw", sale, sent(w.enters()))
		assert.Len(t, do[client.UserExport](t, w.op, 200, "exportUser", param("user_id", "ada")).Draws, 1)
		w.ada.do(t, 204, "leaveDraw", sale, param("entry_id", ada.EntryID))
		w.ada.do(t, 404, "leaveDraw", sale, param("entry_id", ada.EntryID))
		w.entersForPickup(t, sale)
		other := param("activity_id", w.activity)
		assert.Equal(t, "not_found", w.ada.do(t, 404, "enterDraw", other, sent(w.enters())).Code())
		for _, id := range []string{"listDrawEntries", "getDraw", "listLots"} {
			assert.Equal(t, "not_found", w.ada.do(t, 404, id, other).Code(), id)
		}
		w.op.do(t, 422, "changeActivity", sale, sent(object{"offer_within_s": 0}))
		assert.Empty(t, do[client.LotList](t, w.ada, 200, "listLots", sale).Items)

		shown := w.shown(t, sale)
		w.op.do(t, 200, "changeActivity", sale, sent(object{"starts_at": time.Now()}))
		w.site.Job(t, "serve_waitlists")
		require.Eventually(t, func() bool {
			return do[client.Draw](t, w.ada, 200, "getDraw", sale).Drawn == 1
		}, time.Minute, 10*time.Millisecond)
		result := do[client.Draw](t, w.op, 200, "getAdminDraw", sale)
		sum := sha256.Sum256([]byte(result.Seed))
		assert.Equal(t, before.SeedHash, hex.EncodeToString(sum[:]))
		assert.EqualValues(t, 2, result.Entries)
		for _, text := range shown {
			assert.NotContains(t, text, result.Seed, "before the start")
		}
		first := do[client.LotList](t, w.ada, 200, "listLots", sale, query("page_size=1&sku_id=lamp"))
		assert.True(t, first.Items[0].Drawn)
		second := do[client.LotList](t, w.ada, 200, "listLots", sale, query("after="+first.NextCursor))
		assert.EqualValues(t, 2, second.Items[0].Rank)
		assert.Equal(t, "draw_closed", w.ada.do(t, 409, "enterDraw", sale, sent(w.enters())).Code())
		path := sent(object{"activity_id": ada.ActivityID, "sku_id": "lamp"})
		assert.Equal(t, "not_drawn", entries[second.Items[0].EntryID].do(t, 409, "takePath", path).Code())
		winner := entries[first.Items[0].EntryID]
		mine := do[struct{ Items []client.DrawEntry }](t, winner, 200, "listDrawEntries", sale).Items
		require.Len(t, mine, 1)
		assert.Equal(t, "offered", mine[0].State)
		assert.EqualValues(t, 1, mine[0].Rank)
		to := do[client.Path](t, winner, 200, "takePath", path).Path
		winner.do(t, 202, "submit", param("path", to), key("mine"),
			sent(object{"quantity": 1, "address_id": mine[0].AddressID}))
		w.site.Job(t, "serve_waitlists")
		require.Eventually(t, func() bool {
			return do[struct{ Items []client.DrawEntry }](t, winner, 200, "listDrawEntries", sale).
				Items[0].State == "over"
		}, time.Minute, 10*time.Millisecond)
		entries[second.Items[0].EntryID].do(t, 204, "leaveDraw", sale, param("entry_id", second.Items[0].EntryID))
		lots := do[client.LotList](t, w.ada, 200, "listLots", sale).Items
		assert.Equal(t, []bool{false, true}, []bool{lots[0].Left, lots[1].Left})
		assert.Equal(t, "north", lots[0].PointID)
	})
}
