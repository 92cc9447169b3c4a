package server

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// onReal is a configuration of real stores with all that they need.
func onReal() Config {
	return Config{
		Addr: "127.0.0.1:8080", RedisURL: "redis://redis/0", MySQLDSN: "user:password@tcp(mysql)/onrush",
		JWTSecret: strings.Repeat("j", 32), PathSecret: strings.Repeat("p", 32), Lanes: 4,
	}
}

func TestNotificationsGoToThePublicURLHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	for _, public := range []string{"https://shop.example", "https://shop.example/", "https://shop.example//"} {
		cfg := onReal()
		cfg.PublicURL = public
		require.Equal(t, "https://shop.example/webhooks/pay/wechat", cfg.wechat().NotifyURL, public)
		require.Equal(t, "https://shop.example/webhooks/pay/alipay", cfg.alipay().NotifyURL, public)
		require.Equal(t, "https://shop.example", cfg.sandbox().BaseURL, public)
	}
	cfg := onReal()
	cfg.PublicURL = "https://shop.example/orders/"
	require.Equal(t, "https://shop.example/orders/webhooks/pay/wechat", cfg.wechat().NotifyURL)
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
		"stripe":  func(cfg *Config) { cfg.Stripe.SecretKey = "sk_1" }, // it is told of the webhook at Stripe
		"sandbox": func(cfg *Config) { cfg.SandboxSecret = "whsec_x" },
	} {
		cfg := onReal()
		on(&cfg)
		require.NoError(t, cfg.Check(), name)
	}
}
