package kit

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// Isolation is the variable that fixes innodb_snapshot_isolation for all tests, "on" or "off".
// MariaDB has it on from 11.8. Without the variable each test chooses it at random and logs the choice.
const Isolation = "ONRUSH_TEST_SNAPSHOT_ISOLATION"

const (
	onIsolation  = "on"
	offIsolation = "off"
)

// SnapshotIsolation sets innodb_snapshot_isolation of a test's own MariaDB connections.
func SnapshotIsolation(on bool) Option {
	return func(o *options) {
		o.snapshot = offIsolation
		if on {
			o.snapshot = onIsolation
		}
	}
}

// EachIsolation is Each with the real stores twice, as "real" with innodb_snapshot_isolation off
// and as "real_snapshot" with it on.
func EachIsolation(t *testing.T, test func(t *testing.T, s *Stores), opts ...Option) {
	t.Helper()
	Each(t, test, append(opts, SnapshotIsolation(false))...)
	t.Run(RealStores+"_snapshot", func(t *testing.T) {
		t.Parallel()
		test(t, OnReal(t, append(opts, SnapshotIsolation(true))...))
	})
}

// isolate adds the setting to a DSN if the server supports it.
func (s *Stores) isolate(tb testing.TB, o options, cfg *mysql.Config) {
	tb.Helper()
	if !IsMariaDB() {
		return
	}
	setting := o.snapshot
	if setting == "" {
		setting = os.Getenv(Isolation)
	}
	if setting == "" {
		setting = offIsolation
		if rand.N(2) == 1 {
			setting = onIsolation
		}
		tb.Logf("%s=%s", Isolation, setting)
	}
	s.SnapshotIsolation = setting == onIsolation
	cfg.Params = map[string]string{"innodb_snapshot_isolation": setting}
}
