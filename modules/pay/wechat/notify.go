package wechat

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"

	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

// Verify checks a notification and decrypts its resource with the API v3 key.
func (w *Gateway) Verify(header http.Header, body []byte) (pay.Notification, error) {
	if len(body) > gateway.MaxNotification {
		return pay.Notification{}, fmt.Errorf("%w: it is too long", pay.ErrSignature)
	}
	if err := w.checkSignature(header, body); err != nil {
		return pay.Notification{}, err
	}
	return w.readNotification(body)
}

// sealedResource is the encrypted part of a notification.
type sealedResource struct {
	Algorithm  string `json:"algorithm"`
	Ciphertext string `json:"ciphertext"`
	Nonce      string `json:"nonce"`
	Associated string `json:"associated_data"`
}

// open decrypts a resource.
func (w *Gateway) open(r sealedResource) ([]byte, error) {
	sealed, err := base64.StdEncoding.DecodeString(r.Ciphertext)
	if err != nil || r.Algorithm != "AEAD_AES_256_GCM" || len(r.Nonce) != w.resource.NonceSize() {
		return nil, errors.New("wechat: the resource of a notification has an unknown format")
	}
	text, err := w.resource.Open(nil, []byte(r.Nonce), sealed, []byte(r.Associated))
	if err != nil {
		return nil, errors.New("wechat: the API v3 key does not decrypt a notification")
	}
	return text, nil
}

// readNotification reads a body whose signature was checked.
func (w *Gateway) readNotification(body []byte) (pay.Notification, error) {
	var event struct {
		ID       string         `json:"id"`
		Type     string         `json:"event_type"`
		Resource sealedResource `json:"resource"`
	}
	if err := gateway.ReadJSON(body, &event); err != nil {
		return pay.Notification{}, errors.New("wechat: a signed notification can't be read")
	}
	if event.Type != "TRANSACTION.SUCCESS" {
		return pay.Notification{}, pay.ErrNotPayment
	}
	text, err := w.open(event.Resource)
	if err != nil {
		return pay.Notification{}, err
	}
	var t transactionInfo
	if err := gateway.ReadJSON(text, &t); err != nil {
		return pay.Notification{}, errors.New("wechat: the transaction of a notification can't be read")
	}
	n, err := order.ParseNumber(t.Number)
	if err != nil {
		return pay.Notification{}, fmt.Errorf("wechat: pay number of a notification: %w", err)
	}
	if err := t.check(w, n); err != nil {
		return pay.Notification{}, err
	}
	if t.State != statePaid {
		return pay.Notification{}, pay.ErrNotPayment
	}
	if event.ID == "" {
		return pay.Notification{}, errors.New("wechat: a notification has no id")
	}
	return pay.Notification{
		EventID: event.ID, TransactionID: t.Transaction, PayNumber: n, Amount: t.Amount.Total, Currency: t.currency(),
	}, nil
}
