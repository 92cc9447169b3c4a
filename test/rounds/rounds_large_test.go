//go:build large

package rounds_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/rounds"
)

// variable returns a number from the environment.
func variable(t *testing.T, name string, absent uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return absent
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, name)
	return n
}

// commit returns the commit of the source.
func commit(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// seeds returns the seed of the first round, and how many rounds there are. Without variables, they are two rounds that
// have 11 of the 13 kinds of faults; with a number of rounds alone, the seeds are others each time.
func seeds(t *testing.T) (first, count uint64) {
	t.Helper()
	first, count = 494, 2
	if os.Getenv("ONRUSH_ROUNDS") != "" {
		first = uint64(rand.Uint32())
	} else if os.Getenv("ONRUSH_ROUNDS_SEED") != "" {
		count = 1
	}
	return variable(t, "ONRUSH_ROUNDS_SEED", first), variable(t, "ONRUSH_ROUNDS", count)
}

func TestTheGuaranteesHoldInRoundsOfFaults(t *testing.T) {
	t.Parallel()
	hold(t, rounds.Draw, "rounds of faults")
}

func TestTheGuaranteesHoldInRoundsOfChange(t *testing.T) {
	t.Parallel()
	hold(t, rounds.DrawChanges, "rounds of change")
}

// enough is in how many rounds each path is reached that docs/guarantees.md says rounds of their kind reach.
const enough = 100

// hold lets rounds of a kind happen.
func hold(t *testing.T, draw func(seed uint64) rounds.Plan, kind string) {
	t.Helper()
	first, count := seeds(t)
	dir, err := os.MkdirTemp("", "onrush-rounds-")
	require.NoError(t, err)
	rig := rounds.NewRig(t, dir)
	for kind, why := range rig.Skipped {
		t.Logf("%s is left out: %s", kind, why)
	}
	for kind, why := range rig.SkippedChanges {
		t.Logf("%s is left out: %s", kind, why)
	}
	acts := map[string]int{}
	for seed := first; seed < first+count; seed++ {
		plan := draw(seed)
		t.Log(plan)
		res := rig.Round(t, plan)
		t.Log(res.String())
		record(t, res.String())
		for name, n := range res.Acts {
			acts[name] += n
		}
		for _, problem := range res.Broken {
			t.Errorf("seed %d, commit %s, history %s: %s", seed, commit(t), res.History, problem)
		}
	}
	t.Log("operators did ", acts)
	counts, err := rig.Reached()
	require.NoError(t, err)
	summary := rounds.Summary(kind, counts)
	t.Log(summary)
	record(t, summary)
	if count >= enough {
		guarantees, err := os.ReadFile("../../docs/guarantees.md")
		require.NoError(t, err)
		assert.Empty(t, rounds.Unreached(string(guarantees), kind, counts), "paths that %s must reach", kind)
	}
	if !t.Failed() {
		assert.NoError(t, os.RemoveAll(dir))
	}
}

// record appends lines to the file that ONRUSH_ROUNDS_LOG names.
func record(t *testing.T, lines string) {
	t.Helper()
	name := os.Getenv("ONRUSH_ROUNDS_LOG")
	if name == "" {
		return
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = fmt.Fprintln(f, lines)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}
