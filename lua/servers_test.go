package lua

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// realRedis is the client of this test run's own redis-server; nil if there is none on the PATH.
var realRedis *redis.Client

// prefixes gives every test its own keys on the redis-server that all share.
var prefixes atomic.Int64

func TestMain(m *testing.M) {
	fewerChecks()
	os.Exit(run(m))
}

// fewerChecks makes a test of random calls draw 40 cases, which take long on every Redis, unless -rapid.checks says
// otherwise. CI draws 300.
func fewerChecks() {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		_ = flag.Set("rapid.checks", "40")
	}
}

func run(m *testing.M) int {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("ONRUSH_TEST_REQUIRE_REAL") == "1" {
			slog.Error("redis-server must be on the PATH")
			return 1
		}
		slog.Info("scripts run on miniredis only: redis-server is not on the PATH")
		return m.Run()
	}
	stop, err := startRedis(path)
	if err != nil {
		slog.Error("start redis-server", "error", err)
		return 1
	}
	defer stop()
	slog.Info("scripts run on miniredis and on a redis-server of their own")
	return m.Run()
}

// startRedis starts a redis-server that keeps nothing and listens on a socket in its own
// directory only.
func startRedis(path string) (stop func(), err error) {
	dir, err := os.MkdirTemp("", "lua")
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(dir, "redis.sock")
	server := exec.CommandContext(context.Background(), path, "--port", "0", "--unixsocket", socket,
		"--save", "", "--appendonly", "no", "--dir", dir, "--loglevel", "notice")
	output, err := server.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, err
	}
	ready := make(chan bool, 1)
	go func() {
		lines := bufio.NewScanner(output)
		for lines.Scan() {
			if strings.Contains(strings.ToLower(lines.Text()), "ready to accept connections") {
				ready <- true
			}
		}
		close(ready)
	}()
	stop = func() {
		if realRedis != nil {
			_ = realRedis.Close()
		}
		_ = server.Process.Kill()
		_ = server.Wait()
		_ = os.RemoveAll(dir)
	}
	if !<-ready {
		stop()
		return nil, fmt.Errorf("%s ended before it was ready", path)
	}
	realRedis = redis.NewClient(&redis.Options{Network: "unix", Addr: socket, MaxRetries: -1, ReadTimeout: time.Minute})
	return stop, nil
}

// stores are the Redis that a test runs on: miniredis, and the real one if there is one.
type stores []*Scripts

func newStores(t *testing.T) stores {
	t.Helper()
	mini := redis.NewClient(&redis.Options{Addr: miniredis.RunT(t).Addr(), MaxRetries: -1, ReadTimeout: time.Minute})
	t.Cleanup(func() { _ = mini.Close() })
	mini.AddHook(declaredKeys{})
	return storesOn(mini)
}

// storesOn gives fresh keys to a run that shares its miniredis with others.
func storesOn(mini *redis.Client) stores {
	keys := Keys{Prefix: fmt.Sprintf("test%d", prefixes.Add(1))}
	all := stores{New(mini, keys)}
	if realRedis != nil {
		all = append(all, New(realRedis, keys))
	}
	return all
}

type tb interface {
	require.TestingT
	Helper()
	Context() context.Context
}

// same does the same on every store, asserts that the outcome and the keys are equal, and returns the outcome.
func same[T any](t tb, all stores, do func(s *Scripts) (T, error)) (T, error) {
	t.Helper()
	outcome, err := sameOutcome(t, all, do)
	sameKeys(t, all)
	return outcome, err
}

// sameOutcome is same for what only reads.
func sameOutcome[T any](t tb, all stores, do func(s *Scripts) (T, error)) (T, error) {
	t.Helper()
	first, firstErr := do(all[0])
	for _, s := range all[1:] {
		got, err := do(s)
		require.Equal(t, firstErr == nil, err == nil, "miniredis: %v, redis-server: %v", firstErr, err)
		require.Equal(t, first, got, "miniredis, then redis-server")
	}
	return first, firstErr
}

func sameKeys(t tb, all stores) {
	t.Helper()
	first := dump(t, all[0])
	for _, s := range all[1:] {
		require.Equal(t, first, dump(t, s), "keys of miniredis, then of redis-server")
	}
}

// withoutTimes replaces the times in meta and the id of the master of leases, which differ between servers.
func withoutTimes(fields map[string]string) map[string]string {
	_, leases := fields["next"]
	for field := range fields {
		if strings.HasPrefix(field, "offer:") {
			fields[field] = offerTime.ReplaceAllString(fields[field], "~a time~")
		}
		if strings.HasPrefix(field, "empty:") || leases && field == "run" {
			fields[field] = "a time"
		}
	}
	return fields
}

// offerTime is the end of an offer.
var offerTime = regexp.MustCompile(`~\d{13,}~`)

// dump reads all keys of a store: name → content.
func dump(t tb, s *Scripts) map[string]any {
	t.Helper()
	ctx := t.Context()
	content := map[string]any{}
	keys := s.Redis.Scan(ctx, 0, s.Keys.Prefix+":*", 1000).Iterator()
	for keys.Next(ctx) {
		key := keys.Val()
		kind, err := s.Redis.Type(ctx, key).Result()
		require.NoError(t, err)
		switch kind {
		case "hash":
			var fields map[string]string
			fields, err = s.Redis.HGetAll(ctx, key).Result()
			content[key] = withoutTimes(fields)
		case "list":
			content[key], err = s.Redis.LRange(ctx, key, 0, -1).Result()
			if strings.Contains(key, ":window:") { // it has times, which differ
				content[key] = "a window"
			}
		case "set":
			var members []string
			members, err = s.Redis.SMembers(ctx, key).Result()
			slices.Sort(members)
			content[key] = members
		case "zset":
			var members []redis.Z
			members, err = s.Redis.ZRangeWithScores(ctx, key, 0, -1).Result()
			content[key] = members
			if strings.Contains(key, ":permits:") {
				content[key] = expiries(members)
			}
		case "string":
			content[key], err = s.Redis.Get(ctx, key).Result()
		default:
			require.Fail(t, "unexpected type", "%s is a %s", key, kind)
		}
		require.NoError(t, err)
	}
	require.NoError(t, keys.Err())
	return content
}

// each runs commands that set a test up on every store.
func (all stores) each(t tb, do func(s *Scripts) error) {
	t.Helper()
	for _, s := range all {
		require.NoError(t, do(s))
	}
}

// hash reads a hash, which is the same on every store.
func (all stores) hash(t tb, key string) map[string]string {
	t.Helper()
	content, err := sameOutcome(t, all, func(s *Scripts) (map[string]string, error) {
		fields, err := s.Redis.HGetAll(t.Context(), key).Result()
		return withoutTimes(fields), err
	})
	require.NoError(t, err)
	return content
}

// list reads a list, which is the same on every store.
func (all stores) list(t tb, key string) []string {
	t.Helper()
	content, err := sameOutcome(t, all, func(s *Scripts) ([]string, error) {
		return s.Redis.LRange(t.Context(), key, 0, -1).Result()
	})
	require.NoError(t, err)
	return content
}

// keys are the names that all the stores of a test use.
func (all stores) keys() Keys { return all[0].Keys }

// expiries returns when permits expire, by user, so that it is the same for all servers: the scores of permits that
// would outlive the sale differ by when each server issued them, and count as the end of the sale.
func expiries(permits []redis.Z) map[any]float64 {
	byUser := make(map[any]float64, len(permits))
	for _, p := range permits {
		byUser[p.Member] = min(p.Score, saleEnd)
	}
	return byUser
}
