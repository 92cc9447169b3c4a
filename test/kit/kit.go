// Package kit gives tests the stores that Onrush runs on, fresh for each test: embedded ones
// (miniredis and SQLite) always, and private instances of redis-server and mariadbd (or mysqld)
// if they are on the PATH. The real servers are started once per test process, on free ports
// with their data in a temporary folder, and end with it.
//
//	func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }
//
//	func TestOrderIsStoredOnce(t *testing.T) {
//		t.Parallel()
//		kit.Each(t, func(t *testing.T, s *kit.Stores) { … })
//	}
package kit

import (
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"onrush/app/servers"
	"onrush/modules/redisdb"
)

// RequireReal is the variable that turns missing real stores from a skip into a failure, if "1".
const RequireReal = "ONRUSH_TEST_REQUIRE_REAL"

// Report is the variable that may name a file to which each test process that used the real
// stores appends a line, so that a CI run can prove that they were used.
const Report = "ONRUSH_TEST_REPORT"

// shared are the real servers of this test process.
var shared struct {
	once  sync.Once
	mu    sync.Mutex // guards next and the stop
	redis *Server
	sql   *Server
	err   error
	next  int // the next free Redis database
}

// Waiting lets twice as many tests run at once as there are processors, unless -parallel says otherwise. TestMain of a
// package calls it before Main if its tests wait for pages, polls and timeouts more than they compute.
func Waiting() {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))) // it takes any positive number
	}
}

// Main runs the tests, prints which stores they used and stops the servers. It returns the exit code
// for TestMain.
func Main(m *testing.M) int {
	defer stopShared()
	defer reportReached()
	redisdb.LogTo(slog.New(slog.DiscardHandler)) // tests that make Redis unavailable would log many pages
	fmt.Fprintln(os.Stderr, Describe())
	return m.Run()
}

// Real reports whether the programs for real stores are installed.
func Real() bool {
	_, redisErr := exec.LookPath("redis-server")
	_, sqlErr := servers.FindSQL()
	return redisErr == nil && sqlErr == nil
}

// Describe returns one line about the stores that the tests use.
func Describe() string {
	const embedded = "stores: embedded (miniredis, SQLite)"
	redis, redisErr := exec.LookPath("redis-server")
	sql, sqlErr := servers.FindSQL()
	if redisErr != nil || sqlErr != nil {
		return embedded + "; real ones skipped: redis-server, and mariadbd or mysqld, must be on the PATH"
	}
	version := versionOf(sql.Path)
	if OnVitess() {
		version = vitessVersion() + " over " + version
	}
	return fmt.Sprintf("%s and real (%s; %s)", embedded, versionOf(redis), version)
}

// versionOf returns the name and version of a server: "mysqld 9.7.4", "Valkey 9.1.2".
func versionOf(program string) string {
	name := filepath.Base(program)
	out, err := exec.Command(program, "--version").Output()
	if err != nil {
		return name
	}
	if strings.HasPrefix(string(out), "Valkey") { // installed as redis-server
		name = "Valkey"
	}
	for _, word := range strings.Fields(string(out)) { // "… v=7.0.15 …", "… Ver 10.11.6-MariaDB …"
		word = strings.TrimPrefix(word, "v=")
		if len(word) > 0 && word[0] >= '0' && word[0] <= '9' {
			return name + " " + word
		}
	}
	return name
}

// needReal skips the test if the real stores are missing, or fails it if they are required.
func needReal(tb testing.TB) {
	tb.Helper()
	skipUnlessEach(tb)
	if Real() {
		return
	}
	if os.Getenv(RequireReal) == "1" {
		tb.Fatalf("%s=1, but %s", RequireReal, Describe())
	}
	tb.Skip(Describe())
}

// startShared starts the real servers of this test process, the first time it is called.
func startShared(tb testing.TB) (redis, sql *Server) {
	tb.Helper()
	shared.once.Do(func() {
		var starting sync.WaitGroup
		var redisErr, sqlErr error
		starting.Go(func() { shared.redis, redisErr = wrap(servers.StartRedis(false, "")) })
		starting.Go(func() {
			// Each test makes 80 tables, which takes half of the time so.
			shared.sql, sqlErr = startSQL(vitessDatabases, false, false, defaultBufferMB,
				"--loose-innodb-file-per-table=0", "--innodb-stats-persistent=0")
		})
		starting.Wait()
		switch {
		case redisErr != nil:
			shared.err = redisErr
		case sqlErr != nil:
			shared.err = sqlErr
		default:
			shared.err = report()
		}
	})
	if shared.err != nil {
		tb.Fatalf("start the real stores: %v", shared.err)
	}
	return shared.redis, shared.sql
}

// report appends to the Report file that this test process uses real stores.
func report() error {
	path := os.Getenv(Report)
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("report the real stores: %w", err)
	}
	if _, err := fmt.Fprintf(f, "%s %s\n", filepath.Base(os.Args[0]), Describe()); err != nil {
		_ = f.Close()
		return fmt.Errorf("report the real stores: %w", err)
	}
	return f.Close()
}

func stopShared() {
	shared.once.Do(func() {}) // from now on nothing is started
	if shared.redis != nil {
		shared.redis.Stop()
	}
	if shared.sql != nil {
		shared.sql.Stop()
	}
}

// nextRedisDatabase gives each test its own numbered database; after very many they are used
// again, with other key prefixes.
func nextRedisDatabase() int {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	shared.next++
	return shared.next % servers.RedisDatabases
}
