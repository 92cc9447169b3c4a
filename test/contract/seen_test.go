package contract

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// unseen are properties that no answer in the tests of resources has, each with the reason. The validator checks
// required properties; no other test would notice if the program omitted an optional one.
var unseen = map[string]string{
	"beginPayment.next.params":                         "of the gateways' own forms; the sandbox redirects",
	"listPayments.items[].next.params":                 "as of beginPayment",
	"checkActivity.items[].point_id":                   "a stock point of a draft can't be deleted",
	"getChallenge.site_key":                            "of a hosted captcha, which the tests have not",
	"listTasks.items[].reason":                         failure,
	"listAdminOrders.items[].log[].trace_id":           "of a traced request; test/e2e has one",
	"exportUser.events[].data":                         "of a refund",
	"getDelivery.event.data.order.bundle":              "the event that is read is of an order without one",
	"getDelivery.event.data.dispute":                   noDispute,
	"getDelivery.event.data.dispute.amount":            noDispute,
	"getDelivery.event.data.dispute.channel":           noDispute,
	"getDelivery.event.data.dispute.closed_at":         noDispute,
	"getDelivery.event.data.dispute.currency":          noDispute,
	"getDelivery.event.data.dispute.dispute_id":        noDispute,
	"getDelivery.event.data.dispute.due_at":            noDispute,
	"getDelivery.event.data.dispute.opened_at":         noDispute,
	"getDelivery.event.data.dispute.pay_number":        noDispute,
	"getDelivery.event.data.dispute.reason":            noDispute,
	"getDelivery.event.data.dispute.refundable":        noDispute,
	"getDelivery.event.data.dispute.state":             noDispute,
	"getDelivery.event.data.dispute.status":            noDispute,
	"getDelivery.event.data.dispute.transaction_id":    noDispute,
	"getDelivery.event.data.activity.skus[].parts":     "listEvents has it; the tests' deliveries are of other sales",
	"getDelivery.event.data.former_sku_id":             "of a swap; test/e2e has one",
	"listEvents.items[].data.former_sku_id":            "of a swap; test/e2e has one",
	"getDelivery.error":                                failure,
	"getDelivery.event.data.order.fulfilment":          "listEvents has it; the tests' deliveries are of other orders",
	"listKeys.items[].signed_in":                       "of a sign-in at an issuer; test/e2e has one",
	"testEndpoint.error":                               failure,
	"joinLine.admitted_at":                             "of somebody who must wait; the tests' buyers are alone",
	"joinLine.unlikely":                                "only of a line that is longer than the stock",
	"listDead.items[].detail":                          "what SQL said; the tests' entries have no record",
	"listJobs.items[].last_error":                      failure,
	"listJobs.items[].last_error_at":                   failure,
	"listJobs.items[].last_run.ended_at":               "a job may still run when it is listed",
	"listJobs.items[].last_run.error":                  failure,
	"listPendingChanges.items[].change_id":             crash,
	"listPendingChanges.items[].created_at":            crash,
	"listPendingChanges.items[].delta":                 crash,
	"listPendingChanges.items[].point_id":              crash,
	"listPendingChanges.items[].reason":                crash,
	"listPendingChanges.items[].sku_id":                crash,
	"listPendingChanges.items[].status":                crash,
	"listPendingChanges.next_cursor":                   crash,
	"listChannels.items[].ways[].needs":                "the sandbox needs no more than other channels",
	"refundOrders.items[].refund.gateway_refund_id":    noMerchants,
	"refundOrders.items[].refund.last_error":           failure,
	"refundOrders.items[].refund.under_way_since":      "the sandbox pays back at once",
	"refundOrders.items[].refund.waits_for":            failure,
	"listEvents.items[].data.payment":                  failure,
	"listEvents.items[].data.payment.flag":             failure,
	"listEvents.items[].data.refund":                   failure,
	"listEvents.items[].data.refund.last_error":        failure,
	"listEvents.items[].data.refund.under_way_since":   "the sandbox pays back at once",
	"listEvents.items[].data.refund.waits_for":         failure,
	"listEvents.items[].data.dispute":                  noDispute,
	"listEvents.items[].data.dispute.amount":           noDispute,
	"listEvents.items[].data.dispute.channel":          noDispute,
	"listEvents.items[].data.dispute.closed_at":        noDispute,
	"listEvents.items[].data.dispute.currency":         noDispute,
	"listEvents.items[].data.dispute.dispute_id":       noDispute,
	"listEvents.items[].data.dispute.due_at":           noDispute,
	"listEvents.items[].data.dispute.opened_at":        noDispute,
	"listEvents.items[].data.dispute.pay_number":       noDispute,
	"listEvents.items[].data.dispute.reason":           noDispute,
	"listEvents.items[].data.dispute.refundable":       noDispute,
	"listEvents.items[].data.dispute.state":            noDispute,
	"listEvents.items[].data.dispute.status":           noDispute,
	"listEvents.items[].data.dispute.transaction_id":   noDispute,
	"listEvents.items[].data.refund.gateway_refund_id": noMerchants,
	"listEndpoints.items[].disabled_reason":            "an endpoint must fail for three days",
	"resendDelivery.error":                             "the receiver of the tests answers",
	"listAdminOrders.items[].payments[].flag":          failure,
	"listDead.next_cursor":                             "a test has one dead entry at a time",
	"refundOrder.gateway_refund_id":                    noMerchants,
	"refundOrder.last_error":                           failure,
	"refundOrder.under_way_since":                      "the sandbox pays back at once",
	"refundOrder.waits_for":                            failure,
	"holdOrder.flag":                                   aHold,
	"holdOrder.paid_at":                                aHold,
	"holdOrder.transaction_id":                         aHold,
	"reportOrderPaid.refunds[].gateway_refund_id":      "of a refund that was reported",
	"reportOrderPaid.refunds[].under_way_since":        "of a refund that the refunder has taken up",
	"reportOrderPaid.refunds[].waits_for":              failure,
}

const (
	failure = "nothing fails in the tests"
	aHold   = "a hold is a payment that nobody has made"
	crash   = "a change waits where a crash cut it off"

	noDispute   = "no bank disputes a payment of the sandbox"
	noMerchants = "the sandbox has no page for merchants"
)

// seen are the properties that answers had, by their schema in the file.
type seen struct {
	names map[*openapi3.Schema]map[string]bool
}

// note records the properties of an answer's body.
func (s *seen) note(op *operation, status int, body []byte) {
	schema := op.answer(status)
	var value any
	if schema == nil || json.Unmarshal(body, &value) != nil {
		return
	}
	if s.names == nil {
		s.names = map[*openapi3.Schema]map[string]bool{}
	}
	s.walk(schema, value)
}

func (s *seen) walk(schema *openapi3.Schema, value any) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if schema.Items != nil {
				s.walk(schema.Items.Value, item)
			}
		}
	case map[string]any:
		if s.names[schema] == nil {
			s.names[schema] = map[string]bool{}
		}
		for name, inner := range v {
			if property := schema.Properties[name]; property != nil {
				s.names[schema][name] = true
				s.walk(property.Value, inner)
			}
		}
	}
}

// answer returns the schema of the JSON that the operation answers with a status, or nil.
func (o *operation) answer(status int) *openapi3.Schema {
	response := o.op.Responses.Status(status)
	if response == nil || response.Value.Content.Get("application/json") == nil {
		return nil
	}
	return response.Value.Content.Get("application/json").Schema.Value
}

// missing are the properties in the answers of the operations that no answer had, each as
// <operation>.<property>, by the first operation that has its schema.
func (s *seen) missing(operations []*operation) []string {
	var missing []string
	walked := map[*openapi3.Schema]bool{}
	var walk func(at string, schema *openapi3.Schema)
	walk = func(at string, schema *openapi3.Schema) {
		if walked[schema] {
			return
		}
		walked[schema] = true
		if schema.Items != nil {
			walk(at+"[]", schema.Items.Value)
		}
		for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
			if !s.names[schema][name] && name != "replayed" { // TestEveryPostIsSafeToRepeat requires it of each
				missing = append(missing, at+"."+name)
			}
			walk(at+"."+name, schema.Properties[name].Value)
		}
	}
	for _, op := range operations {
		for status := 200; status < 300; status++ {
			if schema := op.answer(status); schema != nil {
				walk(op.id, schema)
			}
		}
	}
	return missing
}
