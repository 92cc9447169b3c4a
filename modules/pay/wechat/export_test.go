package wechat

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"onrush/test/double"
)

// Double is WeChat Pay, and the buyers who pay there, for the tests of the channel in a platform.
type Double struct {
	*double.Silent

	URL  string
	fake *fakeWechat
}

// NewDouble starts a Double.
func NewDouble(t *testing.T) *Double {
	t.Helper()
	fake, _ := newFakeWechat(t)
	d := &Double{Silent: double.NewSilent(fake), fake: fake}
	server := httptest.NewServer(d)
	t.Cleanup(server.CloseClientConnections)
	d.URL = server.URL
	return d
}

// Settings are the settings of the channel at the Double.
func (d *Double) Settings(t *testing.T) map[string]string {
	t.Helper()
	c := config(t, d.URL)
	return map[string]string{
		"ONRUSH_WECHAT_MCH_ID": c.MchID, "ONRUSH_WECHAT_APP_ID": c.AppID, "ONRUSH_WECHAT_CERT_SERIAL": c.CertSerial,
		"ONRUSH_WECHAT_PRIVATE_KEY": c.PrivateKey, "ONRUSH_WECHAT_API_V3_KEY": c.APIv3Key,
		"ONRUSH_WECHAT_PLATFORM_KEYS": testSerial + "=" + c.PlatformKeys[testSerial],
		"ONRUSH_GATEWAYS":             "wechat=" + d.URL,
	}
}

// Follow makes the Double use a clock.
func (d *Double) Follow(now func() time.Time) {
	d.fake.mu.Lock()
	defer d.fake.mu.Unlock()
	d.fake.now = now
}

// Pay pays an order, whose whole amount the app takes, and returns the notification.
func (d *Double) Pay(
	t testing.TB, number string, amount int64, at time.Time,
) (header http.Header, body []byte, taken bool) {
	t.Helper()
	d.fake.mu.Lock()
	defer d.fake.mu.Unlock()
	o := d.fake.orders[number]
	if o == nil || o.state != "NOTPAY" || *o.Amount.Total != amount {
		return nil, nil, false
	}
	o.state, o.transaction = "SUCCESS", "4200"+number
	text, err := json.Marshal(map[string]any{
		"appid": o.AppID, "mchid": o.MchID, "out_trade_no": o.Number, "trade_state": o.state,
		"transaction_id": o.transaction, "amount": o.Amount,
	})
	if err != nil {
		t.Fatal(err)
	}
	body = double.WechatEvent(t, testKey, "TRANSACTION.SUCCESS", string(text))
	body = []byte(strings.Replace(string(body), "EV-1", "EV-"+number, 1))
	header = double.WechatSigned(double.PlatformKey(), testSerial, at, body)
	header.Set("Content-Type", "application/json")
	return header, body, true
}

// Returned is what was paid back of an order.
func (d *Double) Returned(number string) int64 {
	d.fake.mu.Lock()
	defer d.fake.mu.Unlock()
	if o := d.fake.orders[number]; o != nil && o.transaction != "" {
		return d.fake.goingBack(o.transaction)
	}
	return 0
}
