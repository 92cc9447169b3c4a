package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"time"

	"onrush/modules/order"
	"onrush/modules/pay/alipay"
	"onrush/modules/pay/stripe"
	"onrush/modules/pay/wechat"
	"onrush/modules/seckill/gates/human"
	"onrush/web"
)

// Config is what the operator decides. Flags and environment are one list: each field is a flag
// of serve, and an environment variable.
type Config struct {
	Addr string `name:"addr" help:"Address to listen on." default:"127.0.0.1:8080" env:"ONRUSH_ADDR" log:"show"`
	// RedisURL is redis://user:password@host:port/db; that of a cluster has several addr.
	RedisURL string `name:"redis-url" help:"URL of Redis. Empty: embedded." env:"ONRUSH_REDIS_URL" log:"address"`
	// MySQLDSN is user:password@tcp(host:port)/database of MySQL or MariaDB.
	MySQLDSN string `name:"mysql-dsn" help:"MySQL. Empty: SQLite in data-dir." env:"ONRUSH_MYSQL_DSN" log:"address"`
	// DataDir is the folder of the embedded stores and of the secrets that the program makes itself.
	DataDir string `name:"data-dir" help:"Embedded stores." default:"./data" env:"ONRUSH_DATA_DIR" log:"show"`
	// PublicURL is where browsers and gateways find the program, such as https://shop.example.
	PublicURL string `name:"public-url" help:"Default: http and addr." env:"ONRUSH_PUBLIC_URL" log:"show"`
	// Proxies are addresses and networks of proxies.
	Proxies []string `name:"trusted-proxies" help:"Set X-Forwarded-For." env:"ONRUSH_TRUSTED_PROXIES" log:"show"`

	Log string `name:"log" help:"Level of the log." default:"info" enum:"debug,info,warn,error" env:"ONRUSH_LOG"`
	// LogFormat is the format of the log.
	LogFormat string `name:"log-format" help:"text or json." default:"text" enum:"text,json" env:"ONRUSH_LOG_FORMAT"`

	JWTSecret string `name:"jwt-secret" help:"Secret of HS256 tokens, 32 bytes or more." env:"ONRUSH_JWT_SECRET"`
	// JWKSFile and JWKSURL have the public keys of RS256, ES256 and EdDSA tokens.
	JWKSFile string `name:"jwks-file" help:"File with public keys of tokens." env:"ONRUSH_JWKS_FILE" log:"show"`
	JWKSURL  string `name:"jwks-url" help:"URL of public keys of tokens." env:"ONRUSH_JWKS_URL" log:"show"`
	// JWTIssuer is the iss that tokens must have.
	JWTIssuer string `name:"jwt-issuer" help:"iss of tokens. Empty: any." env:"ONRUSH_JWT_ISSUER" log:"show"`
	// JWTAudience is a value that the aud of tokens must have.
	JWTAudience string `name:"jwt-audience" help:"Required with JWKS." env:"ONRUSH_JWT_AUDIENCE" log:"show"`
	// JWTRole is the claim with the role, such as realm_access.roles: a text or a list of texts.
	JWTRole string `name:"jwt-role-claim" help:"Role." default:"role" env:"ONRUSH_JWT_ROLE_CLAIM" log:"show"`
	// Dev issues tokens at POST /dev/token to whoever asks, on a loopback address only. An embedded run
	// that made its own secret does so in any case.
	Dev bool `name:"dev" help:"Issue tokens for any user at POST /dev/token." env:"ONRUSH_DEV"`

	// PathSecret signs paths, tasks and confirmations. All instances have the same.
	PathSecret string `name:"path-secret" help:"Secret of paths, 32 bytes or more." env:"ONRUSH_PATH_SECRET"`
	// PathSecretPrevious is the secret before the last change: what it signed is still accepted.
	PathSecretPrevious string `name:"path-secret-previous" help:"Former one." env:"ONRUSH_PATH_SECRET_PREVIOUS"`

	Lanes int `name:"lanes" help:"Lanes, 1 to 1023; none may be removed." default:"16" env:"ONRUSH_LANES"`
	// QueueLimit is the number of orders in a lane's queue from which on submits are answered overloaded.
	QueueLimit int64 `name:"queue-limit" help:"Orders per lane." default:"200000" env:"ONRUSH_QUEUE_LIMIT"`
	// RetireAfter is how long after its end a sale's keys stay in Redis.
	RetireAfter time.Duration `name:"retire-after" help:"Keys in Redis." default:"24h" env:"ONRUSH_RETIRE_AFTER"`
	// SQLConnections is divided among movers and jobs, webhooks, buyers and operators.
	SQLConnections int `name:"sql-connections" help:"To MySQL, 8-1000." default:"32" env:"ONRUSH_SQL_CONNECTIONS"`
	PayQueries     int `name:"pay-queries" help:"Concurrent, per channel." default:"8" env:"ONRUSH_PAY_QUERIES"`

	// Limits switches the rate limits of buyers; dry_run only counts and logs what would be refused.
	Limits string `name:"limits" help:"Rate limits." default:"on" enum:"on,off,dry_run" env:"ONRUSH_LIMITS"`
	// LimitUser is over all instances, and 5 times as high for polled routes.
	LimitUser string `name:"limit-user" help:"none: no limit." default:"100/1s" env:"ONRUSH_LIMIT_USER"`
	// LimitAddress is over all instances, for a client address (IPv6: its /64), which a whole town may share.
	LimitAddress string `name:"limit-address" help:"Default: no limit." env:"ONRUSH_LIMIT_ADDRESS"`
	// LimitInstance is for all requests to this instance.
	LimitInstance string `name:"limit-instance" help:"Default: no limit." env:"ONRUSH_LIMIT_INSTANCE"`
	// StreamsPerUser is how many event streams of a user this instance has open.
	StreamsPerUser int `name:"streams-per-user" help:"Event streams." default:"8" env:"ONRUSH_STREAMS_PER_USER"`

	// PowDifficulty is how many hashes a proof of work takes on average; it rises up to 16 times with the load.
	PowDifficulty int64               `name:"pow-difficulty" default:"50000" env:"ONRUSH_POW_DIFFICULTY"`
	Captcha       human.CaptchaConfig `embed:"" prefix:"captcha-" envprefix:"ONRUSH_CAPTCHA_" group:"Captcha"`

	Keep keepSettings `embed:"" prefix:"keep-" envprefix:"ONRUSH_KEEP_"`

	// SandboxSecret is whsec_ and base64. Without it the sandbox is off.
	SandboxSecret string `name:"sandbox-secret" help:"Secret of the sandbox." env:"ONRUSH_SANDBOX_SECRET"`

	Stripe stripe.Config `embed:"" prefix:"stripe-" envprefix:"ONRUSH_STRIPE_" group:"Stripe"`
	Wechat wechat.Config `embed:"" prefix:"wechat-" envprefix:"ONRUSH_WECHAT_" group:"WeChat Pay"`
	Alipay alipay.Config `embed:"" prefix:"alipay-" envprefix:"ONRUSH_ALIPAY_" group:"Alipay"`

	// Web are the limits of the HTTP server; it has its own defaults.
	Web web.Config `kong:"-"`

	madeSecret bool // JWTSecret was made by the program itself, in the data folder
}

// publicURL is where browsers and gateways find the program, without a slash at its end.
func (c *Config) publicURL() string {
	if c.PublicURL != "" {
		return strings.TrimRight(c.PublicURL, "/")
	}
	return "http://" + c.Addr
}

// Embedded reports whether only the embedded stores are used.
func (c *Config) Embedded() bool { return c.RedisURL == "" && c.MySQLDSN == "" }

// DevTokens reports whether POST /dev/token issues tokens: where nobody else signs any, since the
// program made the secret itself, or where ONRUSH_DEV asks for it.
func (c *Config) DevTokens() bool { return c.Dev || c.madeSecret }

// Check returns an error for a configuration that can't run; it names the setting to change.
func (c *Config) Check() error {
	if c.RetireAfter < 0 {
		return errors.New("ONRUSH_RETIRE_AFTER is below 0: sales would be let go while they run")
	}
	if err := c.Keep.check(); err != nil {
		return err
	}
	if err := c.checkLimits(); err != nil {
		return err
	}
	if c.Lanes < 1 || c.Lanes > order.MaxLane {
		return fmt.Errorf("ONRUSH_LANES is %d, but must be 1 to %d", c.Lanes, order.MaxLane)
	}
	if err := c.checkDev(); err != nil {
		return err
	}
	if c.jwks() && c.JWTAudience == "" {
		return errors.New("ONRUSH_JWT_AUDIENCE is missing: whoever publishes these keys signs tokens for other " +
			"programs, too")
	}
	if live := c.liveChannels(); c.SandboxSecret != "" && len(live) > 0 {
		return fmt.Errorf("ONRUSH_SANDBOX_SECRET is set beside %s: the sandbox pays orders without money, so it runs "+
			"beside no other channel", strings.Join(live, ", "))
	}
	if c.Embedded() {
		return nil
	}
	if c.SQLConnections < leastConnections || c.SQLConnections > mostConnections {
		return fmt.Errorf("ONRUSH_SQL_CONNECTIONS is %d: it must be %d to %d",
			c.SQLConnections, leastConnections, mostConnections)
	}
	var missing []error
	if c.RedisURL == "" {
		missing = append(missing,
			errors.New("ONRUSH_REDIS_URL is missing: an embedded Redis beside a real MySQL would lose orders"))
	}
	if c.MySQLDSN == "" {
		missing = append(missing,
			errors.New("ONRUSH_MYSQL_DSN is missing: instances that share a Redis need one MySQL, not a file each"))
	}
	if c.JWTSecret == "" && !c.jwks() {
		missing = append(missing,
			errors.New("ONRUSH_JWT_SECRET (32 bytes or more), ONRUSH_JWKS_FILE or ONRUSH_JWKS_URL is missing"))
	}
	if len(c.PathSecret) < 32 {
		missing = append(missing, errors.New("ONRUSH_PATH_SECRET is missing or shorter than 32 bytes"))
	}
	if c.PathSecretPrevious != "" && len(c.PathSecretPrevious) < 32 {
		missing = append(missing, errors.New("ONRUSH_PATH_SECRET_PREVIOUS is shorter than 32 bytes"))
	}
	if c.PublicURL == "" && (!c.Wechat.Off() || !c.Alipay.Off()) {
		missing = append(missing,
			errors.New("ONRUSH_PUBLIC_URL is missing: WeChat Pay and Alipay send their notifications there"))
	}
	return errors.Join(missing...)
}

// checkDev refuses ONRUSH_DEV where strangers could have a token for anybody.
func (c *Config) checkDev() error {
	switch {
	case !c.Dev:
		return nil
	case !isLoopback(c.Addr):
		return fmt.Errorf("ONRUSH_DEV gives tokens to whoever asks, but ONRUSH_ADDR is %s; listen on a loopback "+
			"address such as 127.0.0.1:8080", c.Addr)
	case c.JWTSecret == "" && (c.jwks() || !c.Embedded()):
		return errors.New("ONRUSH_DEV signs tokens with ONRUSH_JWT_SECRET, which is missing")
	}
	return nil
}

// isLoopback reports whether an address to listen on is reached from this machine only.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// Auth returns whose tokens are accepted.
func (c *Config) Auth() web.AuthConfig {
	return web.AuthConfig{
		Secret: c.JWTSecret, JWKSFile: c.JWKSFile, JWKSURL: c.JWKSURL,
		Issuer: c.JWTIssuer, Audience: c.JWTAudience, RoleClaim: c.JWTRole,
	}
}

// jwks reports whether others sign tokens, whose public keys are configured.
func (c *Config) jwks() bool { return c.JWKSFile != "" || c.JWKSURL != "" }

// Level is the level of the log.
func (c *Config) Level() slog.Level {
	var l slog.Level
	if err := l.UnmarshalText([]byte(c.Log)); err != nil {
		return slog.LevelInfo
	}
	return l
}

// ErrConfig is the error of a configuration that can't be used.
var ErrConfig = errors.New("configuration")

func configError(err error) error { return fmt.Errorf("%w: %w", ErrConfig, err) }
