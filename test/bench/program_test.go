package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/test/kit"
	"onrush/test/load"
	"onrush/test/site"
)

// built are the files of the program and of the load generator, made the first time that a benchmark needs
// them. TestMain removes them.
var built struct {
	once               sync.Once
	dir                string
	program, generator string
	err                error
}

func build(b *testing.B) {
	b.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "onrush-bench-"); built.err != nil {
			return
		}
		if built.program, built.err = kit.Build(built.dir, "onrush/app"); built.err == nil {
			built.generator, built.err = kit.Build(built.dir, "onrush/test/load/generator")
		}
	})
	require.NoError(b, built.err)
}

// program is the program in a process of its own, on a redis-server and a mariadbd of its own, configured as
// most are. The inspector prepares sales and buyers in this process, without limits.
type program struct {
	stores    *kit.Owned
	process   *kit.Program
	inspector *site.Site
}

func startProgram(b *testing.B, env ...string) *program {
	b.Helper()
	return startProgramOn(b, kit.Own(b, kit.FsyncEverySecond()), env...)
}

// startProgramOn is startProgram on stores that the caller configured.
func startProgramOn(b *testing.B, stores *kit.Owned, env ...string) *program {
	b.Helper()
	build(b)
	stores.Keys = lua.Keys{Prefix: lua.DefaultPrefix}
	env = append(append(site.Env(), env...), "ONRUSH_ADDR=127.0.0.1:0", "ONRUSH_LOG=warn",
		"ONRUSH_REDIS_URL="+stores.RedisURL, "ONRUSH_MYSQL_DSN="+stores.MySQLDSN)
	inspector := site.Start(b, stores.Stores, site.Idle())
	return &program{stores: stores, inspector: inspector, process: kit.Run(b, built.program, env...)}
}

// addr returns where the program listens.
func (p *program) addr() string { return strings.TrimPrefix(p.process.URL, "http://") }

// token returns the token of a user.
func (p *program) token(b *testing.B, user string) string {
	b.Helper()
	token, err := p.inspector.Server.Auth.Sign(user, "user", time.Hour)
	require.NoError(b, err)
	return token
}

// submit returns the submit of a user, who takes a path for it.
func (p *program) submit(b *testing.B, user, activity string) load.Request {
	b.Helper()
	path := p.inspector.Buyer(b, user).Path(b, activity, "sku")
	return load.Request{
		Method: http.MethodPost, Path: "/api/v1/seckill/" + path + "/submit", Token: p.token(b, user),
		Body: `{"quantity":1,"room_id":"live-42"}`, NewKey: true,
	}
}

// mostLanes is the most lanes that a program of a benchmark has.
const mostLanes = 16

// drain waits until the program has moved all orders to SQL.
func (p *program) drain(b *testing.B) {
	b.Helper()
	ctx := context.WithoutCancel(b.Context())
	require.Eventually(b, func() bool {
		for lane := 1; lane <= mostLanes; lane++ {
			if n, err := p.stores.Redis.LLen(ctx, p.stores.Keys.Queue(lane)).Result(); err != nil || n > 0 {
				return false
			}
		}
		return true
	}, 2*time.Minute, 20*time.Millisecond, "the queues don't empty")
}

// moving pauses or resumes the movers.
func (p *program) moving(b *testing.B, what string) {
	b.Helper()
	a := p.inspector.Operator(b).Insist(http.MethodPost, "/admin/api/v1/jobs/move_orders/"+what, "", nil)
	require.Less(b, a.Status, 300, string(a.Body))
	known, cancel := context.WithTimeout(b.Context(), 2*time.Second) // a program reads the pauses once a second
	defer cancel()
	<-known.Done()
}

// used is the processor time that the processes of a program have had, in µs.
type used struct{ program, redis, sql, generator float64 }

// uses returns the processor time since the processes started.
func (p *program) uses(b *testing.B) (u used) {
	b.Helper()
	for _, of := range []struct {
		read func() (time.Duration, error)
		into *float64
	}{{p.process.Used, &u.program}, {p.stores.RedisServer.Used, &u.redis}, {p.stores.SQLServer.Used, &u.sql}} {
		took, err := of.read()
		require.NoError(b, err)
		*of.into = float64(took.Microseconds())
	}
	u.generator = childrenMicros(b)
	return u
}

// childrenMicros is the processor time of the processes that this one has waited for, such as generators, in µs.
func childrenMicros(b *testing.B) float64 {
	b.Helper()
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_CHILDREN, &used))
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1000
}

// since adds what was used after an earlier reading to u.
func (u *used) since(before, now used) {
	u.program += now.program - before.program
	u.redis += now.redis - before.redis
	u.sql += now.sql - before.sql
	u.generator += now.generator - before.generator
}

func (u *used) report(b *testing.B, orders float64, prefix string) {
	b.Helper()
	b.ReportMetric(u.program/orders, prefix+"program-µs/order")
	b.ReportMetric(u.redis/orders, prefix+"redis-µs/order")
	b.ReportMetric(u.sql/orders, prefix+"sql-µs/order")
	b.ReportMetric(u.generator/orders, prefix+"generator-µs/order")
}

// generate carries out plans at the same time, each in a process of its own.
func generate(b *testing.B, plans ...load.Plan) []load.Result {
	b.Helper()
	results, errs := make([]load.Result, len(plans)), make([]error, len(plans))
	kit.Crowd(len(plans), func(i int) { results[i], errs[i] = generateOne(b.Context(), &plans[i]) })
	for _, err := range errs {
		require.NoError(b, err)
	}
	return results
}

func generateOne(ctx context.Context, plan *load.Plan) (result load.Result, err error) {
	in, err := json.Marshal(plan)
	if err != nil {
		return result, err
	}
	var failure bytes.Buffer
	cmd := exec.CommandContext(ctx, built.generator)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &failure
	out, err := cmd.Output()
	if err != nil {
		return result, fmt.Errorf("generate load: %w: %s", err, failure.String())
	}
	err = json.Unmarshal(out, &result)
	return result, err
}
