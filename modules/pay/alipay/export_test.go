package alipay

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"onrush/test/double"
)

// Double is Alipay, and the buyers who pay there, for the tests of the channel in a platform.
type Double struct {
	*double.Silent

	URL  string
	fake *fakeAlipay
}

// NewDouble starts a Double.
func NewDouble(t *testing.T) *Double {
	t.Helper()
	fake := newFakeAlipay(t)
	d := &Double{Silent: double.NewSilent(fake), fake: fake}
	server := httptest.NewServer(d)
	t.Cleanup(server.CloseClientConnections)
	fake.url = server.URL + "/gateway.do"
	d.URL = fake.url
	return d
}

// Settings are the settings of the channel at the Double.
func (d *Double) Settings(t *testing.T) map[string]string {
	t.Helper()
	c := config(t, d.URL)
	return map[string]string{
		"ONRUSH_ALIPAY_APP_ID": c.AppID, "ONRUSH_ALIPAY_SELLER_ID": c.SellerID,
		"ONRUSH_ALIPAY_PRIVATE_KEY": c.PrivateKey, "ONRUSH_ALIPAY_ALIPAY_KEY": c.AlipayKey,
		"ONRUSH_ALIPAY_RETURN_URL": c.ReturnURL, "ONRUSH_GATEWAYS": "alipay=" + d.URL,
	}
}

// Follow makes the Double use a clock.
func (d *Double) Follow(now func() time.Time) {
	d.fake.mu.Lock()
	defer d.fake.mu.Unlock()
	d.fake.now = now
}

// Pay lets the buyer come to the page and pay the whole amount, and returns the notification.
func (d *Double) Pay(number, page string, amount int64, at time.Time) (header http.Header, body []byte, taken bool) {
	if d.fake.visit(page) != "" {
		return nil, nil, false
	}
	d.fake.mu.Lock()
	defer d.fake.mu.Unlock()
	trade := d.fake.trades[number]
	if fenOf(trade["total_amount"]) != amount {
		return nil, nil, false
	}
	trade["trade_no"], trade["trade_status"] = "2026"+number, "TRADE_SUCCESS"
	trade["send_pay_date"] = at.In(time.FixedZone("", 8*60*60)).Format("2006-01-02 15:04:05")
	form := alipayForm(at)
	form.Set("notify_id", "n"+number)
	form.Set("out_trade_no", number)
	form.Set("trade_no", trade["trade_no"])
	form.Set("total_amount", trade["total_amount"])
	header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	return header, double.AlipaySigned(double.PlatformKey(), form), true
}

// Returned is what was paid back of a payment, in fen.
func (d *Double) Returned(number string) (sum int64) {
	d.fake.mu.Lock()
	defer d.fake.mu.Unlock()
	for request, amount := range d.fake.refunds {
		if d.fake.refundOf[request] == number {
			sum += fenOf(amount)
		}
	}
	return sum
}
