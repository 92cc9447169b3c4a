package e2e

import (
	"context"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/doctor"
	"onrush/app/server"
	"onrush/lua"
	"onrush/modules/redisdb"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// documentedRights returns the rights that the document of the settings gives the login of Redis, with the prefix of a
// test's keys.
func documentedRights(t *testing.T, prefix string) (rights []any) {
	t.Helper()
	text, err := os.ReadFile("../../docs/operating/stores.md")
	require.NoError(t, err)
	lines := regexp.MustCompile(`(?m)^ACL SETUSER onrush (?:on >password )?(.*)$`).FindAllSubmatch(text, -1)
	require.NotEmpty(t, lines, "the rights are not in the document")
	for _, line := range lines {
		for right := range strings.FieldsSeq(string(line[1])) {
			rights = append(rights, right, strings.ReplaceAll(right, lua.DefaultPrefix+":", prefix+":"))
		}
	}
	return rights
}

// restrict gives the stores a login that has exactly the rights of the document. The function that it returns ends
// this, and returns the commands that the login was refused.
func restrict(t *testing.T, s *kit.Stores) (refused func() []string) {
	t.Helper()
	admin, login := s.Redis, "u"+s.Keys.Prefix
	eachNode := func(do func(ctx context.Context, node redis.Cmdable) error) {
		t.Helper()
		require.NoError(t, redisdb.EachNode(context.WithoutCancel(t.Context()), admin,
			func(ctx context.Context, _ string, node redis.Cmdable) error { return do(ctx, node) }))
	}
	doer := func(node redis.Cmdable) interface {
		Do(ctx context.Context, args ...any) *redis.Cmd
	} {
		return node.(interface {
			Do(ctx context.Context, args ...any) *redis.Cmd
		})
	}
	setUser := append([]any{"acl", "setuser", login, "on", ">pass"}, documentedRights(t, s.Keys.Prefix)...)
	eachNode(func(ctx context.Context, node redis.Cmdable) error { return doer(node).Do(ctx, setUser...).Err() })
	s.RedisURL = strings.Replace(s.RedisURL, "redis://", "redis://"+login+":pass@", 1)
	s.Redis = s.ConnectRedis(t)
	return func() (commands []string) {
		eachNode(func(ctx context.Context, node redis.Cmdable) error {
			entries, err := node.ACLLog(ctx, 128).Result()
			for _, e := range entries {
				if e.Username == login {
					commands = append(commands, e.Reason+" "+e.Object+" in "+e.Context)
				}
			}
			return err
		})
		return commands
	}
}

// The rights have no command of the category @dangerous but INFO and CONFIG GET.
func TestTheProgramAndDoctorNeedNoOtherRightsOfRedisThanTheDocumentSays(t *testing.T) {
	t.Parallel()
	for name, on := range map[string]func(*testing.T) *kit.Stores{
		"one server": func(t *testing.T) *kit.Stores { return kit.OnReal(t) },
		"a cluster":  func(t *testing.T) *kit.Stores { return kit.OnCluster(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stores := on(t)
			refused := restrict(t, stores)
			s := site.Start(t, stores, site.Configured(func(cfg *server.Config) { cfg.Keep.Sales = time.Millisecond }))
			sale := s.Open(t, site.Sale{PurchaseLimit: 3, SKULimit: 2, PermitRatio: 5})
			waits := s.Open(t, site.Sale{SKU: "line", PathsPerSecond: 1000})
			op, ada := s.Operator(t), s.Buyer(t, "ada")
			bought := ada.Buy(t, sale, "sku", "a").Placed(t).OrderNumber
			cancelled := ada.Buy(t, sale, "sku", "b").Placed(t).OrderNumber
			ada.Call(t, http.MethodPost, "/api/v1/seckill/line", "",
				client.LineRequest{ActivityID: waits})
			assert.EqualValues(t, 2, ada.ListOrders(t, "").Total)
			require.Less(t, ada.Pay(t, "p", bought).Status, http.StatusMultipleChoices)
			ada.CancelOrder(t, cancelled)
			op.GetStats(t, sale)
			op.GetQueue(t)
			op.ListDead(t)
			op.Call(t, http.MethodPatch, "/admin/api/v1/settings", "", map[string]any{"log_level": "warn"})
			limited := op.Call(t, http.MethodPatch, "/admin/api/v1/settings", "",
				map[string]any{"limits": "on", "limit_user": "3/1m"})
			require.Equal(t, http.StatusOK, limited.Status, "%s", limited.Body)
			eager := s.Buyer(t, "eager")
			require.Eventually(t, func() bool {
				return eager.Ask(http.MethodGet, "/api/v1/orders", "", nil).Status == http.StatusTooManyRequests
			}, 20*time.Second, 20*time.Millisecond)
			limited = op.Call(t, http.MethodPatch, "/admin/api/v1/settings", "",
				map[string]any{"limits": nil, "limit_user": nil})
			require.Equal(t, http.StatusOK, limited.Status, "%s", limited.Body)
			op.PauseActivity(t, sale)
			op.ResumeActivity(t, sale)
			for _, job := range s.Server.Jobs {
				s.TryJob(t, job.Name)
			}
			assert.Empty(t, s.Audit(t, sale))
			_, err := s.Server.Auditor.Repair(t.Context(), sale)
			require.NoError(t, err)
			op.TakeActivityOffline(t, sale)
			s.TryJob(t, "retire_activities")

			findings := doctor.New(&server.Config{
				RedisURL: stores.RedisURL, MySQLDSN: stores.MySQLDSN, JWTSecret: site.JWTSecret,
				PathSecret: site.JWTSecret, Lanes: 4, SQLConnections: 32,
			}, time.Now, http.DefaultClient).Run(t.Context())
			for _, f := range findings {
				if strings.HasPrefix(f.Check, "redis") && !strings.HasSuffix(f.Check, "persistence") {
					assert.NotEqual(t, doctor.Failure, f.Level, "%+v", f)
				}
				assert.NotContains(t, f.Detail, "unknown", f.Check)
			}
			assert.Empty(t, refused())
		})
	}
}

// methods are the methods of go-redis that send a command.
func methods() map[string]bool {
	names := map[string]bool{}
	for m := range reflect.TypeFor[redis.Cmdable]().Methods() {
		names[m.Name] = true
	}
	for _, other := range []string{"Keys", "Scan", "Sort"} { // of maps, rows of SQL and slices
		delete(names, other)
	}
	return names
}

// A rare call may not be part of a run, so the calls in the code are compared, too.
func TestTheDocumentHasEachCommandThatTheProgramCalls(t *testing.T) {
	t.Parallel()
	listed, err := kit.OnReal(t).Redis.CommandList(t.Context(), nil).Result()
	require.NoError(t, err)
	rights, names, found := documentedRights(t, ""), methods(), 0
	word, method := regexp.MustCompile(`['"]([A-Za-z]+)['"]`), regexp.MustCompile(`\.([A-Z]\w+)\(`)
	check := func(command, file string) {
		if !slices.Contains(listed, command) { // such as ZAddGT of go-redis
			command = slices.MaxFunc(append(slices.DeleteFunc(slices.Clone(listed), func(c string) bool {
				return !strings.HasPrefix(command, c)
			}), ""), func(a, b string) int { return len(a) - len(b) })
		}
		switch found++; command {
		case "": // such as Pipelined
		case "config", "waitaof": // the document says who needs them
		default:
			assert.Contains(t, rights, "+"+command, "%s calls %s", file, command)
		}
	}
	for _, folder := range []string{
		"lua", "modules", "jobs", "app/server", "app/metrics", "app/restore", "app/doctor",
	} {
		require.NoError(t, filepath.WalkDir("../../"+folder, func(name string, _ fs.DirEntry, err error) error {
			if err != nil || strings.HasSuffix(name, "_test.go") {
				return err
			}
			switch path.Ext(name) {
			case ".lua":
				source, err := os.ReadFile(name)
				for _, m := range word.FindAllStringSubmatch(string(source), -1) {
					if command := strings.ToLower(m[1]); slices.Contains(listed, command) {
						check(command, name)
					}
				}
				return err
			case ".go":
				source, err := os.ReadFile(name)
				if !strings.Contains(string(source), `"github.com/redis/go-redis/v9"`) {
					return err
				}
				for _, m := range method.FindAllStringSubmatch(string(source), -1) {
					if names[m[1]] {
						check(strings.ToLower(m[1]), name)
					}
				}
				return err
			}
			return nil
		}))
	}
	assert.Greater(t, found, 100)
}
