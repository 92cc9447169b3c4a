package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"onrush/lua"
	"onrush/modules/events/delivery"
	"onrush/modules/order"
	"onrush/modules/order/hosted"
	"onrush/modules/pay/alipay"
	"onrush/modules/pay/stripe"
	"onrush/modules/pay/wechat"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/admit"
	"onrush/modules/seckill/gates/human"
	"onrush/modules/sign"
	"onrush/web"
)

// Config has the settings of the program. Each exported field but Web is a flag of the command serve and an
// environment variable.
type Config struct {
	Addr string `help:"Address to listen on." default:"127.0.0.1:8080" env:"ONRUSH_ADDR" log:"show"`
	// PublicURL is where browsers and gateways find the program, such as https://shop.example/sales: its pages and
	// their calls are then below /sales, which a proxy may cut off or leave. Default: http and Addr.
	PublicURL string `help:"Address for browsers and gateways: https://host[/path]." env:"ONRUSH_PUBLIC_URL" log:"show"`
	// Proxies are addresses and networks whose X-Forwarded-For is believed.
	Proxies []string `name:"trusted-proxies" help:"Trusted proxies." env:"ONRUSH_TRUSTED_PROXIES" log:"show"`

	// AdminAddr serves all that Addr serves. Paths below /admin, the operators' routes and the console, are then served
	// at AdminAddr alone.
	AdminAddr string `help:"Address for operators. Empty: as addr." env:"ONRUSH_ADMIN_ADDR" log:"show"`

	// StopDelay gives load balancers time to see that /readyz answers 503.
	StopDelay time.Duration `help:"How long to serve on after SIGTERM." default:"5s" env:"ONRUSH_STOP_DELAY"`
	// MetricsAddr must not be reachable by strangers: profiles are served there too.
	MetricsAddr string `help:"Address of /metrics and profiles. Empty: none." env:"ONRUSH_METRICS_ADDR" log:"show"`

	// CORSOrigins are written as browsers send them: scheme, host, port.
	CORSOrigins []string `name:"cors-origins" help:"Origins of shops' pages." env:"ONRUSH_CORS_ORIGINS" log:"show"`
	// CORSAdminOrigins are the origins of operators' pages, kept apart since they may do more.
	CORSAdminOrigins []string `name:"cors-admin-origins" help:"Operators'." env:"ONRUSH_CORS_ADMIN_ORIGINS" log:"show"`
	// CORSHeaders are headers of proxies, and such, that no route reads.
	CORSHeaders []string `name:"cors-headers" help:"More headers that pages send." env:"ONRUSH_CORS_HEADERS" log:"show"`
	// ReturnOrigins are the origins that the return_url of a payment may have. Default: CORSOrigins.
	ReturnOrigins []string `help:"Origins to return to after paying." env:"ONRUSH_RETURN_ORIGINS" log:"show"`
	// Pages is whether / is a shop; its pictures come from this program and from ImageHosts, which are origins.
	Pages      bool     `help:"Serve the shop at /." default:"true" negatable:"" env:"ONRUSH_PAGES"`
	ImageHosts []string `help:"Origins of pictures in the shop." env:"ONRUSH_IMAGE_HOSTS" log:"show"`
	// PicturesBucket is one bucket or two, as bucket.Parse reads them: uploads go to the first one.
	PicturesBucket string `help:"Uploaded pictures: s3://… <key id> <secret>" env:"ONRUSH_PICTURES_BUCKET" log:"digest"`
	// PublicActivities lets everybody read the list of activities and one activity.
	PublicActivities bool `help:"Sales need no token." default:"true" negatable:"" env:"ONRUSH_PUBLIC_ACTIVITIES"`

	// RedisURL of a cluster has several addr.
	RedisURL string `help:"redis://user:password@host:port/db. Empty: embedded." env:"ONRUSH_REDIS_URL" log:"address"`
	// RedisPrefix begins each key and channel, so that other programs may use the same Redis.
	RedisPrefix string `help:"Prefix of keys: a-z, 0-9 and -." default:"onrush" env:"ONRUSH_REDIS_PREFIX" log:"show"`
	// RedisReplicas is of each master, whose replicas should be no more than these. The embedded Redis has none.
	RedisReplicas int `help:"Replicas that must have an order before it is answered." env:"ONRUSH_REDIS_REPLICAS"`
	// RedisWaitAOF needs Redis 7.2, and appendfsync always there.
	RedisWaitAOF bool `name:"redis-wait-aof" help:"So must their append-only files." env:"ONRUSH_REDIS_WAIT_AOF"`
	// MySQLDSN is user:password@tcp(host:port)/database of MySQL or MariaDB.
	MySQLDSN string `name:"mysql-dsn" help:"MySQL. Empty: SQLite in data-dir." env:"ONRUSH_MYSQL_DSN" log:"address"`
	// MySQLReadDSN names one server. It is read only where it has what its reader must see.
	MySQLReadDSN string `name:"mysql-read-dsn" help:"A replica, for lists." env:"ONRUSH_MYSQL_READ_DSN" log:"address"`
	// SQLConnections are divided among movers and jobs, webhooks, buyers and operators.
	SQLConnections int `help:"Connections to MySQL, 8 to 1000." default:"32" env:"ONRUSH_SQL_CONNECTIONS"`
	// DataDir has the embedded stores and the secrets that the program makes for them.
	DataDir string `help:"Folder of the embedded stores." default:"./data" env:"ONRUSH_DATA_DIR" log:"show"`

	// JWTSecret, PathSecret and SandboxSecret are one secret, or up to 4, separated by semicolons, while they are
	// changed as docs/operating/secrets.md says: the first signs, all are accepted. JWTSecret also signs the tokens
	// that POST /dev/token and the command token make.
	JWTSecret string `help:"Secret of HS256 tokens, 32 bytes or more." env:"ONRUSH_JWT_SECRET" log:"digest"`
	JWKS      string `name:"jwks" help:"File or URL of RS256, ES256, EdDSA keys." env:"ONRUSH_JWKS" log:"show"`
	JWTIssuer string `help:"The iss that tokens must have. Empty: any." env:"ONRUSH_JWT_ISSUER" log:"show"`
	// JWTAudience is a value that the tokens' aud must have.
	JWTAudience string `help:"The aud of tokens. Required with JWKS." env:"ONRUSH_JWT_AUDIENCE" log:"show"`
	// JWTRole is a name or a path, such as realm_access.roles; the claim is a text or a list of texts.
	JWTRole string `name:"jwt-role-claim" help:"Role claim." default:"role" env:"ONRUSH_JWT_ROLE_CLAIM" log:"show"`
	// OIDC is the issuer at which operators sign in to the console, with the client and the claims as its query:
	// https://login.example/realm?client_id=console&role_claim=roles&shop_claim=shop. docs/operating/set-up.md has all.
	OIDC string `name:"oidc" help:"Operators' issuer: https://…?client_id=…" env:"ONRUSH_OIDC" log:"show"`
	// OIDCSecret is empty for a public client.
	OIDCSecret string `name:"oidc-secret" help:"Secret of the issuer's client." env:"ONRUSH_OIDC_SECRET" log:"digest"`
	// Dev needs a loopback address. An embedded run that made its own secret issues tokens without it.
	Dev bool `help:"Issue tokens for any user at POST /dev/token, for development." env:"ONRUSH_DEV"`

	// PathSecret signs what buyers send back, such as paths, and encrypts answers. It is the same on all instances,
	// except while it is changed.
	PathSecret string `help:"Secret of paths and tasks, 32 bytes or more." env:"ONRUSH_PATH_SECRET" log:"digest"`

	// Log is the level of the log, and whether its lines are JSON; json is json:info.
	Log string `help:"Level of the log, or json:level." default:"info" enum:"debug,info,warn,error,json,json:debug,json:info,json:warn,json:error" env:"ONRUSH_LOG"` //nolint:lll // a tag

	Lanes int `help:"Lanes of the queue. More may be added, none removed." default:"16" env:"ONRUSH_LANES"`
	// QueueLimit is for each lane; beyond it submits are answered overloaded.
	QueueLimit int64 `help:"Orders that may wait in a lane." default:"200000" env:"ONRUSH_QUEUE_LIMIT" least:"1"`
	// MoveWithin is for each lane, 0 to 10s; orders that are paid, cancelled or few are stored at once.
	MoveWithin time.Duration `help:"How long orders wait in a crowd." default:"1s" env:"ONRUSH_MOVE_WITHIN"`
	// Keep has 0 for data that is kept for ever. Orders are archived, not deleted, from an age such as orders=2400h.
	Keep keepSettings `help:"How long data is kept." default:"sales=24h" env:"ONRUSH_KEEP" log:"show"`

	// Limits are a mode, and limits that replace their defaults: dry_run,user=50/1s.
	Limits limitSettings `help:"Rate limits of buyers." default:"on" env:"ONRUSH_LIMITS" log:"show"`
	// UnpaidOrders is for each user; ordinary orders take stock before they are paid.
	UnpaidOrders int `help:"Unpaid ordinary orders of a user. 0: no limit." default:"20" env:"ONRUSH_UNPAID_ORDERS"`

	PowDifficulty int64               `kong:"-"` // of human.Config; tests set it
	Captcha       human.CaptchaConfig `embed:"" prefix:"captcha-" envprefix:"ONRUSH_CAPTCHA_" group:"Captcha"`

	// EventsAllowPrivate are hosts, addresses and networks to which events may be sent, also by http, although they are
	// in private networks or on this machine; true allows all of them, for development.
	EventsAllowPrivate []string `help:"Private receivers of events." env:"ONRUSH_EVENTS_ALLOW_PRIVATE" log:"show"`

	// SandboxSecret is whsec_ and base64. Empty: the sandbox is off.
	SandboxSecret string `help:"Secret of the sandbox, whsec_ and base64." env:"ONRUSH_SANDBOX_SECRET" log:"digest"`

	Stripe stripe.Config `embed:"" prefix:"stripe-" envprefix:"ONRUSH_STRIPE_" group:"Stripe"`
	Wechat wechat.Config `embed:"" prefix:"wechat-" envprefix:"ONRUSH_WECHAT_" group:"WeChat Pay"`
	Alipay alipay.Config `embed:"" prefix:"alipay-" envprefix:"ONRUSH_ALIPAY_" group:"Alipay"`
	// PaySubject is what buyers read before the names of the goods at WeChat Pay and Alipay. Default: nothing.
	PaySubject string `help:"What buyers read before the goods when paying." env:"ONRUSH_PAY_SUBJECT" log:"show"`
	// Gateways are gateways that shops wrote, as name=address secret, and addresses of gateways that are not where the
	// program finds them by default, as stripe=address.
	Gateways map[string]string `help:"Own gateways: name=https://… whsec_…" mapsep:"," env:"ONRUSH_GATEWAYS" log:"calls"` //nolint:lll // a tag
	// AdmitURL is a route of the shop's that answers who may have a path, and its secrets, whsec_ and base64.
	AdmitURL string `help:"Route that admits buyers: https://… whsec_…" env:"ONRUSH_ADMIT_URL" log:"calls"`
	// Admit answers instead of AdmitURL where this program is a module of another one.
	Admit admit.Asker `kong:"-"`
	// Hosted are gateways of the program that this one is a module of, Authenticate tells who its callers are, and
	// Changed is called in the transactions that change orders.
	Hosted       []HostedGateway                                          `kong:"-"`
	Authenticate func(context.Context, http.Header) (web.Identity, error) `kong:"-"`
	Changed      hosted.Func                                              `kong:"-"`

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

// DevTokens reports whether POST /dev/token issues tokens: if the program made the secret itself, so that
// nobody else signs tokens, and no program around it knows its callers, or if ONRUSH_DEV is set.
func (c *Config) DevTokens() bool { return c.Dev || c.madeSecret && c.Authenticate == nil }

// maxMoveWithin bounds for how long SQL does not have an order that was placed.
const maxMoveWithin = 10 * time.Second

// maxStopDelay bounds for how long a program that is told to stop serves on.
const maxStopDelay = 10 * time.Minute

// Check returns an error for a configuration that can't run; it names the setting to change.
func (c *Config) Check() error {
	if c.StopDelay < 0 || c.StopDelay > maxStopDelay {
		return fmt.Errorf("ONRUSH_STOP_DELAY is %s, but must be 0s to %s", c.StopDelay, maxStopDelay)
	}
	if c.MoveWithin < 0 || c.MoveWithin > maxMoveWithin {
		return fmt.Errorf("ONRUSH_MOVE_WITHIN is %s, but must be 0s to %s", c.MoveWithin, maxMoveWithin)
	}
	if err := c.Keep.check(); err != nil {
		return err
	}
	if _, err := c.Limits.policies(); err != nil {
		return err
	}
	if err := c.checkPublicURL(); err != nil {
		return err
	}
	if err := c.checkOrigins(); err != nil {
		return err
	}
	if _, err := delivery.ParsePrivate(c.EventsAllowPrivate); err != nil {
		return fmt.Errorf("ONRUSH_EVENTS_ALLOW_PRIVATE: %w", err)
	}
	if c.Lanes < 1 || c.Lanes > order.MaxLane {
		return fmt.Errorf("ONRUSH_LANES is %d, but must be 1 to %d", c.Lanes, order.MaxLane)
	}
	if c.RedisPrefix != "" && !redisPrefix.MatchString(c.RedisPrefix) {
		return fmt.Errorf("ONRUSH_REDIS_PREFIX is %q, but must be 1 to 32 of a-z, 0-9 and -", c.RedisPrefix)
	}
	if err := c.checkReplicas(); err != nil {
		return err
	}
	if err := c.checkDev(); err != nil {
		return err
	}
	if c.JWKS != "" && c.JWTAudience == "" {
		return errors.New("ONRUSH_JWT_AUDIENCE is missing: whoever publishes these keys signs tokens for other " +
			"programs, too")
	}
	if err := errors.Join(c.checkSecrets(), c.checkOIDC()); err != nil {
		return err
	}
	if err := c.checkGateways(); err != nil {
		return err
	}
	if err := c.checkAdmission(); err != nil {
		return err
	}
	if _, err := c.buckets(time.Now); err != nil {
		return err
	}
	if err := c.checkMoney(); err != nil {
		return err
	}
	if c.Embedded() {
		return c.checkEmbedded()
	}
	return c.checkStores()
}

// checkEmbedded refuses to show a shop on the embedded stores, which are for trying, to other machines, unless
// ONRUSH_DATA_DIR says by a full path that they are meant. A program around this one says so by having no address.
func (c *Config) checkEmbedded() error {
	public := ""
	switch u, err := url.Parse(c.PublicURL); {
	case c.Addr == "" || filepath.IsAbs(c.DataDir):
	case !isLoopback(c.Addr):
		public = "ONRUSH_ADDR is " + c.Addr
	case c.PublicURL != "" && (err != nil || !isLoopback(net.JoinHostPort(u.Hostname(), "0"))):
		public = "ONRUSH_PUBLIC_URL is " + c.PublicURL
	}
	if public == "" {
		return nil
	}
	return fmt.Errorf("%s, which other machines reach, and the embedded stores are not for sales: set "+
		"ONRUSH_REDIS_URL and ONRUSH_MYSQL_DSN; or, to try them there, set ONRUSH_DATA_DIR to their folder's full path",
		public)
}

var redisPrefix = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

// Keys returns the names of the keys in Redis.
func (c *Config) Keys() lua.Keys { return lua.Keys{Prefix: cmp.Or(c.RedisPrefix, lua.DefaultPrefix)} }

// checkStores refuses settings that a program on real stores lacks.
func (c *Config) checkStores() error {
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
	if c.JWTSecret == "" && c.JWKS == "" && c.Authenticate == nil {
		missing = append(missing,
			errors.New("ONRUSH_JWT_SECRET (32 bytes or more) or ONRUSH_JWKS is missing"))
	}
	if c.PathSecret == "" {
		missing = append(missing, errors.New("ONRUSH_PATH_SECRET (32 bytes or more) is missing"))
	}
	if c.PublicURL == "" && (!c.Wechat.Off() || !c.Alipay.Off() || len(c.remoteChannels()) > 0) {
		missing = append(missing,
			errors.New("ONRUSH_PUBLIC_URL is missing: WeChat Pay, Alipay and gateways of shops send their "+
				"notifications there"))
	}
	return errors.Join(missing...)
}

// checkDev refuses ONRUSH_DEV if strangers could get a token for any user.
func (c *Config) checkDev() error {
	switch {
	case !c.Dev:
		return nil
	case !isLoopback(c.Addr):
		return fmt.Errorf("ONRUSH_DEV gives tokens to whoever asks, but ONRUSH_ADDR is %s; listen on a loopback "+
			"address such as 127.0.0.1:8080", c.Addr)
	case c.JWTSecret == "" && (c.JWKS != "" || !c.Embedded()):
		return errors.New("ONRUSH_DEV signs tokens with ONRUSH_JWT_SECRET, which is missing")
	}
	return nil
}

// isLoopback reports whether an address to listen on can be reached from this machine only.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// checkSecrets checks the secrets that sign.
func (c *Config) checkSecrets() error {
	return errors.Join(
		sign.ParseSecrets(c.JWTSecret).Check("ONRUSH_JWT_SECRET"),
		c.pathSecrets().Check("ONRUSH_PATH_SECRET"),
		sign.ParseSecrets(c.SandboxSecret).Check("ONRUSH_SANDBOX_SECRET"))
}

func (c *Config) pathSecrets() sign.Secrets { return sign.ParseSecrets(c.PathSecret) }

// Auth returns the settings of tokens.
func (c *Config) Auth() web.AuthConfig {
	origin, _ := problem.OriginOf(c.publicURL())
	cookie := ""
	if login, err := c.login(); err == nil && login != nil {
		cookie, origin = login.SessionCookie(), login.Origin()
	}
	return web.AuthConfig{
		Host: c.Authenticate, HostOrigin: origin, SessionCookie: cookie,
		Secret: c.JWTSecret, JWKS: c.JWKS, Issuer: c.JWTIssuer, Audience: c.JWTAudience, RoleClaim: c.JWTRole,
	}
}

// Level is the level of the log.
func (c *Config) Level() slog.Level {
	var l slog.Level
	if err := l.UnmarshalText([]byte(c.level())); err != nil {
		return slog.LevelInfo
	}
	return l
}

// level is the name of Level.
func (c *Config) level() string {
	return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(c.Log, "json"), ":"), "info")
}

// LogsJSON reports whether the lines of the log are JSON.
func (c *Config) LogsJSON() bool { return strings.HasPrefix(c.Log, "json") }

// ErrConfig is the error of a configuration that can't be used.
var ErrConfig = errors.New("configuration")

func configError(err error) error { return fmt.Errorf("%w: %w", ErrConfig, err) }
