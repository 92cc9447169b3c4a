package userdata

import (
	"encoding"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/journal"
	"onrush/modules/order"
	orderadmin "onrush/modules/order/admin"
	"onrush/modules/order/fulfilment"
	"onrush/modules/order/queue"
	"onrush/modules/pay"
	"onrush/modules/pay/outside"
	"onrush/modules/seckill/gates/blocked"
	"onrush/modules/seckill/remind"
	"onrush/modules/seckill/waitlist"
	"onrush/test/kit"
)

// ofNobody are the names of columns and of JSON fields that hold no buyer's id, in whatever table or value they are.
// Operators (actor, who, …_by) are no buyers. A new name needs a decision.
var ofNobody = strings.Fields(`
	action activity_id actor address address_id after_value answer asked_by at before_value body carrier change_id
	channel choice claim closed_at code counted created_at created_by currency data dead_id delivery description
	detail digest disabled_reason dispute_id done_at due_at eligibility endpoint_id entry_id error event event_id
	expires_at fingerprint flag former_sku_id gateway_refund_id hash held_by hours image_url images instance key_id kind
	last_error lease_owner limit_key limits lines name needs next_step next_try_at note note_id notify_token number_key
	object_key opened_at operator operator_reason order_number outbox_id outcome outside_id paid_at params part parts
	paused_by pay_number phone pickup_point_id point_id previous_secret provider pseudonym reason receiver record
	redeemed_by redeemed_where redirect_url reference refund_number region regions requested_by required_fields reserved
	reserved_for return_url revoked_by room_id run_id scope search_name secret segments share_code share_source shop_id
	signed_in sku_id state status subject target task_id text title transaction_id type types under_way_at until
	updated_at url user_digest value voucher_codes waiting_room waits_for waves what who
`)

// unerased are the columns that hold a buyer and stay, with the reason.
var unerased = map[string]string{
	"blocked.subject":      "a block stays until it ends",
	"stock_outbox.user_id": "its rows of orders go before a sale is retired",
	"erasures.user_id":     "it goes at the end",
	"activity_counts.name": "named in the table with a condition",

	"orders.receiver_name":         "the erasure of an order's record empties it",
	"orders_archive.receiver_name": "an archived order is live again before it is erased",
	"fulfilments.tracking_number":  "no buyer's id; order.Forget removes it",
}

func TestEveryColumnThatMayHoldAUserIsInTheTable(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	var found []struct {
		Table  string `db:"tbl"`
		Column string `db:"col"`
		Type   string `db:"kind"`
	}
	require.NoError(t, stores.DB.Read.SelectContext(t.Context(), &found, `SELECT m.name AS tbl, p.name AS col,
		p.type AS kind FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table'
		AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'goose_%'`))
	require.Greater(t, len(found), 300)
	wide := regexp.MustCompile(`^VARCHAR\((\d+)\)$`)
	for _, c := range found {
		if m := wide.FindStringSubmatch(c.Type); m != nil {
			if n, _ := strconv.Atoi(m[1]); n < 64 { // no user id fits
				continue
			}
		} else if !strings.HasSuffix(c.Type, "TEXT") {
			continue
		}
		listed := slices.ContainsFunc(columns, func(l column) bool { return l.table == c.Table && l.name == c.Column })
		_, stays := unerased[c.Table+"."+c.Column]
		assert.True(t, listed || stays || slices.Contains(ofNobody, c.Column) && c.Column != "user_id",
			"%s.%s may hold a buyer's id: name it in columns, or its name in ofNobody", c.Table, c.Column)
	}
	for _, l := range columns {
		query := `SELECT COUNT(*) FROM ` + l.table + ` WHERE ` + l.name + ` = ''`
		if l.where != "" {
			query += ` AND ` + l.where
		}
		var n int
		assert.NoError(t, stores.DB.Read.GetContext(t.Context(), &n, query), "%+v", l)
	}
}

// eventData are the data of the events of a buyer, by type.
var eventData = map[string]any{
	journal.OrderPlaced: nil, journal.OrderPaid: nil, journal.OrderCancelled: nil, journal.OrderFailed: nil,
	journal.OrderAddressChanged: nil, journal.OrderPacked: nil, journal.OrderShipped: nil, journal.OrderDelivered: nil,
	journal.OrderVouchersGiven: nil, journal.OrderPayExtended: nil, journal.OrderSKUChanged: journal.SKUChanged{},
	journal.OrderRefunded: order.RefundState{},
	journal.PaymentFlagged: struct {
		P pay.OperatorView `json:"payment"`
	}{},
	journal.RefundDone: struct {
		R pay.RefundView `json:"refund"`
	}{},
	journal.RefundFailed: struct {
		R pay.RefundView `json:"refund"`
	}{},
	journal.DisputeOpened:  dispute,
	journal.DisputeUpdated: dispute,
	journal.DisputeClosed:  dispute,

	journal.WaitlistOffered: waitlist.OfferedData{},
	journal.ReminderDue:     remind.DueData{},
}

var dispute = struct {
	D pay.DisputeView `json:"dispute"`
}{}

// logValues are the values of the operators' log of what belongs to a buyer, by action.
var logValues = map[string]any{
	"blocked.created": blocked.Entry{}, "blocked.changed": blocked.Entry{}, "blocked.deleted": blocked.Entry{},
	"dead.replayed": queue.DeadItem{}, "dead.discarded": queue.DeadItem{}, "order.noted": orderadmin.Note{},
	"order.refunded": pay.RefundView{}, "order.marked_refunded": orderadmin.OutsideRefund{},
	"order.paid_outside": outside.PaidRequest{}, "order.held": outside.Held{},
	"order.packed": nil, "order.shipped": fulfilment.Marked{}, "order.delivered": fulfilment.Marked{},
	// These have a reason, or where, and nothing else.
	"order.cancelled": nil, "order.marked_paid": nil, "order.restocked": nil, "voucher.redeemed": nil,
}

func TestEveryFieldOfAnEventOrChangeThatMayHoldAUserIsInTheTable(t *testing.T) {
	t.Parallel()
	for _, kind := range journal.Types() {
		fields, listed := eventFields[kind]
		data, known := eventData[kind]
		assert.Equal(t, known, listed, kind)
		if !strings.HasPrefix(kind, "activity.") {
			assert.True(t, listed, "%s is of a buyer", kind)
		}
		assertDecided(t, kind, data, fields)
	}
	for action, fields := range logFields {
		value, known := logValues[action]
		assert.True(t, known, action)
		assertDecided(t, action, value, fields)
	}
}

// assertDecided asserts that a table has each text in a value that may hold a user.
func assertDecided(t *testing.T, of string, value any, fields []field) {
	t.Helper()
	if value == nil {
		assert.Empty(t, fields, of)
		return
	}
	texts := textsIn(reflect.TypeOf(value), "")
	for _, path := range texts {
		name := strings.TrimSuffix(path, ".*") // a map
		name = name[strings.LastIndex(name, ".")+1:]
		listed := slices.ContainsFunc(fields, func(f field) bool { return f.path == path })
		assert.True(t, listed || slices.Contains(ofNobody, name) && name != "user_id",
			"%s: %s may hold a buyer's id: name it in fields.go, or its name in ofNobody", of, path)
	}
	for _, f := range fields {
		assert.Contains(t, texts, f.path, of)
	}
}

// textsIn returns the paths of all texts in the JSON of a type.
func textsIn(t reflect.Type, path string) (paths []string) {
	if t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) { // numbers and times
		return nil
	}
	switch t.Kind() { //nolint:exhaustive // other kinds have no text
	case reflect.String:
		return []string{path}
	case reflect.Pointer, reflect.Slice:
		return textsIn(t.Elem(), path)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case name == "-" || !f.IsExported() && !f.Anonymous:
			case f.Anonymous && name == "":
				paths = append(paths, textsIn(f.Type, path)...)
			default:
				paths = append(paths, textsIn(f.Type, strings.TrimPrefix(path+"."+name, "."))...)
			}
		}
	case reflect.Map, reflect.Interface:
		return []string{path + ".*"}
	}
	return paths
}

// The source is read, since nothing else lists what the operators' log has.
func TestEveryActionOnWhatABuyerHasIsInTheTable(t *testing.T) {
	t.Parallel()
	action := regexp.MustCompile(`"((?:order|dead|blocked|voucher|address|user)\.[a-z_]+)"`)
	found := 0
	for _, dir := range []string{"../../modules", "../../jobs"} {
		require.NoError(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range action.FindAllStringSubmatch(string(text), -1) {
				_, listed := logFields[m[1]]
				found++
				assert.True(t, listed || slices.Contains(journal.Types(), m[1]) || m[1] == "user.erased" ||
					m[1] == "user.json", "%s in %s is no action of the table", m[1], path)
			}
			return err
		}))
	}
	assert.Greater(t, found, len(logFields))
}

func TestOnlyTheFieldsOfTheTableAreReplaced(t *testing.T) {
	t.Parallel()
	for _, user := range []string{"501", "paid", "CNY", "0", "true", "shop-1", "user_id", `a"b`, "<é>"} {
		e := &erasure{user: user, done: Erased{Pseudonym: "erased-x"}}
		text := func(v string) string { return quote(v) }
		got, err := e.without(`{"payment":{"user_id":`+text(user)+`,"status":`+text(user)+`,"n":12345678901234567890},`+
			text(user)+`:[`+text(user)+`]}`, eventFields[journal.PaymentFlagged])
		require.NoError(t, err)
		assert.JSONEq(t, `{"payment":{"user_id":"erased-x","status":`+text(user)+`,"n":12345678901234567890},`+
			text(user)+`:[`+text(user)+`]}`, got)
		entry := order.FormatEntry(5, 7, "sale", user)
		got, err = e.without(`{"entry":`+text(entry)+`,"reason":`+text(user)+`,"user_id":`+text(user)+`}`, deadFields)
		require.NoError(t, err)
		assert.JSONEq(t, `{"entry":`+text(order.FormatEntry(5, 7, "sale", "erased-x"))+`,"reason":`+text(user)+
			`,"user_id":"erased-x"}`, got)
		same := ` {"subject": ` + text(user+"x") + `}`
		got, err = e.without(same, logFields["blocked.changed"])
		require.NoError(t, err)
		assert.Equal(t, same, got, "byte by byte")
	}
}
