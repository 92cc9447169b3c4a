package sandbox

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSandboxRefusesSettingsThatCantBe(t *testing.T) {
	t.Parallel()
	assert.True(t, Config{BaseURL: "http://x"}.Off())
	assert.False(t, Config{Secret: "x"}.Off())
	const base = "http://127.0.0.1:8080"
	for name, cfg := range map[string]Config{
		"no secret": {BaseURL: base},
		"no prefix": {Secret: strings.TrimPrefix(testSecret, "whsec_"), BaseURL: base},
		"no base64": {Secret: "whsec_äöü-secret-of-many-characters", BaseURL: base},
		"a short secret": {
			Secret: "whsec_" + base64.StdEncoding.EncodeToString([]byte("twenty-three characters")), BaseURL: base,
		},
		"a long secret":        {Secret: "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 65)), BaseURL: base},
		"no base":              {Secret: testSecret},
		"no scheme":            {Secret: testSecret, BaseURL: "127.0.0.1:8080"},
		"another scheme":       {Secret: testSecret, BaseURL: "ftp://x"},
		"a base with a query":  {Secret: testSecret, BaseURL: base + "?a=b"},
		"a webhook of nothing": {Secret: testSecret, BaseURL: base, WebhookURL: "/webhooks"},
		"waits that shrink":    {Secret: testSecret, BaseURL: base, Wait: time.Minute, WaitMax: time.Second},
		"fewer than one":       {Secret: testSecret, BaseURL: base, Attempts: -1},
	} {
		_, err := New(t.Context(), cfg, Deps{})
		require.Error(t, err, name)
		if cfg.Secret != "" {
			assert.NotContains(t, err.Error(), strings.TrimPrefix(cfg.Secret, "whsec_"), name)
		}
	}
	for from, to := range map[string]string{
		"http://:8080": "http://127.0.0.1:8080", "http://0.0.0.0:8080/": "http://127.0.0.1:8080",
		"http://[::]:81": "http://127.0.0.1:81", "https://shop.example/pay/": "https://shop.example/pay",
		"http://localhost:1": "http://localhost:1",
	} {
		s, err := New(t.Context(), Config{Secret: testSecret, BaseURL: from}, Deps{})
		require.NoError(t, err, from)
		assert.Equal(t, to, s.cfg.BaseURL)
		assert.Equal(t, to+"/webhooks/pay/sandbox", s.cfg.WebhookURL)
	}
}
