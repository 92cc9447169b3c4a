package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// TestAnOperatorCancelsAnUnpaidOrderOnce: its unit returns once, however many operators and buyers cancel at once.
func TestAnOperatorCancelsAnUnpaidOrderOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": 2}, PurchaseLimit: 1})
		alice, operator := s.Buyer(t, "alice"), s.Operator(t)
		number := alice.Buy(t, activity, "sku", "k").Placed(t).OrderNumber
		path := admin + "/orders/" + number + "/cancel"
		why := client.ReasonRequest{Reason: "She called."}
		assert.Equal(t, http.StatusUnprocessableEntity,
			operator.Call(t, http.MethodPost, path, "", client.ReasonRequest{}).Status, "a reason is required")
		for i, a := range kit.AtOnce(48, func(i int) site.Answer {
			if i%6 == 0 {
				return alice.Insist(http.MethodPost, "/api/v1/orders/"+number+"/cancel", "", nil)
			}
			return operator.Insist(http.MethodPost, path, "", why)
		}) {
			require.Equal(t, http.StatusOK, a.Status, "%d: %s", i, a.Body)
		}
		s.Job(t, "settle_stock")
		assert.Empty(t, s.Audit(t, activity))
		seen := operator.GetAdminOrder(t, number)
		assert.Equal(t, "cancelled", string(seen.Status))
		assert.Len(t, seen.Log, 2, "placed, and cancelled once")
		assert.LessOrEqual(t, len(operator.ListChanges(t, "order:"+number)), 1)
		again := alice.Buy(t, activity, "sku", "k2").Placed(t).OrderNumber // her limit is free again
		s.Drain(t)
		paid := alice.BeginPayment(t, "pay", again)
		answer, err := s.Notify(t.Context(), site.Payment{
			Number: paid.PayNumber, Transaction: "tx", Amount: paid.Amount, Currency: paid.Currency,
		})
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.Status, string(answer.Body))
		requireRefusal(t, operator.Call(t, http.MethodPost, admin+"/orders/"+again+"/cancel", "", why),
			http.StatusConflict, "not_cancellable")
	})
}

// TestAnOperatorMarksAnOrderPaidOnce: the money came by another way, so the payment that the buyer has begun is closed,
// and money that comes by it later goes back.
func TestAnOperatorMarksAnOrderPaidOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{Kind: "voucher"})
		alice, operator := s.Buyer(t, "alice"), s.Operator(t)
		number := alice.Buy(t, activity, "sku", "k").Placed(t).OrderNumber
		path := admin + "/orders/" + number + "/mark_paid"
		why := client.ReasonRequest{Reason: "Cash, receipt 17"}
		begun := alice.BeginPayment(t, "pay", number)
		codes := map[string]int{}
		mark := func(i int) site.Answer { return operator.Insist(http.MethodPost, path, fmt.Sprint("mark", i), why) }
		for _, a := range kit.AtOnce(48, mark) {
			codes[fmt.Sprint(a.Status)]++
		}
		assert.Equal(t, map[string]int{"200": 1, "409": 47}, codes)
		seen := alice.GetOrder(t, number)
		assert.Equal(t, "paid", string(seen.Status))
		assert.Len(t, seen.Items[0].VoucherCodes, 1)
		changes := operator.ListChanges(t, "order:"+number)
		require.Len(t, changes, 1)
		assert.Equal(t, "order.marked_paid", changes[0].Action)
		s.Job(t, "query_payments")
		assert.Equal(t, "closed", string(alice.GetPayment(t, begun.PayNumber).Status))
		s.Money(
			t,
			site.Payment{Number: begun.PayNumber, Transaction: "late", Amount: begun.Amount, Currency: begun.Currency},
		)
		answer, err := s.Notify(t.Context(), site.Payment{
			Number: begun.PayNumber, Transaction: "late", Amount: begun.Amount, Currency: begun.Currency,
		})
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.Status, string(answer.Body))
		s.Job(t, "send_refunds")
		refunds := operator.ListRefunds(t, "order_number="+number)
		require.Len(t, refunds, 1)
		assert.Equal(t, "done", string(refunds[0].Status))
		s.Job(t, "settle_stock")
		assert.Empty(t, s.Audit(t, activity))
	})
}

// An instance stops after it carried a decision out, and before it answers or remembers the answer.
func TestADecisionOnAnOrderIsCarriedOutOnceThoughItsAnswerIsLost(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		sale := s.Open(t, site.Sale{})
		buyer := s.Buyer(t, "alice")
		paid := buyer.Buy(t, sale, "sku", "k1").Placed(t).OrderNumber
		cancelled := buyer.Buy(t, sale, "sku", "k2").Placed(t).OrderNumber
		for _, step := range []struct {
			order, decision, status string
			body                    any
		}{
			{cancelled, "cancel", "cancelled", client.ReasonRequest{Reason: "He asked"}},
			{paid, "mark_paid", "paid", client.ReasonRequest{Reason: "Cash"}},
			{paid, "mark_refunded", "paid", map[string]any{"amount": 30, "reference": "r1", "reason": "A scratch"}},
			{paid, "mark_refunded", "refunded", map[string]any{"amount": 70, "reference": "r2", "reason": "It broke"}},
			{paid, "restock", "refunded", client.ReasonRequest{Reason: "It came back"}},
		} {
			faults, crashed := crashAfter("carried_out")
			path, key := admin+"/orders/"+step.order+"/"+step.decision, "once-"+step.status
			before := len(s.Operator(t).ListChanges(t, "order:"+step.order))
			broken := site.Start(t, stores, site.Idle(), site.Faults(faults)).Operator(t)
			require.GreaterOrEqual(t, broken.Ask(http.MethodPost, path, key, step.body).Status, 500)
			require.True(t, crashed.Load())

			// Its lease is not over yet.
			again := s.Operator(t).Call(t, http.MethodPost, path, key, step.body)
			require.Equal(t, http.StatusOK, again.Status, "%s: %s", step.decision, again.Body)
			assert.Equal(t, step.status, again.JSON(t)["status"], step.decision)
			assert.Equal(t, true, again.JSON(t)["replayed"], step.decision)
			assert.Len(t, s.Operator(t).ListChanges(t, "order:"+step.order), before+1, step.decision)
		}
		assert.EqualValues(t, 100, buyer.GetOrder(t, paid).RefundedAmount)
	})
}

// TestOperatorsSeeOrdersThatOnlyRedisHas: what an operator names is stored first, once, also by 48 operators at once,
// and the mover finds nothing to add.
func TestOperatorsSeeOrdersThatOnlyRedisHas(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": 9}})
		operator := s.Operator(t)
		buy := func(user, key string) string {
			return s.Buyer(t, user).Buy(t, activity, "sku", key).Placed(t).OrderNumber
		}
		alices := []string{buy("alice", "k"), buy("alice", "k2")}
		bobs, carols, daves := buy("bob", "k"), buy("carol", "k"), buy("dave", "k")
		for _, a := range kit.AtOnce(48, func(i int) site.Answer {
			path := []string{"/orders/" + bobs, "/orders?user_id=alice", "/orders?order_number=" + carols}[i%3]
			return operator.Insist(http.MethodGet, admin+path, "", nil)
		}) {
			require.Equal(t, http.StatusOK, a.Status, string(a.Body))
		}
		assert.Equal(t, "bob", operator.GetAdminOrder(t, bobs).UserID)
		listed := func(query string) (numbers []string) {
			list := site.Read[client.AdminOrderList](t, http.StatusOK,
				operator.Call(t, http.MethodGet, admin+"/orders?"+query, "", nil))
			assert.False(t, list.Partial)
			for _, o := range list.Items {
				numbers = append(numbers, o.OrderNumber)
			}
			return numbers
		}
		assert.ElementsMatch(t, alices, listed("user_id=alice"))
		assert.Equal(t, []string{carols}, listed("order_number="+carols))
		assert.NotContains(t, listed("activity_id="+activity), daves, "nobody named it")
		found := operator.Call(t, http.MethodGet, admin+"/search?q="+daves, "", nil)
		assert.Contains(t, string(found.Body), `"kind":"order"`)
		assert.Len(t, listed("activity_id="+activity), 5)

		noted := operator.Call(t, http.MethodPost, admin+"/orders/"+buy("erin", "k")+"/notes", "",
			client.OrderNoteRequest{Text: "She called."})
		assert.Equal(t, http.StatusCreated, noted.Status, string(noted.Body))
		s.Drain(t)
		assert.Len(t, listed("activity_id="+activity), 6)
		assert.Empty(t, s.Audit(t, activity))

		number := buy("frank", "k")
		stores.RedisAway(t)
		partial := site.Read[client.AdminOrderList](t, http.StatusOK,
			operator.Call(t, http.MethodGet, admin+"/orders?user_id=frank", "", nil))
		assert.True(t, partial.Partial)
		requireRefusal(t, operator.Call(t, http.MethodGet, admin+"/orders/"+number, "", nil),
			http.StatusServiceUnavailable, "unavailable")
	}, kit.Breakable())
}

// TestARefundOutsideIsRecordedOnce: of an order that was marked as paid, 48 operators record at once more than it has.
func TestARefundOutsideIsRecordedOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{Kind: "voucher"})
		alice, operator := s.Buyer(t, "alice"), s.Operator(t)
		number := alice.Buy(t, activity, "sku", "k").Placed(t).OrderNumber
		path := admin + "/orders/" + number
		back := client.OutsideRefundRequest{Reference: "Transfer 4711", Reason: "Broken"}
		requireRefusal(t, operator.Call(t, http.MethodPost, path+"/mark_refunded", "", back),
			http.StatusConflict, "conflict")
		paid := operator.Call(t, http.MethodPost, path+"/mark_paid", "", client.ReasonRequest{Reason: "Cash"})
		require.Equal(t, http.StatusOK, paid.Status, string(paid.Body))
		requireRefusal(t, operator.Call(t, http.MethodPost, path+"/mark_refunded", "",
			client.OutsideRefundRequest{Reason: "no reference"}), http.StatusUnprocessableEntity, "invalid_request")
		codes := map[string]int{}
		for _, a := range kit.AtOnce(48, func(int) site.Answer {
			return operator.Insist(http.MethodPost, path+"/mark_refunded", "", back)
		}) {
			codes[fmt.Sprint(a.Status)]++
		}
		assert.Equal(t, map[string]int{"200": 1, "409": 47}, codes)
		seen := alice.GetOrder(t, number)
		assert.Equal(t, "refunded", string(seen.Status))
		assert.Equal(t, seen.TotalAmount, seen.RefundedAmount)
		assert.Empty(t, seen.Items[0].VoucherCodes, "its code is void")
		changes := operator.ListChanges(t, "order:"+number)
		require.Len(t, changes, 2)
		assert.Equal(t, "order.marked_refunded", changes[0].Action)
		text, err := json.Marshal(changes[0].After)
		require.NoError(t, err)
		assert.Contains(t, string(text), "Transfer 4711")
		assert.Empty(t, s.Audit(t, activity))

		other := alice.Buy(t, activity, "sku", "k2").Placed(t).OrderNumber
		payByNotice(t, s, alice, other)
		requireRefusal(t, operator.Call(t, http.MethodPost, admin+"/orders/"+other+"/mark_refunded", "", back),
			http.StatusConflict, "conflict")
	})
}

// payByNotice pays an order of a buyer by a notification.
func payByNotice(t *testing.T, s *site.Site, buyer *site.Person, number string) {
	t.Helper()
	begun := buyer.BeginPayment(t, "pay"+number, number)
	answer, err := s.Notify(t.Context(), site.Payment{
		Number: begun.PayNumber, Transaction: "tx" + number, Amount: begun.Amount, Currency: begun.Currency,
	})
	require.NoError(t, err)
	must(t, http.StatusOK, answer)
}

// TestARefundedOrderIsRestockedOnce: of a sold-out sale, and of ordinary goods, 48 operators restock an order at once
// on two instances.
func TestARefundedOrderIsRestockedOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s, other := site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": 1}, PurchaseLimit: 1})
		alice, bob := s.Buyer(t, "alice"), s.Buyer(t, "bob")
		operators := []*site.Person{s.Operator(t), other.Operator(t)}
		operators[0].PutSKU(t, "course", client.SKURequest{
			Title: "Course", ShopID: "shop", Kind: "virtual", Price: 2900, Currency: "CNY", Stock: 5,
		})
		restock := func(number string) (codes map[int]int) {
			codes = map[int]int{}
			for _, a := range kit.AtOnce(48, func(i int) site.Answer {
				return operators[i%2].Insist(http.MethodPost, admin+"/orders/"+number+"/restock", "",
					client.ReasonRequest{Reason: "It came back unused"})
			}) {
				codes[a.Status]++
			}
			return codes
		}
		sold := alice.Buy(t, activity, "sku", "k").Placed(t).OrderNumber
		ordinary := alice.CreateOrders(t, "k", client.OrderRequest{
			Items: []client.OrderLine{{SKUID: "course", Quantity: 3}},
		})[0].OrderNumber
		for _, number := range []string{sold, ordinary} {
			assert.Equal(t, map[int]int{409: 48}, restock(number), "it is not paid")
			for _, blank := range []string{" ", "\u00a0", "\u3000", "\u200b", "\ufeff"} {
				requireRefusal(t, operators[0].Call(t, http.MethodPost, admin+"/orders/"+number+"/mark_paid", "",
					client.ReasonRequest{Reason: blank}), http.StatusUnprocessableEntity, "invalid_request")
			}
			payByNotice(t, s, alice, number)
			assert.Equal(t, map[int]int{409: 48}, restock(number), "it is not refunded")
			operators[0].RefundOrder(t, number, "some"+number, client.RefundRequest{Amount: 1, Reason: "some"})
			assert.Equal(t, map[int]int{409: 48}, restock(number), "it is refunded in part")
			operators[0].RefundOrder(t, number, "rest"+number, client.RefundRequest{Reason: "rest"})
			assert.Equal(t, map[int]int{200: 48}, restock(number))
			s.Job(t, "settle_stock") // Redis has the units at once, unless it is too busy for that
			assert.Len(t, operators[1].ListChanges(t, "order:"+number), 3, "it is recorded once")
			events := alice.GetOrder(t, number).Events
			assert.Equal(t, client.OrderEventName("restocked"), events[len(events)-1].What)
		}
		course := site.Read[client.SKU](t, http.StatusOK,
			operators[1].Call(t, http.MethodGet, admin+"/skus/course", "", nil))
		assert.EqualValues(t, 5, course.Stock)
		assert.Empty(t, s.Audit(t, activity))
		assert.Equal(t, []int64{1, 1, 0, 0}, unitsOf(t, other, activity))
		path := bob.Path(t, activity, "sku")
		again := alice.Buy(t, activity, "sku", "again") // the limit of one unit is hers again
		assert.Equal(t, http.StatusAccepted, again.Status, string(again.Body))
		requireRefusal(t, bob.Submit(t, path, "k", one), http.StatusConflict, "sold_out_unpaid_pending")
	})
}
