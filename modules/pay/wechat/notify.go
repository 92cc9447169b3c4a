package wechat

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"

	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

// sealedResource is the encrypted part of a notification.
type sealedResource struct {
	Algorithm  string `json:"algorithm"`
	Ciphertext string `json:"ciphertext"`
	Nonce      string `json:"nonce"`
	Associated string `json:"associated_data"`
}

// open decrypts a resource.
func (g *Gateway) open(r sealedResource) ([]byte, error) {
	sealed, err := base64.StdEncoding.DecodeString(r.Ciphertext)
	if err != nil || r.Algorithm != "AEAD_AES_256_GCM" || len(r.Nonce) != g.resource.NonceSize() {
		return nil, pay.Unreadable("wechat: the resource of a notification has an unknown format")
	}
	text, err := g.resource.Open(nil, []byte(r.Nonce), sealed, []byte(r.Associated))
	if err != nil {
		return nil, errors.New("wechat: the API v3 key does not decrypt a notification")
	}
	return text, nil
}

// readNotification reads a body whose signature was checked.
func (g *Gateway) readNotification(body []byte) (pay.Notification, error) {
	var event struct {
		ID       string         `json:"id"`
		Type     string         `json:"event_type"`
		Resource sealedResource `json:"resource"`
	}
	if err := gateway.ReadJSON(body, &event); err != nil {
		return pay.Notification{}, pay.Unreadable("wechat: a signed notification can't be read")
	}
	if event.Type != "TRANSACTION.SUCCESS" && event.Type != "REFUND.SUCCESS" {
		return pay.Notification{}, pay.ErrNotPayment // of refunds that paid nothing back, the answers to queries tell
	}
	text, err := g.open(event.Resource)
	switch {
	case err != nil:
		return pay.Notification{}, err
	case event.ID == "":
		return pay.Notification{}, pay.Unreadable("wechat: a notification has no id")
	case event.Type == "REFUND.SUCCESS":
		return g.readRefund(event.ID, text)
	}
	var t transactionInfo
	if err := gateway.ReadJSON(text, &t); err != nil {
		return pay.Notification{}, pay.Unreadable("wechat: the transaction of a notification can't be read")
	}
	n, err := order.ParseNumber(t.Number)
	if err != nil {
		return pay.Notification{}, pay.Unreadable("wechat: out_trade_no is another program's")
	}
	if err := t.check(g, n); err != nil {
		return pay.Notification{}, fmt.Errorf("%w: %w", err, pay.ErrUnreadable)
	}
	if t.State != tradePaid {
		return pay.Notification{}, pay.ErrNotPayment
	}
	return pay.Notification{
		EventID: event.ID, TransactionID: t.Transaction, PayNumber: n, Amount: t.Amount.Total, Currency: t.currency(),
	}, nil
}

// readRefund reads the report of a refund that paid back. A refund by a program, this one or another, has a number of
// the merchant; a refund that was made on the merchant's page has a number of WeChat Pay. Requests for refunds name no
// address, so WeChat Pay sends the reports to the address that is set on the merchant's page.
func (g *Gateway) readRefund(event string, text []byte) (pay.Notification, error) {
	var back struct {
		MchID       string `json:"mchid"`
		Number      string `json:"out_trade_no"`
		Transaction string `json:"transaction_id"`
		Refund      string `json:"out_refund_no"`
		ID          string `json:"refund_id"`
		Amount      struct {
			Refund int64 `json:"refund"`
		} `json:"amount"`
	}
	if err := gateway.ReadJSON(text, &back); err != nil {
		return pay.Notification{}, pay.Unreadable("wechat: the refund of a notification can't be read")
	}
	n, err := order.ParseNumber(back.Number)
	if err != nil {
		return pay.Notification{}, pay.ErrNotPayment // of a payment of another program of the merchant
	}
	number := cmp.Or(back.Refund, back.ID)
	switch {
	case back.MchID != g.cfg.MchID:
		return pay.Notification{}, pay.Unreadable("wechat: the refund is of another merchant")
	case back.Transaction == "" || number == "" || len(number) > maxRefundNumber || back.Amount.Refund <= 0:
		return pay.Notification{}, pay.Unreadable("wechat: the refund of a notification lacks its number or amount")
	}
	return pay.Notification{
		Kind: pay.KindRefundedOutside, EventID: event, TransactionID: back.Transaction, PayNumber: n,
		RefundNumber: number, Amount: back.Amount.Refund, Currency: gateway.CNY,
	}, nil
}

// maxRefundNumber is the longest number of a refund at WeChat Pay, in bytes.
const maxRefundNumber = 64
