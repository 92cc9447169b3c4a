package server

import (
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/order"
)

func TestTheOperatorsGuideListsTheJobsAsTheyRun(t *testing.T) {
	t.Parallel()
	cfg := Config{DataDir: t.TempDir(), Addr: "127.0.0.1:8080", Lanes: 4}
	cfg.Keep.Orders = order.MinKeep // else a job is off
	parts, closeStores, err := Open(t.Context(), &cfg, slog.New(slog.DiscardHandler), nil)
	require.NoError(t, err)
	t.Cleanup(closeStores)
	s, err := New(cfg, parts)
	require.NoError(t, err)
	t.Cleanup(s.quit)
	run, purposes := map[string]time.Duration{}, map[string]string{}
	for _, job := range s.Jobs {
		if !job.Internal {
			run[job.Name], purposes[job.Name] = job.Every, job.Purpose
		}
	}

	guide, err := os.ReadFile("../../docs/operating/when-something-breaks.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(guide), "| job | every | what it does |")
	require.True(t, found)
	listed := map[string]time.Duration{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\d+) (s|min) \\| (.+) \\|$").FindAllStringSubmatch(
		table, -1) {
		every, err := time.ParseDuration(row[2] + strings.TrimSuffix(row[3], "in"))
		require.NoError(t, err)
		listed[row[1]] = every
		require.True(t, strings.HasPrefix(row[4], purposes[row[1]]), "%s: the guide says %q", row[1], row[4])
	}
	require.Equal(t, run, listed)
}
