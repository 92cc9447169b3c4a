package contract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/web/client"
)

func TestRemindersAnswerAsTheFileSays(t *testing.T) {
	t.Parallel()
	answers(t, func(t *testing.T, w *world) {
		bob := w.buyer(t, "bob")
		sale := saleBody()
		sale["starts_at"], sale["ends_at"] = time.Now().Add(4*time.Minute), time.Now().Add(time.Hour)
		coming := do[client.AdminActivity](t, w.op, 201, "createActivity", sent(sale)).ActivityID
		w.op.do(t, 200, "publishActivity", param("activity_id", coming))
		start := object{"activity_id": coming, "kind": "start", "notify_token": "form-1"}
		made := do[client.Reminder](t, bob, 200, "remind", sent(start))
		assert.Equal(t, "waiting", made.State)
		assert.Equal(t, made, do[client.Reminder](t, bob, 200, "remind", sent(start)))
		start["activity_id"] = w.activity
		assert.Equal(t, "already_started", bob.do(t, 409, "remind", sent(start)).Code())
		lamp := object{"activity_id": coming, "sku_id": "lamp", "kind": "units"}
		assert.Equal(t, "not_started", bob.do(t, 409, "remind", sent(lamp)).Code())
		lamp["activity_id"] = w.activity
		assert.Equal(t, "not_sold_out", bob.do(t, 409, "remind", sent(lamp)).Code())
		lamp["activity_id"] = w.soldOut(t)
		units := do[client.Reminder](t, bob, 200, "remind", sent(lamp))

		require.Eventually(t, func() bool {
			return client.ReminderCounts{Start: 1} ==
				do[client.ReminderCounts](t, w.op, 200, "countReminders", param("activity_id", coming))
		}, time.Minute, 50*time.Millisecond)

		require.Equal(t, 1, w.site.Job(t, "tell_reminders"))
		mine := do[struct{ Items []client.Reminder }](t, bob, 200, "listReminders", query("activity_id="+coming)).Items
		require.Len(t, mine, 1)
		assert.Equal(t, "told", mine[0].State)
		w.site.Number(t)
		events := do[client.PlatformEventList](t, w.op, 200, "listEvents", query("after=0&types=reminder.due")).Items
		require.Len(t, events, 1)
		assert.Equal(t, "form-1", events[0].Data.Reminder.Users[0].NotifyToken)
		export := do[client.UserExport](t, w.op, 200, "exportUser", param("user_id", "bob"))
		assert.Len(t, export.Reminders, 2)
		assert.Equal(t, "form-1", export.Reminders[0].NotifyToken)

		assert.Equal(t, "not_found", w.ada.do(t, 404, "forgetReminder", param("reminder_id", units.ReminderID)).Code())
		bob.do(t, 204, "forgetReminder", param("reminder_id", units.ReminderID))
		w.tellsOfUnits(t, bob, lamp)
	})
}

// tellsOfUnits lets a buyer be told of units that return to a sold-out sale.
func (w *world) tellsOfUnits(t testing.TB, of *person, lamp object) {
	t.Helper()
	do[client.Reminder](t, of, 200, "remind", sent(lamp))
	w.op.do(t, 200, "changeStock", param("activity_id", lamp["activity_id"].(string)), key("more"),
		sent(object{"sku_id": "lamp", "point_id": "north", "delta": 1}))
	require.Eventually(t, func() bool { return w.site.Job(t, "tell_reminders") == 1 }, time.Minute, 50*time.Millisecond)
	w.site.Number(t)
	told := do[client.PlatformEventList](t, w.op, 200, "listEvents", query("after=0&types=reminder.due")).Items
	require.Len(t, told, 2)
	assert.Equal(t, "lamp", told[1].Data.Reminder.SKUID)
}
