package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/doctor"
	"onrush/app/servers"
	"onrush/app/setting"
	"onrush/test/kit"
)

// built is the program's file.
var built string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "onrush-app-")
		if err == nil {
			defer func() { _ = os.RemoveAll(dir) }()
			built, err = kit.Build(dir, "onrush/app")
		}
		if err != nil {
			panic(err)
		}
		return m.Run()
	}())
}

// run runs the program in an empty folder with nothing but env as its environment.
func run(t *testing.T, env []string, args ...string) (out, logged string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // one that is not refused would serve for ever
	defer cancel()
	cmd := exec.CommandContext(ctx, built, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = t.TempDir(), env, &stdout, &stderr
	err := cmd.Run()
	require.NoError(t, ctx.Err(), "%v %v: it was to end by itself", env, args)
	var exit *exec.ExitError
	if err != nil {
		require.ErrorAs(t, err, &exit)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

func TestAMisspeltSettingIsRefusedWithTheNearestName(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]string{
		"ONRUSH_MYSQL_DNS=x":              "ONRUSH_MYSQL_DNS is not a setting; did you mean ONRUSH_MYSQL_DSN?",
		"ONRUSH_MYSQLDSN=x":               "did you mean ONRUSH_MYSQL_DSN?",
		"ONRUSH_LANE=4":                   "did you mean ONRUSH_LANES?",
		"ONRUSH_WECHAT_MCHID=1":           "did you mean ONRUSH_WECHAT_MCH_ID?",
		"ONRUSH_PORT_8080_TCP_ADDR=10.1.": "ONRUSH_PORT_8080_TCP_ADDR is not a setting; onrush serve --help lists them",
		"ONRUSH_=":                        "ONRUSH_ is not a setting",
		"ONRUSH_JWKS_FILE=keys":           "ONRUSH_JWKS_FILE is not a setting any more; set ONRUSH_JWKS=<file>",
		"ONRUSH_PATH_SECRET_NEXT_FILE=x":  "set ONRUSH_PATH_SECRET=<secret>;<next>",
	} {
		out, logged, code := run(t, []string{variable})
		assert.Contains(t, logged, want)
		assert.NotZero(t, code, variable)
		assert.Equal(t, 1, strings.Count(logged, "\n"), logged)
		assert.Empty(t, out, variable)
	}
	for _, args := range [][]string{{"schema"}, {"audit", "x"}, {"token", "x"}} {
		_, logged, code := run(t, []string{"ONRUSH_MYSQL_DNS=x"}, args...)
		assert.Contains(t, logged, "did you mean ONRUSH_MYSQL_DSN?", args[0])
		assert.NotZero(t, code, args[0])
	}
}

func TestEverySettingIsKnownAndVariablesOfTestsAreIgnored(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{})
	require.NoError(t, err)
	names := setting.Names(parser.Model.Node)
	require.Contains(t, names, "ONRUSH_MYSQL_DSN")
	require.Contains(t, names, "ONRUSH_STRIPE_SECRET_KEY")
	settingsOfServe := 0
	for _, command := range parser.Model.Children {
		for _, flag := range command.Flags {
			if command.Name == "serve" && flag.Name != "help" {
				settingsOfServe++
				assert.NotEmpty(t, flag.Envs, "--%s can't be set by a variable", flag.Name)
			}
		}
	}
	assert.LessOrEqual(t, settingsOfServe, 63)
	for name, now := range setting.Former {
		assert.NotContains(t, names, setting.Prefix+name)
		now, _, _ = strings.Cut(now, "=")
		now, _, _ = strings.Cut(now, ",")
		assert.Contains(t, names, now)
	}
	for _, name := range names {
		require.NoError(t, setting.CheckEnvironment(parser.Model, []string{name + "=x"}))
	}
	require.NoError(t, setting.CheckEnvironment(parser.Model,
		[]string{"ONRUSH_TEST_REPORT=x", "PATH=/bin", "XONRUSH_A=b", "odd"}))
}

func TestOneStoreIsNotStartedWithoutTheOther(t *testing.T) {
	t.Parallel()
	secrets := []string{"ONRUSH_JWT_SECRET=" + strings.Repeat("j", 32), "ONRUSH_PATH_SECRET=" + strings.Repeat("p", 32)}
	_, logged, code := run(t, append(secrets, "ONRUSH_REDIS_URL=redis://127.0.0.1:1"))
	assert.NotZero(t, code)
	assert.Contains(t, logged, "ONRUSH_MYSQL_DSN is missing")
	_, logged, code = run(t, append(secrets, "ONRUSH_MYSQL_DSN=u:p@tcp(127.0.0.1:1)/d"))
	assert.NotZero(t, code)
	assert.Contains(t, logged, "ONRUSH_REDIS_URL is missing")
}

func TestAWrongFlagPrintsOneLine(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--nothing"},
		{"serve", "--lanes=x"},
		{"schema", "down"},
		{"nothing"},
		{"audit"},
		{"--log=loud"},
		{"--log=json:loud"},
	} {
		out, logged, code := run(t, nil, args...)
		assert.Equal(t, 80, code, "%v", args)
		assert.Equal(t, 1, strings.Count(out+logged, "\n"), "%v: %s%s", args, out, logged)
		assert.Contains(t, logged, "onrush: error: ", "%v", args)
	}
}

func TestSchemaCommandNeedsOnlyItsStore(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	// The settings of a deployment that lacks its secrets.
	out, logged, code := run(t, []string{"ONRUSH_DATA_DIR=" + data, "ONRUSH_REDIS_URL=redis://127.0.0.1:1"}, "schema")
	assert.Zero(t, code, logged)
	assert.Equal(t, "The schema of the embedded store in "+data+" is up to date.\n", out)
	assert.FileExists(t, filepath.Join(data, "onrush.db"))
	assert.NoFileExists(t, filepath.Join(data, "secrets.json"))
}

// Without the settings of the program it would say of a new file that it is up to date.
func TestSchemaCommandWithoutAStoreAsksForOne(t *testing.T) {
	t.Parallel()
	for _, action := range []string{"up", "status", "check"} {
		out, logged, code := run(t, nil, "schema", action)
		assert.Equal(t, 1, code)
		assert.Empty(t, out)
		assert.Contains(t, logged, "Set ONRUSH_MYSQL_DSN or --env-file")
	}
}

func TestSchemaCommandOfARealStoreNeedsOnlyTheDSN(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	out, logged, code := run(t, []string{"ONRUSH_MYSQL_DSN=" + stores.MySQLDSN}, "schema", "up")
	assert.Zero(t, code, logged)
	assert.Equal(t, "The schema is up to date.\n", out)
}

// A restore that stopped at its first tables must not look like one of an empty shop.
func TestRestoreRefusesADatabaseIntoWhichNothingWasRestored(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t, kit.NoSchema())
	env := []string{"ONRUSH_MYSQL_DSN=" + stores.MySQLDSN, "ONRUSH_REDIS_URL=" + stores.RedisURL}
	for _, secret := range []string{"ONRUSH_JWT_SECRET=", "ONRUSH_PATH_SECRET="} {
		env = append(env, secret+strings.Repeat("s", 32))
	}
	lost := filepath.Join(t.TempDir(), "lost.csv")
	_, logged, code := run(t, env, "restore", "--out", lost)
	assert.Equal(t, 1, code)
	assert.Contains(t, logged, "the database has no schema")
	assert.NoFileExists(t, lost)
	var tables int
	require.NoError(t, stores.DB.Read.GetContext(t.Context(), &tables,
		`SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()`))
	assert.Zero(t, tables, "it made them")

	_, logged, code = run(t, env[:1], "schema")
	require.Zero(t, code, logged)
	out, logged, code := run(t, env, "restore")
	assert.Zero(t, code, logged)
	assert.Equal(t, "activity_id,order_number,sku_id,point_id,quantity,user_id,state\r\n", out)
	_, logged, code = run(t, env, "restore", "--out", lost)
	require.Zero(t, code, logged)
	written, err := os.ReadFile(lost)
	require.NoError(t, err)
	assert.Equal(t, out, string(written))
	require.NoError(t, os.WriteFile(lost, []byte("earlier"), 0o600))
	_, logged, code = run(t, env, "restore", "--out", lost)
	assert.Equal(t, 1, code)
	assert.Contains(t, logged, "may be of an earlier restore")
	written, err = os.ReadFile(lost)
	require.NoError(t, err)
	assert.Equal(t, "earlier", string(written))
	others, err := filepath.Glob(filepath.Join(filepath.Dir(lost), ".*"))
	require.NoError(t, err)
	assert.Empty(t, others)
}

// The driver calls a server that is read-only, such as a replica, a bad connection.
func TestRestoreAndSchemaSayThatTheServerIsReadOnly(t *testing.T) {
	t.Parallel()
	own := kit.Own(t)
	must := func(statement string) {
		_, err := own.DB.Write.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	must("CREATE USER shop@'%' IDENTIFIED BY ''") // not an administrator, who may write all the same
	must("GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX, REFERENCES ON *.* TO shop@'%'")
	must("CREATE DATABASE empty")
	must("SET GLOBAL read_only = 1")
	dsn := strings.Replace(own.MySQLDSN, "root@", "shop@", 1)
	empty := regexp.MustCompile(`/\w+(\?|$)`).ReplaceAllString(dsn, "/empty$1")
	env := []string{"ONRUSH_MYSQL_DSN=" + dsn, "ONRUSH_REDIS_URL=" + own.RedisURL}
	for _, secret := range []string{"ONRUSH_JWT_SECRET=", "ONRUSH_PATH_SECRET="} {
		env = append(env, secret+strings.Repeat("s", 32))
	}
	for command, env := range map[string][]string{"restore": env, "schema": {"ONRUSH_MYSQL_DSN=" + empty}} {
		out, logged, code := run(t, env, command)
		assert.Equal(t, 1, code, command)
		assert.Contains(t, logged, "it takes no writes: read-only: the server has read_only = 1", command)
		assert.NotContains(t, logged, "bad connection", command)
		assert.LessOrEqual(t, strings.Count(logged, "\n"), 2, logged) // schema says before which change it applies
		assert.NotContains(t, out, "up to date", command)
	}
	must("SET GLOBAL read_only = 0")
	_, logged, code := run(t, env, "restore")
	assert.Zero(t, code)
	assert.Equal(t, "Sales paused: 0. Orders that Redis knows and SQL lost: 0. Sales that SQL lost: 0.\n", logged,
		"nothing of the set-up")
}

func TestTheVersionIsPrinted(t *testing.T) {
	t.Parallel()
	out, _, code := run(t, []string{"ONRUSH_LANES=0"}, "version")
	assert.Zero(t, code)
	assert.Regexp(t, `^onrush \S.* go1\.\d+`, out)
	assert.Equal(t, 1, strings.Count(out, "\n"))
}

func TestTheLogBeginsWithTheSettingsAndHasNoSecret(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{}, kong.Exit(func(int) { panic("exit") }))
	require.NoError(t, err)
	var args []string
	serve := parser.Model.Children[0]
	require.Equal(t, "serve", serve.Name)
	for _, flag := range serve.Flags {
		switch {
		case flag.Name == "redis-url":
			args = append(args, "--redis-url=redis://u:SECRET@cache.example:6379/2?password=SECRET")
		case flag.Name == "mysql-dsn":
			args = append(args, "--mysql-dsn=u:SECRET@tcp(db.example:3306)/shop?x=SECRET")
		case flag.IsBool(), flag.Name == "help":
		case flag.Name == "lanes":
			args = append(args, "--lanes=7")
		case flag.Enum != "":
			args = append(args, "--"+flag.Name+"="+flag.Enum[strings.LastIndex(flag.Enum, ",")+1:])
		case flag.Name == "limits", flag.Name == "keep":
		case flag.Tag.Get("log") == "show":
			args = append(args, "--"+flag.Name+"=shown")
		case flag.Target.Kind().String() == "string":
			args = append(args, "--"+flag.Name+"=SECRET")
		case flag.Target.Kind().String() == "map":
			args = append(args, "--"+flag.Name+"=k=SECRET")
		}
	}
	parsed, err := parser.Parse(append([]string{"serve"}, args...))
	require.NoError(t, err)
	var out bytes.Buffer
	logStart(t.Context(), slog.New(slog.NewJSONHandler(&out, nil)), parsed.Selected().Flags)
	assert.NotContains(t, out.String(), "SECRET")
	var line map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &line), out.String())
	assert.Equal(t, "starting", line["msg"])
	assert.NotEmpty(t, line["version"])
	for name, want := range map[string]string{
		"redis-url": "cache.example:6379/2", "mysql-dsn": "db.example:3306/shop", "lanes": "7", "jwt-secret": "1: 24e6",
		"addr": "shown", "stripe-secret-key": "1: 211a", "wechat-platform-keys": "set", "log": "json:error",
	} {
		assert.Equal(t, want, line[name], name)
	}
}

func TestTheLogBeginsWithoutDefaultsAndWithTheLimits(t *testing.T) {
	t.Parallel()
	starts := func(args ...string) (line map[string]any) {
		parser, err := kong.New(&commands{}, kong.Exit(func(int) { panic("exit") }))
		require.NoError(t, err)
		parsed, err := parser.Parse(append([]string{"serve"}, args...))
		require.NoError(t, err)
		var out bytes.Buffer
		logStart(t.Context(), slog.New(slog.NewJSONHandler(&out, nil)), parsed.Selected().Flags)
		require.NoError(t, json.Unmarshal(out.Bytes(), &line), out.String())
		for _, always := range []string{"time", "level", "msg", "version", "go"} {
			delete(line, always)
		}
		return line
	}
	assert.Empty(t, starts())
	assert.Empty(t, starts("--limits=user=100/1s", "--keep=sales=1440m", "--queue-limit=200000"))
	assert.Equal(t, map[string]any{
		"limits": "on,address=none,instance=none,network=none,strangers=1000/1s,user=5/1s," +
			"POST /api/v1/seckill/path=5/1s",
	}, starts("--limits=user=5/1s,POST /api/v1/seckill/path=5/1s"))
}

// TestTheDigestsOfSecretsTellTheStepsOfAChange compares them with what docs/operating/secrets.md computes in a shell.
func TestTheDigestsOfSecretsTellTheStepsOfAChange(t *testing.T) {
	t.Parallel()
	before, after := strings.Repeat("a", 32), strings.Repeat("b", 32)
	for setting, want := range map[string]string{
		"ONRUSH_PATH_SECRET=" + before:                                             "1: 1a5d",
		"ONRUSH_PATH_SECRET=" + before + ";" + after:                               "2: 1a5d ded8",
		"ONRUSH_PATH_SECRET=" + after + "; " + before:                              "2: ded8 1a5d",
		"ONRUSH_JWT_SECRET=" + before:                                              "1: b823",
		"ONRUSH_ADMIT_URL=https://shop.example/x " + before:                        "1: e1d6",
		"ONRUSH_GATEWAYS=stripe=https://a.example,own=https://b.example " + before: "own=1: 8a9e,stripe=none",
	} {
		name, _, _ := strings.Cut(setting, "=")
		out, _, _ := run(t, []string{setting, "ONRUSH_REDIS_URL=redis://127.0.0.1:1"}, "doctor", "-o", "json")
		var findings []doctor.Finding
		require.NoError(t, json.Unmarshal([]byte(out), &findings), out)
		assert.Contains(t, findings, doctor.Finding{Check: "secret " + name, Level: doctor.OK, Detail: want})
		assert.NotContains(t, out, before)
	}
}

func TestRestoreWithoutRealStoresMakesNothing(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	out, logged, code := run(t, []string{"ONRUSH_DATA_DIR=" + data}, "restore")
	assert.NotZero(t, code)
	assert.Empty(t, out)
	assert.Contains(t, logged, "set ONRUSH_REDIS_URL and ONRUSH_MYSQL_DSN")
	assert.NoDirExists(t, data)
}

func TestLogIsJSONIfConfigured(t *testing.T) {
	t.Parallel()
	env := []string{"ONRUSH_LOG=json:info", "ONRUSH_ADDR=256.0.0.1:0"}
	_, logged, code := run(t, env)
	assert.NotZero(t, code)
	first, _, _ := strings.Cut(logged, "\n")
	var line map[string]any
	require.NoError(t, json.Unmarshal([]byte(first), &line), logged)
	assert.Equal(t, "starting", line["msg"])
	assert.NotContains(t, logged, "maxmemory-policy")
	lines := strings.Split(strings.TrimSpace(logged), "\n")
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-2]), &line), logged)
	assert.Equal(t, "ERROR", line["level"], "why the program ends")
	assert.Contains(t, line["error"], "256.0.0.1")
	assert.Contains(t, lines[len(lines)-1], "onrush: error: ")
}

func TestEachLineOfAProgramWhoseLogIsJSONIsJSON(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program, url, err := servers.StartProgram(dir, []string{
		"ONRUSH_LOG=json", "ONRUSH_ADDR=127.0.0.1:0", "ONRUSH_METRICS_ADDR=127.0.0.1:0", "ONRUSH_STOP_DELAY=0s",
	}, built)
	require.NoError(t, err)
	t.Cleanup(program.Kill)
	require.NoError(t, program.Signal(syscall.SIGTERM))
	<-program.Ended()
	said, err := os.ReadFile(filepath.Join(dir, "env.log"))
	require.NoError(t, err)
	listens, warns := map[string]any{}, 0
	for text := range strings.Lines(string(said)) {
		var line map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &line), text)
		if line["msg"] == "Onrush listens on "+url {
			listens = line
		}
		if message, _ := line["msg"].(string); strings.Contains(message, "may act as anybody") {
			warns++
		}
	}
	assert.Equal(t, url+"/", listens["shop"])
	assert.Equal(t, url+"/admin", listens["console"])
	assert.Equal(t, url+"/docs", listens["interface"])
	assert.Regexp(t, `^http://127\.0\.0\.1:\d+/metrics$`, listens["metrics"])
	assert.Equal(t, 1, warns)
}

func TestATokenNamesTheSegmentsThatTheCommandSays(t *testing.T) {
	t.Parallel()
	secret := []string{"ONRUSH_JWT_SECRET=a secret of more than 32 bytes, really"}
	out, logged, code := run(t, secret, "token", "ada", "--segments=vip,members")
	require.Zero(t, code, logged)
	said, err := base64.RawURLEncoding.DecodeString(strings.Split(out, ".")[1])
	require.NoError(t, err)
	assert.Contains(t, string(said), `"segments":["vip","members"]`)
	_, logged, code = run(t, secret, "token", "ada", "--segments=VIP")
	assert.Equal(t, 1, code)
	assert.Contains(t, logged, "lower-case")
}
