package rounds

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatAllProcessesReachedIsAddedUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for file, text := range map[string]string{
		"a.reached.12":      `{"queue: one": 2, "queue: two": 0}`,
		"b.reached.7":       `{"queue: one": 3, "queue: two": 1}`,
		"a.reached.12.next": `{"queue: on`, // the process was killed while it wrote
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
	}
	sum, err := sumReached(dir)
	require.NoError(t, err)
	assert.EqualValues(t, 5, sum["queue: one"])
	assert.EqualValues(t, 1, sum["queue: two"])
	assert.Contains(t, sum, "sqldb: a transaction runs again after a deadlock", "the paths of the program, with 0")
}

func TestAPathThatRoundsMustReachIsMissedOnlyWhereTheyAreNamed(t *testing.T) {
	t.Parallel()
	const guarantees = "\n| queue: one | rounds of faults |\n| queue: two | `TestThat` |\n"
	counts := map[string]int64{"queue: one": 0, "queue: two": 0, "queue: three": 0}
	assert.Equal(t, []string{"queue: one", "queue: three"}, Unreached(guarantees, "rounds of faults", counts))
	assert.Equal(t, []string{"queue: three"}, Unreached(guarantees, "rounds of change", counts))
	counts["queue: one"], counts["queue: three"] = 1, 1
	assert.Empty(t, Unreached(guarantees, "rounds of faults", counts))
	assert.Contains(t, Summary("rounds of faults", counts), "reached 1 queue: one\n")
	assert.Contains(t, Summary("rounds of faults", counts), "never reached queue: two")
}
