package alipay

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

// maxParameters bounds the parameters of a notification.
const maxParameters = 100

// age is the maximum age of a notification. Alipay repeats one for 24 h 22 min (its page
// open/270/105902). notify_time is documented as the time of sending, but not whether a repetition,
// which keeps its notify_id, has a new one. A replay within that time changes nothing, since a
// transaction is processed once.
const age = 25 * time.Hour

// Verify checks a notification and reads it. It must parse the form before it can check the signature,
// which is over the sorted parameters. The body has the time (notify_time) and the receiver (app_id,
// seller_id).
func (g *Gateway) Verify(_ http.Header, body []byte) (pay.Notification, error) {
	form, err := g.openForm(body)
	if err != nil {
		return pay.Notification{}, err
	}
	at, err := time.ParseInLocation(timeLayout, form.Get("notify_time"), gateway.ChinaTime)
	if err != nil {
		return pay.Notification{}, fmt.Errorf("%w: its time can't be read", pay.ErrSignature)
	}
	if err := gateway.CheckAgeUpTo(age, g.now(), at); err != nil {
		return pay.Notification{}, err
	}
	return g.readNotification(form)
}

func (g *Gateway) openForm(body []byte) (url.Values, error) {
	if len(body) > gateway.MaxNotification || bytes.Count(body, []byte{'&'}) >= maxParameters {
		return nil, fmt.Errorf("%w: it is too long", pay.ErrSignature)
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, fmt.Errorf("%w: it is not a form", pay.ErrSignature)
	}
	for _, values := range form {
		if len(values) != 1 {
			return nil, fmt.Errorf("%w: it has a parameter twice", pay.ErrSignature)
		}
	}
	if form.Get("sign_type") != "RSA2" {
		return nil, fmt.Errorf("%w: it is not signed with RSA2", pay.ErrSignature)
	}
	if err := g.checkSignature(signedText(form, "sign", "sign_type"), form.Get("sign")); err != nil {
		named := cmp.Or(gateway.CodeOnly(form.Get("alipay_cert_sn")), "without a name")
		return nil, fmt.Errorf("certificate %s: %w", named, err)
	}
	return form, nil
}

// readNotification reads a form whose signature was checked. Alipay reports a refund as another notification of the
// paid trade.
func (g *Gateway) readNotification(form url.Values) (pay.Notification, error) {
	switch {
	case form.Get("notify_type") != "trade_status_sync":
		return pay.Notification{}, pay.ErrNotPayment
	case form.Get("app_id") != g.cfg.AppID || form.Get("seller_id") != g.cfg.SellerID:
		return pay.Notification{}, errors.New("alipay: a notification is for another app or seller")
	}
	back := int64(0)
	if text := form.Get("refund_fee"); text != "" {
		var err error
		if back, err = parseYuan(text); err != nil {
			return pay.Notification{}, fmt.Errorf("alipay: refund of a notification: %w", err)
		}
	}
	isRefund := form.Get("gmt_refund") != "" || back > 0
	state := tradeStatus(form.Get("trade_status"))
	if state != succeeded && state != finished && (!isRefund || state != closed) {
		return pay.Notification{}, pay.ErrNotPayment
	}
	n, err := order.ParseNumber(form.Get("out_trade_no"))
	if err != nil {
		return pay.Notification{}, fmt.Errorf("alipay: pay number of a notification: %w", err)
	}
	amount, err := parseYuan(form.Get("total_amount"))
	if err != nil {
		return pay.Notification{}, fmt.Errorf("alipay: amount of a notification: %w", err)
	}
	read := pay.Notification{
		EventID: form.Get("notify_id"), TransactionID: form.Get("trade_no"), PayNumber: n, Amount: amount,
		Currency: gateway.CNY,
	}
	if read.EventID == "" || read.TransactionID == "" || amount <= 0 {
		return pay.Notification{}, errors.New("alipay: a notification lacks its id, trade or amount")
	}
	if isRefund {
		return refundOf(read, form, back)
	}
	return read, nil
}

// refundOf makes the report of a refund from a notification of its trade. refund_fee is the amount that all refunds of
// the trade have paid back so far, and out_biz_no the number of this refund: our out_request_no, or another number if
// the refund was made on the merchant's page.
func refundOf(n pay.Notification, form url.Values, back int64) (pay.Notification, error) {
	number := form.Get("out_biz_no")
	switch {
	case back == 0:
		return pay.Notification{}, pay.ErrNotPayment
	case number == "":
		number = "refund_fee " + form.Get("refund_fee") // the total tells such refunds apart
	case len(number) > maxRefundNumber:
		return pay.Notification{}, errors.New("alipay: the number of a refund is too long")
	}
	n.Kind, n.RefundNumber, n.Amount, n.RefundedTotal = pay.KindRefundedOutside, number, 0, back
	return n, nil
}

// maxRefundNumber is the longest number of a refund at Alipay, in bytes.
const maxRefundNumber = 64
