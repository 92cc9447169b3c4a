package doctor_test

import (
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/app/doctor"
	"onrush/app/server"
	"onrush/test/double"
)

var authorization = regexp.MustCompile(`(\w+)="([^"]*)"`)

// wechat knows no payment. It checks and signs as the documents of WeChat Pay say, and leaves what a stranger's key
// signed without a signature.
func wechat(w http.ResponseWriter, r *http.Request) {
	fields := map[string]string{}
	for _, found := range authorization.FindAllStringSubmatch(r.Header.Get("Authorization"), -1) {
		fields[found[1]] = found[2]
	}
	signed := strings.Join([]string{r.Method, r.RequestURI, fields["timestamp"], fields["nonce_str"], "", ""}, "\n")
	if !double.Verify(&double.MerchantKey().PublicKey, signed, fields["signature"]) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"code":"SIGN_ERROR","message":"no"}`))
		return
	}
	status, code := http.StatusNotFound, "ORDER_NOT_EXIST"
	if r.Method != http.MethodGet || !strings.HasPrefix(r.URL.Path, "/v3/pay/transactions/out-trade-no/") ||
		r.URL.Query().Get("mchid") != "1900000109" {
		status, code = http.StatusBadRequest, "PARAM_ERROR"
	}
	body, stamp := `{"code":"`+code+`","message":"no"}`, strconv.FormatInt(time.Now().Unix(), 10)
	w.Header()["Wechatpay-Timestamp"], w.Header()["Wechatpay-Nonce"] = []string{stamp}, []string{"ONCE"}
	w.Header()["Wechatpay-Serial"] = []string{"PUB_KEY_ID_0114"}
	w.Header()["Wechatpay-Signature"] = []string{double.Sign(double.PlatformKey(), stamp+"\nONCE\n"+body+"\n")}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// alipay knows no trade. It checks and signs as the documents of Alipay's open platform say, and leaves errors of its
// gateway without a signature.
func alipay(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	var signed []string
	for _, name := range slices.Sorted(maps.Keys(r.PostForm)) {
		if name != "sign" {
			signed = append(signed, name+"="+r.PostForm.Get(name))
		}
	}
	if !double.Verify(&double.MerchantKey().PublicKey, strings.Join(signed, "&"), r.PostForm.Get("sign")) {
		_, _ = w.Write([]byte(`{"error_response":{"code":"40002","sub_code":"isv.invalid-signature"}}`))
		return
	}
	answer := map[string]string{"code": "40004", "sub_code": "ACQ.TRADE_NOT_EXIST"}
	if r.PostForm.Get("method") != "alipay.trade.query" || r.PostForm.Get("app_id") != "2021" {
		answer["sub_code"] = "ACQ.INVALID_PARAMETER"
	}
	text, _ := json.Marshal(answer)
	_, _ = fmt.Fprintf(w, `{"alipay_trade_query_response":%s,"sign":%q}`, text, double.Sign(double.PlatformKey(),
		string(text)))
}

// Both gateways answer that there is no such payment if they know the merchant's key, and refuse another key.
func TestDoctorAsksWeChatPayAndAlipayWhetherTheyTakeTheSettings(t *testing.T) {
	t.Parallel()
	for channel, row := range map[string]struct {
		gateway http.HandlerFunc
		refusal string
		set     func(cfg *server.Config, key, base string)
	}{
		"wechat": {wechat, "SIGN_ERROR", func(cfg *server.Config, key, base string) {
			cfg.Wechat.MchID, cfg.Wechat.AppID, cfg.Wechat.CertSerial = "1900000109", "wx1", "0CAB1"
			cfg.Wechat.PrivateKey, cfg.Wechat.APIv3Key = key, strings.Repeat("k", 32)
			cfg.Gateways = map[string]string{"wechat": base}
			cfg.Wechat.PlatformKeys = map[string]string{"PUB_KEY_ID_0114": double.PublicPEM(t, double.PlatformKey())}
		}},
		"alipay": {alipay, "isv.invalid-signature", func(cfg *server.Config, key, base string) {
			cfg.Alipay.AppID, cfg.Alipay.SellerID, cfg.Alipay.PrivateKey = "2021", "2088", key
			cfg.Alipay.AlipayKey = double.PublicPEM(t, double.PlatformKey())
			cfg.Gateways = map[string]string{"alipay": base}
		}},
	} {
		t.Run(channel, func(t *testing.T) {
			t.Parallel()
			gateway := httptest.NewServer(row.gateway)
			t.Cleanup(gateway.Close)
			busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusBadGateway)
			}))
			t.Cleanup(busy.Close)
			untrusted := httptest.NewUnstartedServer(row.gateway)
			untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
			untrusted.StartTLS()
			t.Cleanup(untrusted.Close)
			for _, asked := range []struct {
				key   *rsa.PrivateKey
				url   string
				level doctor.Level
				texts []string
			}{
				{double.MerchantKey(), gateway.URL, doctor.OK, []string{"takes the settings"}},
				{double.StrangerKey(), gateway.URL, doctor.Failure, []string{"refuses the settings", row.refusal}},
				{double.MerchantKey(), busy.URL, doctor.Failure, []string{"answers, but is in trouble", "status 502"}},
				{double.MerchantKey(), "http://127.0.0.1:1", doctor.Failure, []string{"refuses connections"}},
				{double.MerchantKey(), "https://gateway.invalid", doctor.Failure, []string{"its name is unknown"}},
				{
					double.MerchantKey(), strings.Replace(gateway.URL, "http:", "https:", 1), doctor.Failure,
					[]string{"TLS fails"},
				},
				{double.MerchantKey(), untrusted.URL, doctor.Failure, []string{"TLS fails", "certificate"}},
			} {
				cfg := &server.Config{Lanes: 16, DataDir: t.TempDir(), PublicURL: "https://shop.example"}
				key := double.PrivatePEM(asked.key)
				row.set(cfg, key, asked.url)
				texts, level := found(doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context()),
					"payments "+channel+" gateway")
				assert.Equal(t, asked.level, level, "%v", texts)
				if assert.Len(t, texts, 1) {
					assert.NotContains(t, texts[0], key)
					for _, text := range asked.texts {
						assert.Contains(t, texts[0], text)
					}
				}
			}
		})
	}
}
