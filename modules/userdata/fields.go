package userdata

import (
	"strings"

	"onrush/lua"
	"onrush/modules/journal"
)

// This file lists the columns and fields of SQL that hold the id of a buyer. Exports read these, erasures replace
// these, and neither touches anything else: another value may look like a user id by chance. A test finds columns and
// fields that are missing here.

// column is a column that holds the id of a buyer, in the rows that meet a condition.
type column struct{ table, name, where string }

var columns = []column{
	{"orders", "user_id", ""}, // and in the records, which modules/order writes
	{"orders_archive", "user_id", ""},
	{"order_labels", "value", "name = 'inviter_id'"},
	{"order_sources", "inviter_id", ""},
	{"activity_counts", "name", "(counted = 'a' OR counted LIKE 's:%')"},
	{"payments", "user_id", ""},
	{"addresses", "user_id", ""},
	{"user_locks", "user_id", ""},
	{"waitlist", "user_id", ""},
	{"reminders", "user_id", ""},
	{"draw_entries", "user_id", ""},
	{"idempotency_keys", "user_id", "caller = 'buyer'"},
	{"sale_buyers", "user_id", ""},
	{"sale_code_uses", "user_id", ""},
	{"events", "user_id", ""}, // and in their data
	// Not erased: blocked.subject, which stays until the block ends; stock_outbox.user_id, whose rows of buyers go when
	// the sale is settled, before it is retired; and erasures.user_id, which goes at the end.
}

// blockedUser begins the target of changes of a user's block.
const blockedUser = "blocked:user:"

// eventFields are the fields of the data of events that hold the user of the event, by type. All events of a type that
// is not here are of no buyer. A row of several events has Event.User of each.
var eventFields = map[string][]field{
	journal.OrderPlaced: nil, journal.OrderPaid: nil, journal.OrderCancelled: nil, journal.OrderRefunded: nil,
	journal.OrderFailed: nil, journal.OrderVouchersGiven: nil, journal.OrderPayExtended: nil,
	journal.OrderSKUChanged:     nil,
	journal.OrderAddressChanged: nil, journal.OrderPacked: nil, journal.OrderShipped: nil, journal.OrderDelivered: nil,
	journal.PaymentFlagged: {{"payment.user_id", whole}},
	journal.RefundDone:     nil, journal.RefundFailed: nil,
	journal.DisputeOpened: nil, journal.DisputeUpdated: nil, journal.DisputeClosed: nil,
	journal.WaitlistOffered: nil,
	// An event of reminders has a list of users. Their ids come last, since they say whose the tokens are.
	journal.ReminderDue: {{"reminder.users.notify_token", removed}, {"reminder.users.user_id", whole}},
}

// logFields are the fields that hold a buyer in the values of the operators' log, by action. Only actions on a buyer's
// order, dead entry or block are here.
var logFields = map[string][]field{
	"blocked.created": {{"subject", whole}}, "blocked.changed": {{"subject", whole}},
	"blocked.deleted": {{"subject", whole}},
	"dead.replayed":   deadFields, "dead.discarded": deadFields,
	"order.noted":    {{"text", removed}},
	"order.refunded": nil, "order.cancelled": nil, "order.marked_paid": nil, "voucher.redeemed": nil,
	"order.marked_refunded": nil, "order.restocked": nil, "order.held": nil,
	"order.paid_outside": {{"user_id", whole}},
	"order.packed":       nil, "order.shipped": parcelFields, "order.delivered": parcelFields,
}

// parcelFields are the fields of a mark of an order. A carrier says by its number where the buyer lives.
var parcelFields = []field{{"tracking_number", removed}}

// deadFields are the fields of a queue.DeadItem. Its detail is the error of a store, which may quote a value.
var deadFields = []field{{"user_id", whole}, {"entry", entryOf}, {"detail", removed}}

// field is a field of a JSON value, by its path of names separated by dots, and what replaces it.
type field struct {
	path string
	// without returns the value of the field without a user.
	without func(value, user, by string) string
}

func whole(value, user, by string) string {
	if value == user {
		return by
	}
	return value
}

func removed(_, _, _ string) string { return "" }

// entryOf replaces the user of an entry of the queue, which is its last part.
func entryOf(value, user, by string) string {
	if e, err := lua.ParseEntry(value); err == nil && e.User == user {
		return strings.TrimSuffix(value, user) + by
	}
	return value
}

// replace replaces a user in the fields of a decoded JSON object, and reports whether it changed one.
func replace(value any, fields []field, user, by string) (changed bool) {
	for _, f := range fields {
		changed = f.replaceIn(value, strings.Split(f.path, "."), user, by) || changed
	}
	return changed
}

// replaceIn replaces a user in the field at a path. In a list of users, it changes only this user's item.
func (f field) replaceIn(value any, path []string, user, by string) (changed bool) {
	if list, ok := value.([]any); ok {
		for _, item := range list {
			if of, _ := item.(map[string]any); of["user_id"] == user {
				changed = f.replaceIn(item, path, user, by) || changed
			}
		}
		return changed
	}
	object, _ := value.(map[string]any)
	if len(path) > 1 {
		return f.replaceIn(object[path[0]], path[1:], user, by)
	}
	had, ok := object[path[0]].(string)
	if !ok {
		return false
	}
	now := f.without(had, user, by)
	if now != had {
		object[path[0]] = now
	}
	return now != had
}
