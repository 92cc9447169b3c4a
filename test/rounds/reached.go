package rounds

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"onrush/modules/reached"
)

// reachedEnding is in the names of the files that say how often a process of an instance took each rare path: they are
// beside the file of its clock, and end with the id of the process. An instance that is killed loses the last 50 ms.
const reachedEnding = ".reached."

// keepReached writes the counts of this process again and again until ctx ends.
func keepReached(ctx context.Context) {
	const every = 50 * time.Millisecond
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var written map[string]int64
	for ctx.Err() == nil {
		<-ticker.C
		if counts := reached.Counts(); !maps.Equal(counts, written) && writeReached() == nil {
			written = counts
		}
	}
}

// writeReached replaces the file of this process. A reader sees the file before or the whole new one.
func writeReached() error {
	text, err := json.Marshal(reached.Counts())
	if err != nil {
		return err
	}
	file := os.Getenv(clockFile) + reachedEnding + strconv.Itoa(os.Getpid())
	next := file + ".next"
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return err
	}
	return os.Rename(next, file)
}

// Reached returns how often all instances took each rare path, by name, in all rounds so far. It has the paths that
// were never taken, with 0. What an instance of the build before took is not known.
func (r *Rig) Reached() (map[string]int64, error) { return sumReached(r.dir) }

// sumReached adds up the files in a folder.
func sumReached(dir string) (map[string]int64, error) {
	sum := reached.Counts()
	for name := range sum {
		sum[name] = 0 // this process is no instance
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"+reachedEnding+"*[0-9]"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var counts map[string]int64
		if err := json.Unmarshal(text, &counts); err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		for name, n := range counts {
			sum[name] += n
		}
	}
	return sum, nil
}

// Summary says how often each path was reached in rounds of a kind, and which paths never were, a line each.
func Summary(kind string, counts map[string]int64) string {
	var text, never strings.Builder
	fmt.Fprintf(&text, "reached in %s:\n", kind)
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > 0 {
			fmt.Fprintf(&text, "reached %d %s\n", counts[name], name)
		} else {
			fmt.Fprintf(&never, "never reached %s\n", name)
		}
	}
	return text.String() + strings.TrimSuffix(never.String(), "\n")
}

// Unreached returns the paths that were never reached, although the table of docs/guarantees.md says that rounds of the
// kind reach them, and those that it doesn't have.
func Unreached(guarantees, kind string, counts map[string]int64) (missed []string) {
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		_, row, listed := strings.Cut(guarantees, "\n| "+name+" | ")
		row, _, _ = strings.Cut(row, "\n")
		if counts[name] == 0 && (!listed || strings.Contains(row, kind)) {
			missed = append(missed, name)
		}
	}
	return missed
}
