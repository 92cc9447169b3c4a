package wechat

import (
	"crypto/rand"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/test/double"
)

func TestWechatSendsItsSerialNumberUnchanged(t *testing.T) {
	t.Parallel()
	for _, serial := range []string{"0CAB1", "0cab1", "CAB1", "00CAB1"} {
		fake, url := newFakeWechat(t)
		fake.certSerial = serial
		cfg := config(t, url)
		cfg.CertSerial = " " + serial + "\n"
		w, err := New(cfg, double.Clock, rand.Text)
		require.NoError(t, err)
		double.Begun(t, w, double.YuanPayment())
	}
}

// WeChat Pay leaves some refusals unsigned. They decide nothing; their code says whether to wait.
func TestWechatDistinguishesOutagesFromRefusals(t *testing.T) {
	t.Parallel()
	w, fake := newWechat(t)
	p := double.Begun(t, w, double.YuanPayment())
	for _, c := range []struct {
		status int
		code   string
		away   bool
	}{
		{500, "SYSTEM_ERROR", true},
		{502, "", true},
		{503, "SERVICE_UNAVAILABLE", true},
		{429, "FREQUENCY_LIMITED", true},
		{400, "SYSTEM_ERROR", true},
		{403, "FREQUENCY_LIMITED", true},
		{500, "ORDER_NOT_EXIST", true},
		{401, "SIGN_ERROR", false},
		{403, "NO_AUTH", false},
		{404, "ORDER_NOT_EXIST", false},
		{400, "ORDERPAID", false},
		{400, "ORDER_CLOSED", false},
		{413, "", false},
	} {
		fake.answer = func(w http.ResponseWriter) bool { unsigned(w, c.status, c.code); return true }
		_, err := w.Query(t.Context(), p)
		closing := w.Close(t.Context(), p)
		for _, err := range []error{err, closing} {
			require.Error(t, err, c)
			require.Equal(t, c.away, errors.Is(err, pay.ErrUnavailable), c)
			require.ErrorContains(t, err, c.code)
			require.ErrorContains(t, err, "unsigned")
			require.NotErrorIs(t, err, pay.ErrPaid, c)
		}
	}
	fake.answer = func(w http.ResponseWriter) bool {
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte("<html>code</html>"))
		return true
	}
	_, err := w.Query(t.Context(), p)
	require.ErrorIs(t, err, pay.ErrUnavailable)
	require.ErrorContains(t, err, "status 502")
	fake.answer = func(w http.ResponseWriter) bool {
		fake.refuse(w, http.StatusForbidden, "FREQUENCY_LIMITED")
		return true
	}
	_, err = w.Query(t.Context(), p)
	require.ErrorIs(t, err, pay.ErrUnavailable, "signed as well")
}

// Serial numbers are the same in each spelling: in lower case, or with the leading zero that makes the
// digits even.
func TestWechatSerialsAreTheSameInEachSpelling(t *testing.T) {
	t.Parallel()
	for configured, sent := range map[string]string{"0abc": "ABC", "ABC": "0ABC", "abc": "00abc", " 0ABC": "abc"} {
		cfg := config(t, "")
		cfg.PlatformKeys[configured] = double.CertificatePEM(t, double.StrangerKey(), 0xabc, double.Now.Add(time.Hour))
		w, err := New(cfg, double.Clock, rand.Text)
		require.NoError(t, err, configured)
		body := double.WechatEvent(t, testKey, "TRANSACTION.SUCCESS", paidText)
		_, err = w.Verify(double.WechatSigned(double.StrangerKey(), sent, double.Now, body), body)
		require.NoError(t, err, sent)
		require.Equal(t, testSerial, w.askSerial)
	}
	cfg := config(t, "")
	cert := double.CertificatePEM(t, double.StrangerKey(), 0xabc, double.Now.Add(time.Hour))
	cfg.PlatformKeys["0ABC"], cfg.PlatformKeys["abc"] = cert, cert
	_, err := New(cfg, double.Clock, rand.Text)
	require.ErrorContains(t, err, "ABC is a duplicate")
}
