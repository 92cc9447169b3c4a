package server

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/clock"
	"onrush/modules/pay/stripe"
	"onrush/modules/pay/wechat"
)

// onReal is a configuration of real stores with all that they need.
func onReal() Config {
	return Config{
		Addr: "127.0.0.1:8080", RedisURL: "redis://redis/0", SQLConnections: 32,
		MySQLDSN: "user:password@tcp(mysql)/onrush", JWTSecret: strings.Repeat("j", 32),
		PathSecret: strings.Repeat("p", 32), Lanes: 4,
	}
}

func TestNotificationsGoToThePublicURLWithOrWithoutASlash(t *testing.T) {
	t.Parallel()
	for _, public := range []string{"https://shop.example", "https://shop.example/", "https://shop.example//"} {
		cfg := onReal()
		cfg.PublicURL = public
		require.Equal(t, "https://shop.example/webhooks/pay/wechat", cfg.webhookURL("wechat"), public)
		require.Equal(t, "https://shop.example/webhooks/pay/alipay", cfg.webhookURL("alipay"), public)
		require.Equal(t, "https://shop.example", cfg.publicURL(), public)
	}
	cfg := onReal()
	cfg.PublicURL = "https://shop.example/orders/"
	require.Equal(t, "https://shop.example/orders/webhooks/pay/wechat", cfg.webhookURL("wechat"))
}

func TestGatewaysThatNotifyUsNeedThePublicURL(t *testing.T) {
	t.Parallel()
	for name, on := range map[string]func(*Config){
		"wechat": func(cfg *Config) { cfg.Wechat.MchID = "1900000109" },
		"alipay": func(cfg *Config) { cfg.Alipay.AppID = "2021000000000001" },
	} {
		cfg := onReal()
		on(&cfg)
		require.ErrorContains(t, cfg.Check(), "ONRUSH_PUBLIC_URL is missing", name)
		cfg.PublicURL = "https://shop.example"
		require.NoError(t, cfg.Check(), name)
		cfg.PublicURL, cfg.RedisURL, cfg.MySQLDSN = "", "", ""
		require.NoError(t, cfg.Check(), "%s on an embedded run", name)
	}
	for name, on := range map[string]func(*Config){
		"none":    func(*Config) {},
		"stripe":  func(cfg *Config) { cfg.Stripe.SecretKey = "sk_1" }, // its webhook is configured at Stripe
		"sandbox": func(cfg *Config) { cfg.SandboxSecret = "whsec_" + strings.Repeat("x", 32) },
	} {
		cfg := onReal()
		on(&cfg)
		require.NoError(t, cfg.Check(), name)
	}
}

// open builds the channels of a configuration, and returns what was logged.
func open(t *testing.T, cfg Config) (logged string, err error) {
	t.Helper()
	var text bytes.Buffer
	log := slog.New(slog.NewTextHandler(&text, nil))
	_, _, err = openGateways(t.Context(), cfg, Parts{Log: log}, stores{clock: clock.Fixed(time.Now)})
	return text.String(), err
}

func TestWeChatPayNeedsAPublicURLThatItAccepts(t *testing.T) {
	t.Parallel()
	cfg := onReal()
	cfg.Wechat = wechat.Config{
		MchID: "1900000109", AppID: "wx1", CertSerial: "1", PrivateKey: "none", APIv3Key: strings.Repeat("k", 32),
		PlatformKeys: map[string]string{"1": "none"},
	}
	for _, public := range []string{
		"", "http://shop.example", "https://shop.example:8443", "https://shop.example?a=b", "https://shop.example#a",
		"https://u@shop.example", "shop.example", "https://",
	} {
		cfg.PublicURL = public
		_, err := open(t, cfg)
		require.ErrorContains(t, err, "ONRUSH_PUBLIC_URL", public)
		cfg.RedisURL, cfg.MySQLDSN = "", ""
		_, err = open(t, cfg)
		require.ErrorContains(t, err, "ONRUSH_PUBLIC_URL", "%s on an embedded run", public)
	}
	for _, public := range []string{"https://shop.example", "https://shop.example/", "https://shop.example/pay"} {
		cfg.PublicURL = public
		_, err := open(t, cfg)
		require.ErrorContains(t, err, "wechat config: private key", public)
		require.NotContains(t, err.Error(), "URL")
	}
}

func TestStripeTestKeysOnRealStoresAreWarnedOf(t *testing.T) {
	t.Parallel()
	cfg := onReal()
	for _, c := range []struct {
		mode     string
		embedded bool
		warned   bool
	}{{"test", false, true}, {"live", false, false}, {"test", true, false}} {
		cfg.Stripe = stripe.Config{
			SecretKey: "sk_" + c.mode + "_1", PublishableKey: "pk_" + c.mode + "_1", WebhookSecret: "whsec_1",
		}
		if c.embedded {
			cfg.RedisURL, cfg.MySQLDSN = "", ""
		}
		logged, err := open(t, cfg)
		require.NoError(t, err)
		require.Equal(t, c.warned, strings.Contains(logged, "level=WARN"), logged)
		require.NotContains(t, logged, "sk_")
	}
	cfg.Stripe.PublishableKey = "pk_live_1"
	_, err := open(t, cfg)
	require.ErrorContains(t, err, "mode")
	cfg.Stripe.PublishableKey, cfg.Stripe.Methods = "pk_test_1", []string{"sepa_debit"}
	_, err = open(t, cfg)
	require.ErrorContains(t, err, "sepa_debit")
}

func TestTestMoneyBesideLiveMoneyIsRefused(t *testing.T) {
	t.Parallel()
	channels := map[string]func(*Config){
		"live stripe":       func(cfg *Config) { cfg.Stripe.SecretKey = "sk_live_1" },
		"restricted stripe": func(cfg *Config) { cfg.Stripe.SecretKey = "rk_live_1" },
		"test stripe":       func(cfg *Config) { cfg.Stripe.SecretKey = "rk_test_1" },
		"live wechat":       func(cfg *Config) { cfg.Wechat.MchID = "1900000109" },
		"live alipay":       func(cfg *Config) { cfg.Alipay.AppID = "2021000000000001" },
	}
	for i, address := range []string{
		"https://openapi-sandbox.dl.alipaydev.com/gateway.do", "https://openapi.alipaydev.com/gateway.do",
		"https://OPENAPI-sandbox.dl.AlipayDev.com.:443/gateway.do",
	} {
		channels[fmt.Sprintf("test alipay %d", i)] = func(cfg *Config) {
			cfg.Alipay.AppID, cfg.Gateways = "9021000000000001", map[string]string{"alipay": address}
		}
	}
	for one, turnOn := range channels {
		for other, turnOnToo := range channels {
			cfg := onReal()
			cfg.PublicURL = "https://shop.example"
			turnOn(&cfg)
			turnOnToo(&cfg)
			if strings.Fields(one)[1] == strings.Fields(other)[1] {
				continue // the same channel
			}
			if refused := strings.Contains(one, "test") != strings.Contains(other, "test"); !refused {
				require.NoError(t, cfg.Check(), "%s and %s", one, other)
				continue
			}
			for _, channel := range []string{one, other} {
				require.ErrorContains(t, cfg.Check(), strings.Fields(channel)[1], "%s and %s", one, other)
			}
			cfg.RedisURL, cfg.MySQLDSN = "", ""
			require.ErrorContains(t, cfg.Check(), "test mode", "%s and %s on an embedded run", one, other)
		}
	}
}

func TestSandboxIsRefusedTogetherWithOtherChannels(t *testing.T) {
	t.Parallel()
	for name, on := range map[string]func(*Config){
		"stripe": func(cfg *Config) { cfg.Stripe.SecretKey = "sk_test_1" },
		"wechat": func(cfg *Config) { cfg.Wechat.MchID = "1900000109" },
		"alipay": func(cfg *Config) { cfg.Alipay.AppID = "2021000000000001" },
	} {
		cfg := onReal()
		cfg.PublicURL, cfg.SandboxSecret = "https://shop.example", "whsec_"+strings.Repeat("x", 32)
		on(&cfg)
		err := cfg.Check()
		require.ErrorContains(t, err, "ONRUSH_SANDBOX_SECRET", name)
		require.ErrorContains(t, err, name)
		cfg.RedisURL, cfg.MySQLDSN, cfg.DataDir = "", "", t.TempDir()
		require.ErrorContains(t, cfg.Check(), name, "on an embedded run")
		cfg.SandboxSecret = ""
		require.NoError(t, cfg.Check(), name)
	}
}

func TestAnEmbeddedRunWithAnotherChannelMakesNoSandbox(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "sk_test_1"} {
		cfg := Config{DataDir: t.TempDir(), Lanes: 1}
		cfg.Stripe.SecretKey = key
		_, closeStores, err := Open(t.Context(), &cfg, slog.New(slog.DiscardHandler), nil)
		require.NoError(t, err)
		closeStores()
		require.Equal(t, key == "", cfg.SandboxSecret != "")
	}
}
