package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"onrush/test/kit"
)

// resultsEnv names the file that the results are written to, as JSON.
const resultsEnv = "ONRUSH_BENCH_RESULTS"

// results are the results of all benchmarks of this process.
var results struct {
	mu   sync.Mutex
	rows []result
}

// result is one row of the table: the median of a ratio over some turns.
type result struct {
	Benchmark string  `json:"benchmark"`
	Turns     int     `json:"turns"`
	Ours      float64 `json:"ours"`
	Unit      string  `json:"unit"`
	Baseline  float64 `json:"baseline"`
	Of        string  `json:"baseline_unit"`
	Ratio     float64 `json:"ratio"`
	Least     float64 `json:"least"` // below it the benchmark fails
}

// keepResult adds a row. The name of the benchmark comes before the name of the row, which a benchmark needs only if
// it has several.
func keepResult(b *testing.B, r result) {
	b.Helper()
	r.Benchmark = b.Name() + r.Benchmark
	results.mu.Lock()
	defer results.mu.Unlock()
	results.rows = append(results.rows, r)
}

// writeResults prints the table, and writes it to the file that the environment names.
func writeResults(w io.Writer) error {
	results.mu.Lock()
	defer results.mu.Unlock()
	if len(results.rows) == 0 {
		return nil
	}
	_, _ = fmt.Fprintln(w, kit.Describe())
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "benchmark\tours\tbaseline\tratio\tleast\tturns")
	for _, r := range results.rows {
		_, _ = fmt.Fprintf(table, "%s\t%.0f %s\t%.0f %s\t%.2f\t%.2f\t%d\n",
			r.Benchmark, r.Ours, r.Unit, r.Baseline, r.Of, r.Ratio, r.Least, r.Turns)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	file := os.Getenv(resultsEnv)
	if file == "" {
		return nil
	}
	data, err := json.MarshalIndent(map[string]any{
		"at": time.Now().UTC().Format(time.RFC3339), "go": runtime.Version(), "cpus": runtime.NumCPU(),
		"stores":  kit.Describe(),
		"results": results.rows,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o600)
}
