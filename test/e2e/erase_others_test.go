package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/test/stage"
	"onrush/web/client"
)

// dump returns all rows of all tables as texts, by table: column=value, … in the order of the columns' names.
func dump(t *testing.T, stores *kit.Stores) map[string][]map[string]string {
	t.Helper()
	all := map[string][]map[string]string{}
	for _, table := range tables(t, stores) {
		query := `SELECT * FROM ` + table
		rows, err := stores.DB.Read.QueryxContext(t.Context(), query) //nolint:sqlclosecheck // closed below
		require.NoError(t, err)
		for rows.Next() {
			row, texts := map[string]any{}, map[string]string{}
			require.NoError(t, rows.MapScan(row))
			for column, value := range row {
				if bytes, ok := value.([]byte); ok {
					value = string(bytes)
				}
				texts[column] = fmt.Sprint(value)
			}
			all[table] = append(all[table], texts)
		}
		require.NoError(t, rows.Err())
		require.NoError(t, rows.Close())
	}
	return all
}

// unrelated are the tables in which an erasure, or time, writes rows of its own.
var unrelated = []string{"write_checks", "job_runs", "erased_users", "erasures", "activity_statuses", "user_versions"}

// erasedBy returns the rows of a table as they must be after the erasure of a user; nil for a row that goes.
func erasedBy(table string, row map[string]string, user, by string, mine map[string]bool) map[string]string {
	own := row["user_id"] == user
	after := map[string]string{}
	for column, value := range row {
		after[column] = value
	}
	is := func(column string) bool { return mine[row[column]] }
	switch table {
	case "addresses", "user_locks":
		if own {
			return nil
		}
	case "idempotency_keys":
		if own && row["caller"] == "buyer" {
			return nil
		}
	case "orders", "orders_archive":
		var record map[string]any
		_ = json.Unmarshal([]byte(row["record"]), &record)
		content := record["c"].(map[string]any)
		if own {
			after["user_id"], record["u"] = by, by
			after["receiver_phone"], after["receiver_name"] = "", ""
			delete(record, "ip")
			for _, name := range []string{"address", "remark", "fields", "notify_token"} {
				delete(content, name)
			}
		}
		if content["inviter_id"] == user {
			content["inviter_id"] = by
		}
		text, _ := json.Marshal(record)
		after["record"] = string(text)
	case "payments":
		if own {
			after["user_id"] = by
		}
	case "events":
		if own {
			after["user_id"] = by
			after["data"] = strings.Replace(row["data"], `"user_id":`+quoted(user), `"user_id":`+quoted(by), 1)
		}
		after["data"] = inList(after, user, by)
	case "order_labels":
		if row["name"] == "inviter_id" && row["value"] == user {
			after["value"] = by
		}
	case "order_sources":
		if row["inviter_id"] == user {
			after["inviter_id"] = by
		}
	case "activity_counts":
		if row["name"] == user && (row["counted"] == "a" || strings.HasPrefix(row["counted"], "s:")) {
			after["name"] = by
		}
	case "order_log":
		if is("order_number") {
			after["from_address"] = ""
		}
	case "order_notes":
		if is("order_number") {
			return nil
		}
	case "operator_log":
		eraseFromLog(after, row, user, by, mine)
	}
	return after
}

// eraseFromLog changes a row of the operators' log as its erasure must.
func eraseFromLog(after, row map[string]string, user, by string, mine map[string]bool) {
	if row["target"] == "blocked:user:"+user {
		after["target"] = "blocked:user:" + by
		for _, side := range []string{"before_value", "after_value"} {
			after[side] = strings.Replace(row[side], `"subject":`+quoted(user), `"subject":`+quoted(by), 1)
		}
	}
	if row["action"] == "order.noted" && mine[strings.TrimPrefix(row["target"], "order:")] {
		var note map[string]any
		_ = json.Unmarshal([]byte(row["after_value"]), &note)
		note["text"] = ""
		text, _ := json.Marshal(note)
		after["after_value"] = string(text)
	}
}

// inList replaces a user in the list of a row of several events.
func inList(row map[string]string, user, by string) string {
	if row["events"] == "1" {
		return row["data"]
	}
	return strings.ReplaceAll(row["data"], `"user_id":`+quoted(user)+`,"at_ms"`, `"user_id":`+quoted(by)+`,"at_ms"`)
}

func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

// plain returns rows in a form in which equal ones are equal: JSON with sorted names.
func plain(rows []map[string]string) (lines []string) {
	for _, row := range rows {
		same := map[string]any{}
		for column, text := range row {
			var value any
			if same[column] = text; json.Unmarshal([]byte(text), &value) == nil {
				same[column] = value
			}
		}
		line, _ := json.Marshal(same)
		lines = append(lines, string(line))
	}
	slices.Sort(lines)
	return lines
}

// Users whose ids are what other rows have: skus, states, currencies, amounts, shops, numbers, names of fields.
func TestAnErasureLeavesWhatOnlyLooksLikeTheUser(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{PurchaseLimit: 5, Kind: "physical"})
		op := w.Operator(t)
		op.PutSKU(t, "501", client.SKURequest{
			ShopID: "paid", Title: "CNY", Kind: "virtual", Price: 501, Currency: "CNY", Stock: 1000,
		})
		must(t, http.StatusOK, op.Call(t, http.MethodPut, admin+"/blocked/address:203.0.113.7", "",
			map[string]any{"reason": "501"}))
		var next string
		users := []string{
			"501", "paid", "CNY", "0", "true", "shop", "sku", "user_id", "order.paid", "operator", "user", "virtual",
			w.activity, "key:x", "sandbox", "2", "audit", "null",
		}
		for i, user := range users {
			p := w.Buyer(t, user)
			w.buyer = p
			if i == 3 { // a number of an order of another user
				p = w.Buyer(t, next)
				users[i], w.buyer = next, p
			}
			address := p.Address(t, "shanghai")
			body := map[string]any{
				"quantity": 1, "delivery": "express", "address_id": address, "remark": "501",
				"inviter_id": users[(i+1)%len(users)], "room_id": user, "share_code": user, "client_reference": "paid",
			}
			p.Submit(t, p.Path(t, w.activity, "sku"), "k", body).Placed(t)
			next = p.CreateOrders(t, "o", client.OrderRequest{Items: []client.OrderLine{{SKUID: "501"}}})[0].OrderNumber
			w.Drain(t)
			w.notify(t, w.payment(t, next))
			op.RefundOrder(t, next, "r"+next, client.RefundRequest{Reason: user})
			must(t, http.StatusCreated, op.Call(t, http.MethodPost, admin+"/orders/"+next+"/notes", "n"+next,
				map[string]any{"text": user}))
			block := admin + "/blocked/" + url.PathEscape("user:"+user)
			must(t, http.StatusOK, op.Call(t, http.MethodPut, block, "", map[string]any{"reason": user}))
			must(t, http.StatusNoContent, op.Call(t, http.MethodDelete, block, "", nil))
			for _, o := range p.ListOrders(t, "status=unpaid").Items {
				must(t, http.StatusOK, p.Call(t, http.MethodPost, "/api/v1/orders/"+o.OrderNumber+"/cancel", "c", nil))
			}
		}
		w.settle(t)
		exec(t, stores, `UPDATE payments SET flag = 'unknown_payment'`)
		w.Number(t)
		exec(t, stores, `UPDATE activities SET ends_ms = 1`)
		require.Equal(t, 1, w.Job(t, "retire_activities"))

		for _, user := range users {
			before := dump(t, stores)
			mine := map[string]bool{}
			for _, o := range before["orders"] {
				if o["user_id"] == user {
					mine[o["number"]] = true
				}
			}
			require.Len(t, mine, 2, user)
			done := site.Read[client.Erased](t, http.StatusOK, op.Insist(http.MethodPost,
				admin+"/users/"+url.PathEscape(user)+"/erase", "", map[string]any{"confirm": user}))
			require.Equal(t, 2, done.Orders, user)
			requireErased(t, before, dump(t, stores), user, done.Pseudonym, mine)
		}
	})
}

// requireErased compares all tables with what the erasure of a user leaves of them.
func requireErased(
	t *testing.T, before, after map[string][]map[string]string, user, by string, mine map[string]bool,
) {
	t.Helper()
	for table, rows := range before {
		if slices.Contains(unrelated, table) {
			continue
		}
		var want []map[string]string
		for _, row := range rows {
			if row = erasedBy(table, row, user, by, mine); row != nil {
				want = append(want, row)
			}
		}
		got := after[table]
		switch table {
		case "operator_log": // it says who erased a user
			got = slices.DeleteFunc(got, func(row map[string]string) bool {
				return row["target"] == "user:"+by
			})
		case "user_locks": // it says when addresses changed
			for _, row := range slices.Concat(want, got) {
				delete(row, "changed_ms")
			}
		}
		require.Equal(t, plain(want), plain(got), "%s of the erasure of %s", table, user)
	}
}

// A friend's order that names the user waits in Redis while the user is erased; others are placed later.
func TestAnErasedInviterIsForgottenByOrdersThatAreStoredLater(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		here := site.Start(t, stores, site.Idle())
		there := site.Start(t, stores, site.Idle())
		sale := here.Open(t, site.Sale{})
		op := here.Operator(t)
		invite := func(s *site.Site, friend string) string {
			p := s.Buyer(t, friend)
			return p.Submit(t, p.Path(t, sale, "sku"), "k", client.SubmitRequest{
				Quantity: 1, InviterID: "zoe", RoomID: "zoe",
			}).Placed(t).OrderNumber
		}
		stored := invite(here, "ann")
		here.Drain(t)
		waits := invite(there, "ben")
		dead := invite(here, "cat")
		lane := op.GetAdminActivity(t, sale).Lane
		entry, err := stores.Redis.LRange(t.Context(), stores.Keys.Queue(lane), -1, -1).Result()
		require.NoError(t, err)
		require.Len(t, entry, 1)
		require.NoError(t, stores.Redis.RPop(t.Context(), stores.Keys.Queue(lane)).Err())
		value, err := json.Marshal(map[string]any{"entry": entry[0], "reason": "row_error", "at": 1})
		require.NoError(t, err)
		require.NoError(t, stores.Redis.HSet(t.Context(), stores.Keys.Dead(lane), dead, value).Err())

		done := site.Read[client.Erased](t, http.StatusOK,
			op.Insist(http.MethodPost, admin+"/users/zoe/erase", "", map[string]any{"confirm": "zoe"}))
		require.NotEmpty(t, done.Pseudonym)
		later := invite(there, "dan")
		there.Drain(t)
		must(t, http.StatusOK, op.Call(t, http.MethodPost,
			fmt.Sprintf("%s/queue/dead/%d-%s/replay", admin, lane, dead), "", nil))
		here.Drain(t)
		for _, number := range []string{stored, waits, dead, later} {
			o := op.GetAdminOrder(t, number)
			assert.Equal(t, done.Pseudonym, o.InviterID, number)
			assert.Equal(t, "zoe", o.RoomID, "a room is no user")
		}
		assert.Empty(t, op.ListAdminOrders(t, "inviter_id=zoe").Items)
		assert.Len(t, op.ListAdminOrders(t, "inviter_id="+done.Pseudonym).Items, 4)
		again := site.Read[client.Erased](t, http.StatusOK,
			op.Insist(http.MethodPost, admin+"/users/zoe/erase", "", map[string]any{"confirm": "zoe"}))
		assert.Equal(t, client.Erased{}, again)
	})
}

// MySQL takes "zoe " for zoe where it compares texts. Requests can't name such an inviter any more, but older orders
// may; they are more than one page.
func TestAnErasureLeavesTheInviterWithASpaceAtTheEnd(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const friends = 101
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		for i := range friends {
			o := order.Order{
				Number: order.NewNumber(time.Now(), 0, uint32(i+1)), User: "ann", Task: fmt.Sprint("0~hash-", i),
				Status: order.Paid, Content: order.Content{
					Type: order.Ordinary, TotalAmount: 1000, Inviter: "zoe ",
					Items: []order.Item{{SKU: "s", Quantity: 1}},
				},
			}
			require.NoError(t, stage.Insert(t.Context(), stores.DB, o))
		}
		exec(t, stores, `INSERT INTO order_labels (name, value, number)
			SELECT 'inviter_id', 'zoe ', number FROM orders`)
		s.Buyer(t, "zoe").Address(t, "shanghai")
		x := site.Read[client.UserExport](t, http.StatusOK,
			op.Call(t, http.MethodGet, admin+"/users/zoe/export", "", nil))
		assert.Empty(t, x.InvitedOrders)
		done := site.Read[client.Erased](t, http.StatusOK,
			op.Insist(http.MethodPost, admin+"/users/zoe/erase", "", map[string]any{"confirm": "zoe"}))
		assert.Equal(t, 1, done.Addresses)
		assert.Empty(t, op.ListAdminOrders(t, "inviter_id=zoe").Items)
		query := url.Values{"inviter_id": {"zoe "}, "page_size": {"1"}}.Encode()
		list := op.ListAdminOrders(t, query)
		require.Len(t, list.Items, 1)
		assert.Equal(t, "zoe ", list.Items[0].InviterID)
		assert.EqualValues(t, friends, list.Total)
	})
}

// An operator and a buyer have the same id: what the operator's requests made is not made again.
func TestAnErasureKeepsTheIdempotencyKeysOfAnOperatorWithThatID(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op, buyer := s.Operator(t), s.Buyer(t, "operator")
		op.PutSKU(t, "lamp", client.SKURequest{
			ShopID: "shop", Title: "Lamp", Kind: "virtual", Price: 5, Currency: "CNY", Stock: 10,
		})
		add := func() {
			must(t, http.StatusOK, op.Call(t, http.MethodPost, admin+"/skus/lamp/stock", "once",
				map[string]any{"delta": 5}))
		}
		add()
		must(t, http.StatusCreated, buyer.Call(t, http.MethodPost, "/api/v1/addresses", "once", client.AddressRequest{
			Receiver: "Zoe", Phone: "1", Region: "shanghai", Detail: "1 Street",
		}))
		must(t, http.StatusOK, s.Holder(makesKey(t, op, "boss", "admin", time.Time{}).Secret).Call(t, http.MethodPost,
			admin+"/users/operator/erase", "", map[string]any{"confirm": "operator"}))
		add()
		var callers []string
		require.NoError(t, stores.DB.Read.SelectContext(t.Context(), &callers,
			`SELECT DISTINCT caller FROM idempotency_keys WHERE user_id = 'operator'`))
		assert.Equal(t, []string{"operator"}, callers)
		sku := site.Read[client.SKU](t, http.StatusOK, op.Call(t, http.MethodGet, admin+"/skus/lamp", "", nil))
		assert.EqualValues(t, 15, sku.Stock)
	})
}

// Ids with characters that mean something in a URL are exported, shown, blocked and erased as any other.
func TestUsersWithAnyIDAreExportedAndErased(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		for _, user := range []string{
			"/", "a/b", "a//b", "..x", "x..", "...", ". .", "%", "%2F", "%2e%2e", "a%2Fb", ";", "a;b=c", "?", "a?b=c",
			"#", "&", "=", "+", "a b", " a", `\`, ":", "user:x", "~", "*", "@", "a@b.example", "'", `"`, "<>", "{}",
			"[]", "|", "^", "`", "é", "漢字", "🙂", strings.Repeat("漢", 64), "users", "export", "erase", "-", "_", ",",
			"!",
		} {
			s.Buyer(t, user).Address(t, "shanghai")
			path := admin + "/users/" + url.PathEscape(user)
			x := site.Read[client.UserExport](t, http.StatusOK, op.Call(t, http.MethodGet, path+"/export", "", nil))
			require.Equal(t, user, x.UserID)
			require.Len(t, x.Addresses, 1, user)
			must(t, http.StatusOK, op.Call(t, http.MethodGet, path+"/trail", "", nil))
			block := admin + "/blocked/" + url.PathEscape("user:"+user)
			must(t, http.StatusOK, op.Call(t, http.MethodPut, block, "", map[string]any{"reason": "bot"}))
			must(t, http.StatusOK, op.Call(t, http.MethodGet, block, "", nil))
			must(t, http.StatusNoContent, op.Call(t, http.MethodDelete, block, "", nil))
			done := site.Read[client.Erased](t, http.StatusOK,
				op.Insist(http.MethodPost, path+"/erase", "", map[string]any{"confirm": user}))
			require.Equal(t, 1, done.Addresses, user)
		}
		var left int
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &left, `SELECT COUNT(*) FROM addresses`))
		assert.Zero(t, left)
	})
}
