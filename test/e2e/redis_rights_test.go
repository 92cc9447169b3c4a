package e2e

import (
	"context"
	"net/http"
	"os"
	"regexp"
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
	"onrush/test/client"
	"onrush/test/kit"
	"onrush/test/site"
)

// documentedRights returns the rights that the document of the settings gives the login of Redis, with the prefix of a
// test's keys.
func documentedRights(t *testing.T, prefix string) (rights []any) {
	t.Helper()
	text, err := os.ReadFile("../../docs/operating/set-up.md")
	require.NoError(t, err)
	line := regexp.MustCompile(`(?s)ACL SETUSER onrush on '>password' (.*?)\n *\x60{3}`).FindSubmatch(text)
	require.NotNil(t, line, "the rights are not in the document")
	for right := range strings.FieldsSeq(strings.ReplaceAll(string(line[1]), `\`, "")) {
		right = strings.Trim(right, `'"`)
		rights = append(rights, right, strings.ReplaceAll(right, lua.DefaultPrefix+":", prefix+":"))
	}
	return rights
}

// restrict gives the stores a login that has no other rights than those of the document, and returns what ends with
// the commands that it was refused.
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

// The rights have no command of the category @dangerous but INFO.
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
			s := site.Start(t, stores, site.Configured(func(cfg *server.Config) { cfg.RetireAfter = time.Millisecond }))
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
			}
			for _, command := range refused() {
				assert.Contains(t, command, "config|get", "only a check of the settings may be refused")
			}
		})
	}
}

// What the scripts call may be rare, so it is compared without running it.
func TestTheDocumentHasEachCommandOfTheScripts(t *testing.T) {
	t.Parallel()
	rights := documentedRights(t, "")
	scripts, err := os.ReadDir("../../lua")
	require.NoError(t, err)
	call := regexp.MustCompile(`redis\.p?call\(\s*['"]([A-Za-z]+)['"]`)
	found := 0
	for _, file := range scripts {
		if !strings.HasSuffix(file.Name(), ".lua") {
			continue
		}
		source, err := os.ReadFile("../../lua/" + file.Name())
		require.NoError(t, err)
		for _, m := range call.FindAllSubmatch(source, -1) {
			found++
			assert.Contains(t, rights, "+"+strings.ToLower(string(m[1])), file.Name())
		}
	}
	assert.Greater(t, found, 50)
}
