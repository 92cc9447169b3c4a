package server

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/embedded"
)

func TestSalesThatWouldBeLetGoBeforeTheirEndAreRefused(t *testing.T) {
	t.Parallel()
	embedded := Config{RetireAfter: time.Hour, Lanes: 16}
	outside := Config{
		RetireAfter: time.Hour, Lanes: 16, RedisURL: "redis://", MySQLDSN: "dsn", SQLConnections: 32,
		JWTSecret: "0123456789abcdef0123456789abcdef", PathSecret: "0123456789abcdef0123456789abcdef",
	}
	for _, c := range []Config{embedded, outside} {
		require.NoError(t, c.Check())
		c.RetireAfter = 0
		require.NoError(t, c.Check(), "the default")
		c.RetireAfter = -time.Second
		assert.ErrorContains(t, c.Check(), "ONRUSH_RETIRE_AFTER")
	}
}

func TestAMoveWithinOutOfRangeIsRefused(t *testing.T) {
	t.Parallel()
	for within, ok := range map[time.Duration]bool{
		0: true, time.Second: true, 10 * time.Second: true, -1: false, 10*time.Second + 1: false,
	} {
		c := outside()
		c.MoveWithin = within
		if ok {
			require.NoError(t, c.Check(), within)
		} else {
			require.ErrorContains(t, c.Check(), "ONRUSH_MOVE_WITHIN", within)
		}
	}
}

func TestHeadersOfPagesAreNamed(t *testing.T) {
	t.Parallel()
	c := outside()
	c.CORSHeaders = []string{"X-Tenant", "x_geo"}
	require.NoError(t, c.Check())
	for _, name := range []string{"*", "", "X Tenant", "X-Tenant\r\nX-Evil: 1", "X,Y", strings.Repeat("x", 65)} {
		c.CORSHeaders = []string{name}
		require.ErrorContains(t, c.Check(), "ONRUSH_CORS_HEADERS", name)
	}
	c.CORSHeaders = slices.Repeat([]string{"X"}, 101)
	require.ErrorContains(t, c.Check(), "ONRUSH_CORS_HEADERS")
}

func TestOriginsAreWrittenAsBrowsersSendThem(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(c *Config, origins ...string){
		"ONRUSH_CORS_ORIGINS":       func(c *Config, origins ...string) { c.CORSOrigins = origins },
		"ONRUSH_CORS_ADMIN_ORIGINS": func(c *Config, origins ...string) { c.CORSAdminOrigins = origins },
		"ONRUSH_RETURN_ORIGINS":     func(c *Config, origins ...string) { c.ReturnOrigins = origins },
	} {
		c := outside()
		set(&c, "https://shop.example", "http://localhost:5173")
		require.NoError(t, c.Check(), name)
		for text, says := range map[string]string{
			"*": "name each origin", "null": "is written as", "": "is written as", "shop.example": "is written as",
			"https://shop.example/":     "browsers send https://shop.example",
			"https://Shop.example":      "browsers send https://shop.example",
			"https://shop.example:443":  "browsers send https://shop.example",
			"https://shop.example/shop": "browsers send https://shop.example",
			"https://*.shop.example":    "is written as",
		} {
			set(&c, "https://shop.example", text)
			err := c.Check()
			require.ErrorContains(t, err, name, text)
			require.ErrorContains(t, err, says, text)
		}
		set(&c, slices.Repeat([]string{"https://shop.example"}, 101)...)
		require.ErrorContains(t, c.Check(), name)
	}
}

func TestBuyersReturnToTheOriginsOfTheShop(t *testing.T) {
	t.Parallel()
	c := outside()
	assert.Empty(t, c.returnOrigins())
	c.CORSOrigins = []string{"https://shop.example"}
	assert.Equal(t, []string{"https://shop.example"}, c.returnOrigins())
	c.ReturnOrigins = []string{"https://pay.example"}
	assert.Equal(t, []string{"https://pay.example"}, c.returnOrigins())
	for addr, want := range map[string][]string{
		"127.0.0.1:8080": {"http://127.0.0.1:8080", "http://localhost:8080"},
		":80":            {"http://127.0.0.1", "http://localhost"},
		"0.0.0.0:8080":   {"http://127.0.0.1:8080", "http://localhost:8080"},
		"10.0.0.5:8080":  {"http://10.0.0.5:8080"},
	} {
		assert.Equal(t, want, (&Config{Addr: addr}).returnOrigins(), addr)
	}
	embedded := Config{Addr: "127.0.0.1:8080", PublicURL: "https://demo.example/", CORSOrigins: c.CORSOrigins}
	assert.Equal(t, []string{"https://shop.example", "https://demo.example"}, embedded.returnOrigins())
}

func TestTheSecretsOfAChangeAreRefusedByName(t *testing.T) {
	t.Parallel()
	long, short := strings.Repeat("n", 32), strings.Repeat("n", 31)
	for _, name := range []string{"ONRUSH_PATH_SECRET", "ONRUSH_JWT_SECRET", "ONRUSH_SANDBOX_SECRET"} {
		set := func(next, previous string) error {
			c := outside()
			c.SandboxSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
			for setting, to := range map[string]struct{ secret, next, previous *string }{
				"ONRUSH_PATH_SECRET":    {&c.PathSecret, &c.PathSecretNext, &c.PathSecretPrevious},
				"ONRUSH_JWT_SECRET":     {&c.JWTSecret, &c.JWTSecretNext, &c.JWTSecretPrevious},
				"ONRUSH_SANDBOX_SECRET": {&c.SandboxSecret, &c.SandboxSecretNext, &c.SandboxSecretPrevious},
			} {
				if setting == name {
					same := *to.secret
					*to.next = strings.ReplaceAll(next, "same", same)
					*to.previous = strings.ReplaceAll(previous, "same", same)
				}
			}
			return c.Check()
		}
		require.NoError(t, set(long, ""), name)
		require.NoError(t, set("", long), name)
		require.NoError(t, set(long, strings.Repeat("p", 32)), name)
		require.ErrorContains(t, set(short, ""), name+"_NEXT is shorter")
		require.ErrorContains(t, set("", short), name+"_PREVIOUS is shorter")
		require.ErrorContains(t, set("same", ""), name+"_NEXT is the same as "+name)
		require.ErrorContains(t, set("", "same"), name+"_PREVIOUS is the same as "+name)
		require.ErrorContains(t, set(long, long), name+"_NEXT is the same as "+name+"_PREVIOUS")
	}
}

func outside() Config {
	return Config{
		Addr: "127.0.0.1:8080", Lanes: 16, RedisURL: "redis://", MySQLDSN: "dsn", SQLConnections: 32,
		JWTSecret: "0123456789abcdef0123456789abcdef", PathSecret: "0123456789abcdef0123456789abcdef",
	}
}

func TestLanesOutOfRangeAreRefused(t *testing.T) {
	t.Parallel()
	for _, lanes := range []int{-1, 0, 1024} {
		c := outside()
		c.Lanes = lanes
		require.ErrorContains(t, c.Check(), "ONRUSH_LANES", lanes)
		embedded := Config{Lanes: lanes}
		require.ErrorContains(t, embedded.Check(), "ONRUSH_LANES", lanes)
	}
	for _, lanes := range []int{1, 1023} {
		c := outside()
		c.Lanes = lanes
		require.NoError(t, c.Check(), lanes)
	}
}

func TestReplicasThatNoRedisHasAreRefused(t *testing.T) {
	t.Parallel()
	for replicas, ok := range map[int]bool{-1: false, 0: true, 1: true, 16: true, 17: false} {
		c := outside()
		c.RedisReplicas = replicas
		if ok {
			require.NoError(t, c.Check(), replicas)
		} else {
			require.ErrorContains(t, c.Check(), "ONRUSH_REDIS_REPLICAS", replicas)
		}
	}
	c := outside()
	c.RedisWaitAOF = true
	require.ErrorContains(t, c.Check(), "ONRUSH_REDIS_WAIT_AOF needs")
	alone := Config{Lanes: 1, MySQLReadDSN: "onrush@tcp(replica)/onrush"}
	require.ErrorContains(t, alone.Check(), "the embedded SQLite has no replicas")
	embedded := Config{Lanes: 1, RedisReplicas: 1}
	require.ErrorContains(t, embedded.Check(), "the embedded Redis has no replicas")
}

func TestOneStoreWithoutTheOtherIsRefused(t *testing.T) {
	t.Parallel()
	c := outside()
	c.MySQLDSN = ""
	require.ErrorContains(t, c.Check(), "ONRUSH_MYSQL_DSN")
	c = outside()
	c.RedisURL = ""
	require.ErrorContains(t, c.Check(), "ONRUSH_REDIS_URL")
}

func TestTokensForAnybodyAreGivenOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	c := outside()
	require.False(t, c.DevTokens())
	c.Dev = true
	for _, addr := range []string{"127.0.0.1:8080", "127.8.8.8:1", "[::1]:0", "localhost:80", "[::ffff:127.0.0.1]:80"} {
		c.Addr = addr
		require.NoError(t, c.Check(), addr)
		require.True(t, c.DevTokens())
	}
	for _, addr := range []string{
		":8080", "0.0.0.0:8080", "[::]:8080", "10.0.0.1:80", "shop.example:80", "localhost.example:80", "",
	} {
		c.Addr = addr
		require.ErrorContains(t, c.Check(), "ONRUSH_DEV", addr)
	}
	c.Addr, c.JWTSecret, c.JWKSFile = "127.0.0.1:8080", "", "keys.json"
	require.ErrorContains(t, c.Check(), "ONRUSH_DEV", "there is no secret to sign with")
}

func TestKeysOfOthersNeedAnAudience(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{{Lanes: 4, JWKSFile: "keys.json"}, {Lanes: 4, JWKSURL: "https://id.example/keys"}} {
		require.ErrorContains(t, c.Check(), "ONRUSH_JWT_AUDIENCE")
		c.JWTAudience = "shop"
		require.NoError(t, c.Check())
	}
}

func TestAnEmbeddedRunGivesTokensOnlyWhereItMadeItsOwnSecret(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Config{
		"its own":     {},
		"ours":        {JWTSecret: "0123456789abcdef0123456789abcdef"},
		"other's key": {JWKSURL: "http://127.0.0.1:1/keys", JWTAudience: "shop"},
	} {
		c.DataDir, c.Lanes, c.Addr = t.TempDir(), 4, "127.0.0.1:0"
		_, closeStores, err := Open(t.Context(), &c, slog.New(slog.DiscardHandler))
		require.NoError(t, err, name)
		closeStores()
		require.Equal(t, name == "its own", c.DevTokens(), name)
	}
}

func TestUpgradeSchemaNeedsOnlyTheSQLStore(t *testing.T) {
	t.Parallel()
	c := Config{DataDir: t.TempDir()}
	require.NoError(t, UpgradeSchema(t.Context(), &c))
	require.NoError(t, UpgradeSchema(t.Context(), &c), "again")
	db, err := embedded.SQL(t.Context(), c.DataDir, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var orders int
	require.NoError(t, db.Read.GetContext(t.Context(), &orders, `SELECT COUNT(*) FROM orders`))
}

func TestLimitsOfRoutesThatCannotBeReadAreRefused(t *testing.T) {
	t.Parallel()
	c := outside()
	c.LimitRoutes = []string{"POST /api/v1/seckill/path=5/1s", "POST /api/v1/seckill/*/submit=5/1s"}
	require.NoError(t, c.Check())
	for _, text := range []string{
		"", "path=5/1s", "POST /api/v1/seckill/path", "POST /api/v1/seckill/path=none", "POST /livez=5/1s",
		"POST /api/v1/x=5",
	} {
		c.LimitRoutes = []string{text}
		require.ErrorContains(t, c.Check(), "ONRUSH_LIMIT_ROUTES", text)
	}
	c.LimitRoutes = make([]string, maxRouteLimits+1)
	require.ErrorContains(t, c.Check(), "may have 20")
	c.LimitRoutes, c.LimitNetwork = nil, "5"
	require.ErrorContains(t, c.Check(), "ONRUSH_LIMIT_NETWORK")
}
