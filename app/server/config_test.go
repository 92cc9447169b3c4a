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
	embedded := Config{Keep: keepSettings{Sales: time.Hour}, Lanes: 16}
	outside := Config{
		Keep: keepSettings{Sales: time.Hour}, Lanes: 16, RedisURL: "redis://", MySQLDSN: "dsn", SQLConnections: 32,
		JWTSecret: "0123456789abcdef0123456789abcdef", PathSecret: "0123456789abcdef0123456789abcdef",
	}
	for _, c := range []Config{embedded, outside} {
		require.NoError(t, c.Check())
		c.Keep.Sales = 0
		require.NoError(t, c.Check(), "the default")
		c.Keep.Sales = -time.Second
		assert.ErrorContains(t, c.Check(), "ONRUSH_KEEP")
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
	for name, field := range map[string]func(c *Config) *string{
		"ONRUSH_PATH_SECRET":    func(c *Config) *string { return &c.PathSecret },
		"ONRUSH_JWT_SECRET":     func(c *Config) *string { return &c.JWTSecret },
		"ONRUSH_SANDBOX_SECRET": func(c *Config) *string { return &c.SandboxSecret },
	} {
		set := func(secrets ...string) error {
			c := outside()
			*field(&c) = strings.Join(secrets, ";")
			return c.Check()
		}
		signs := strings.Repeat("s", 32)
		require.NoError(t, set(signs), name)
		require.NoError(t, set(signs, long, strings.Repeat("p", 32)), name)
		require.ErrorContains(t, set(short), name+" is shorter")
		require.ErrorContains(t, set(signs, short), name+": secret 2 of 2 is shorter")
		require.ErrorContains(t, set(signs, long, signs), name+": secret 3 is the same")
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
	c.Addr, c.JWTSecret, c.JWKS = "127.0.0.1:8080", "", "keys.json"
	require.ErrorContains(t, c.Check(), "ONRUSH_DEV", "there is no secret to sign with")
}

func TestKeysOfOthersNeedAnAudience(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{{Lanes: 4, JWKS: "keys.json"}, {Lanes: 4, JWKS: "https://id.example/keys"}} {
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
		"other's key": {JWKS: "http://127.0.0.1:1/keys", JWTAudience: "shop"},
	} {
		c.DataDir, c.Lanes, c.Addr = t.TempDir(), 4, "127.0.0.1:0"
		_, closeStores, err := Open(t.Context(), &c, slog.New(slog.DiscardHandler), nil)
		require.NoError(t, err, name)
		closeStores()
		require.Equal(t, name == "its own", c.DevTokens(), name)
	}
}

func TestEmbeddedStoresAreShownToOtherMachinesOnlyWhereTheyAreMeant(t *testing.T) {
	t.Parallel()
	const public = "0.0.0.0:8080"
	for _, row := range []struct {
		addr, url, dir, names string
	}{
		{"127.0.0.1:8080", "", "./data", ""},
		{"localhost:8080", "http://localhost:8080", "./data", ""},
		{"", "https://shop.example", "./data", ""}, // the program around it listens
		{public, "", "/data", ""},                  // as in the image
		{public, "", "./data", "ONRUSH_ADDR"},
		{":8080", "", "data", "ONRUSH_ADDR"},
		{"127.0.0.1:8080", "https://shop.example", "./data", "ONRUSH_PUBLIC_URL"},
	} {
		c := Config{Lanes: 4, Addr: row.addr, PublicURL: row.url, DataDir: row.dir}
		if row.names == "" {
			require.NoError(t, c.Check(), row)
			continue
		}
		err := c.Check()
		require.ErrorContains(t, err, row.names, row)
		require.ErrorContains(t, err, "not for sales", row)
		c.RedisURL, c.MySQLDSN = "redis://r:6379", "u@tcp(m:3306)/onrush"
		if err := c.Check(); err != nil { // other settings are missing
			require.NotContains(t, err.Error(), "not for sales", row)
		}
	}
}

func TestUpgradeSchemaNeedsOnlyTheSQLStore(t *testing.T) {
	t.Parallel()
	c := Config{DataDir: t.TempDir()}
	require.NoError(t, UpgradeSchema(t.Context(), &c, slog.New(slog.DiscardHandler)))
	require.NoError(t, UpgradeSchema(t.Context(), &c, slog.New(slog.DiscardHandler)), "again")
	db, err := embedded.SQL(t.Context(), c.DataDir, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var orders int
	require.NoError(t, db.Read.GetContext(t.Context(), &orders, `SELECT COUNT(*) FROM orders`))
}

func TestLimitsAreAModeAndWhatReplacesTheirDefaults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]limitSettings{
		"":    {Mode: "on", User: "100/1s", Strangers: "1000/1s"},
		"off": {Mode: "off", User: "100/1s", Strangers: "1000/1s"},
		"dry_run, user = none,address=9/1s,network=8/1s,strangers=7/1s,instance=6/1s": {
			Mode: "dry_run", User: "none", Address: "9/1s", Network: "8/1s", Strangers: "7/1s", Instance: "6/1s",
		},
		"POST /api/v1/seckill/path=5/1s,user=2/1m,POST /api/v1/seckill/*/submit=5/1s": {
			Mode: "on", User: "2/1m", Strangers: "1000/1s",
			Routes: []string{"POST /api/v1/seckill/path=5/1s", "POST /api/v1/seckill/*/submit=5/1s"},
		},
	} {
		var read, again limitSettings
		require.NoError(t, read.UnmarshalText([]byte(text)), text)
		assert.Equal(t, want, read, text)
		c := outside()
		c.Limits = read
		require.NoError(t, c.Check(), text)
		require.NoError(t, again.UnmarshalText([]byte(read.String())))
		assert.Equal(t, read.String(), again.String())
	}
	for text, says := range map[string]string{
		"users=5/1s": `"users"`, "on,off": `"off"`, "user": `"user"`, "on=5/1s": `"on"`, "path=5/1s": `"path"`,
		"user=5/1s,user=6/1s": "user is given twice", "user=": "user has no value",
	} {
		require.ErrorContains(t, new(limitSettings).UnmarshalText([]byte(text)), says, text)
	}
	for _, text := range []string{
		"network=5", "user=5/1d", "POST /api/v1/seckill/path=none", "POST /livez=5/1s", "POST /api/v1/x=5",
	} {
		c := outside()
		require.NoError(t, c.Limits.UnmarshalText([]byte(text)))
		require.ErrorContains(t, c.Check(), "ONRUSH_LIMITS: ", text)
	}
	c := outside()
	c.Limits.Routes = make([]string, maxRouteLimits+1)
	require.ErrorContains(t, c.Check(), "may have 20")
}

func TestWhatIsNotNamedIsKeptByDefault(t *testing.T) {
	t.Parallel()
	var k keepSettings
	for text, want := range map[string]keepSettings{
		"": {Records: 9600 * time.Hour, Finished: 720 * time.Hour, Sales: 24 * time.Hour},
		"orders=2400h": {
			Orders: 2400 * time.Hour, Records: 9600 * time.Hour, Finished: 720 * time.Hour, Sales: 24 * time.Hour,
		},
		"records=0, finished=168h,sales=0": {Finished: 168 * time.Hour},
	} {
		require.NoError(t, k.UnmarshalText([]byte(text)), text)
		assert.Equal(t, want, k, text)
		require.NoError(t, k.check(), text)
	}
	for text, says := range map[string]string{
		"orders": "must be a time", "orders=1d": "must be a time", "order=1h": `"order" is not`, "orders=": "no value",
	} {
		require.ErrorContains(t, k.UnmarshalText([]byte(text)), says, text)
	}
	for _, text := range []string{"orders=1h", "records=1h", "finished=-1h", "sales=-1s"} {
		require.NoError(t, k.UnmarshalText([]byte(text)))
		require.ErrorContains(t, k.check(), "ONRUSH_KEEP", text)
	}
}
