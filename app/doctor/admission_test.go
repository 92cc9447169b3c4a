package doctor_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/app/doctor"
	"onrush/app/server"
)

func TestDoctorAsksTheRouteThatAdmitsBuyers(t *testing.T) {
	t.Parallel()
	const secret = " whsec_c2VjcmV0LW9mLWEtc2hvcC1pbi10ZXN0cy0zMi1ieXRl"
	answers := func(status int) string {
		shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			assert.Empty(t, r.Header.Get("webhook-signature"))
			w.WriteHeader(status)
		}))
		t.Cleanup(shop.Close)
		return shop.URL + "/admit"
	}
	for _, tt := range []struct {
		url, says string
		level     doctor.Level
	}{
		{answers(http.StatusUnauthorized), "it can be reached", doctor.OK},
		{answers(http.StatusOK), "without a signature", doctor.Warning},
		{answers(http.StatusNotFound), "status 404: nobody can buy", doctor.Failure},
		{answers(http.StatusFound), "status 302: nobody can buy", doctor.Failure},
		{"http://127.0.0.1:1/admit", "nobody can buy", doctor.Failure},
	} {
		cfg := &server.Config{Lanes: 16, DataDir: t.TempDir(), AdmitURL: tt.url + secret}
		texts, level := found(doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context()), "admission")
		assert.Equal(t, tt.level, level, "%v", texts)
		if assert.Len(t, texts, 1) {
			assert.Contains(t, texts[0], tt.says)
			assert.NotContains(t, texts[0], "whsec_")
		}
	}
}
