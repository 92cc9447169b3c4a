package pay

import (
	"onrush/modules/api"
	"onrush/modules/order"
)

// RefundView is a refund in the operators' API.
type RefundView struct {
	Number      order.Number  `json:"refund_number"`
	Payment     order.Number  `json:"pay_number"`
	Channel     string        `json:"channel"`
	Transaction string        `json:"transaction_id"`
	Order       *order.Number `json:"order_number,omitempty"` // absent: the whole transaction
	Amount      int64         `json:"amount"`
	Currency    string        `json:"currency"`
	Items       []order.Units `json:"items,omitempty"` // that the refund names
	Reason      string        `json:"reason"`
	Note        string        `json:"operator_reason,omitempty"`
	Who         string        `json:"requested_by,omitempty"`
	Status      RefundStatus  `json:"status"`
	Attempts    int           `json:"attempts"`
	LastError   string        `json:"last_error,omitempty"`
	Outside     string        `json:"gateway_refund_id,omitempty"` // of one that was made at the gateway
	NextTry     api.Millis    `json:"next_try_at,omitzero"`
	WaitsFor    WaitsFor      `json:"waits_for,omitempty"`      // a pending one that the gateway has not refused
	UnderWay    api.Millis    `json:"under_way_since,omitzero"` // the gateway has accepted it, but not yet paid back
	Created     api.Millis    `json:"created_at"`
	Done        api.Millis    `json:"done_at,omitzero"`
	Replayed    bool          `json:"replayed,omitempty"`
}

// ShowRefund returns the view of a refund with its items.
func ShowRefund(r *Refund) *RefundView {
	shown := &RefundView{
		Number: r.Number, Payment: r.Payment, Channel: r.Channel, Transaction: r.Transaction, Amount: r.Amount,
		Currency: r.Currency, Items: r.Items, Reason: r.Reason, Note: r.Note, Who: r.Who, Status: r.Status,
		Attempts: r.Attempts, LastError: r.LastError, Outside: r.Outside, Created: api.Millis(r.CreatedMS),
		Done: api.Millis(r.DoneMS), Replayed: r.Replayed,
	}
	if r.Order != 0 {
		shown.Order = &r.Order
	}
	if r.Status == RefundPending {
		shown.WaitsFor = r.WaitsFor
		shown.NextTry, shown.UnderWay = api.Millis(r.NextTryMS), api.Millis(r.UnderWayMS)
	}
	return shown
}
