package alipay

import (
	"fmt"
	"net/url"

	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

// readNotification reads a form whose signature was checked. Alipay reports a refund as another notification of the
// paid trade.
func (g *Gateway) readNotification(form url.Values) (pay.Notification, error) {
	switch {
	case form.Get("notify_type") != "trade_status_sync":
		return pay.Notification{}, pay.ErrNotPayment
	case form.Get("app_id") != g.cfg.AppID || form.Get("seller_id") != g.cfg.SellerID:
		return pay.Notification{}, pay.Unreadable("alipay: a notification is for another app or seller")
	}
	back := int64(0)
	if text := form.Get("refund_fee"); text != "" {
		var err error
		if back, err = parseYuan(text); err != nil {
			return pay.Notification{}, fmt.Errorf("alipay: refund of a notification: %w: %w", err, pay.ErrUnreadable)
		}
	}
	isRefund := form.Get("gmt_refund") != "" || back > 0
	state := tradeStatus(form.Get("trade_status"))
	if state != succeeded && state != finished && (!isRefund || state != closed) {
		return pay.Notification{}, pay.ErrNotPayment
	}
	n, err := order.ParseNumber(form.Get("out_trade_no"))
	if err != nil {
		return pay.Notification{}, pay.Unreadable("alipay: out_trade_no is another program's")
	}
	amount, err := parseYuan(form.Get("total_amount"))
	if err != nil {
		return pay.Notification{}, fmt.Errorf("alipay: amount of a notification: %w: %w", err, pay.ErrUnreadable)
	}
	read := pay.Notification{
		EventID: form.Get("notify_id"), TransactionID: form.Get("trade_no"), PayNumber: n, Amount: amount,
		Currency: gateway.CNY,
	}
	if read.EventID == "" || read.TransactionID == "" || amount <= 0 {
		return pay.Notification{}, pay.Unreadable("alipay: a notification lacks its id, trade or amount")
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
		return pay.Notification{}, pay.Unreadable("alipay: the number of a refund is too long")
	}
	n.Kind, n.RefundNumber, n.Amount, n.RefundedTotal = pay.KindRefundedOutside, number, 0, back
	return n, nil
}

// maxRefundNumber is the longest number of a refund at Alipay, in bytes.
const maxRefundNumber = 64
