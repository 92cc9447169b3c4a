package bench

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The environment sets the sizes of the benchmarks that need minutes at their full size.
const (
	// ordersEnv is how many orders SQL has in BenchmarkManyOrders. Full size: 5000000.
	ordersEnv = "ONRUSH_BENCH_ORDERS"
	// buyersEnv is how many buyers have ordered before BenchmarkManyBuyers measures. Full size: 1000000.
	buyersEnv = "ONRUSH_BENCH_BUYERS"
	// placedEnv is how many orders one turn of BenchmarkProgramMemory places. Full size: 1000000.
	placedEnv = "ONRUSH_BENCH_PLACED"
	// tenYearsEnv is how many finished orders SQL has in BenchmarkTenYears. Full size: 20000000.
	tenYearsEnv = "ONRUSH_BENCH_TEN_YEARS"
)

// scale returns the number in the environment, at least least, or least if it is not set.
func scale(b *testing.B, name string, least int) int {
	b.Helper()
	text := os.Getenv(name)
	if text == "" {
		return least
	}
	n, err := strconv.Atoi(text)
	require.NoError(b, err, name)
	require.GreaterOrEqual(b, n, least, name)
	return n
}
