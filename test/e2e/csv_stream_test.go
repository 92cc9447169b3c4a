package e2e

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

const (
	fewRows, manyRows = 5_000, 30_000
	// rowsHeap is how much more heap the many rows may take than the few, in bytes.
	rowsHeap = 8 << 20
)

// reach inserts orders until there are n of them.
func reach(t *testing.T, stores *kit.Stores, n int) {
	t.Helper()
	var had int
	require.NoError(t, stores.DB.Read.GetContext(t.Context(), &had, `SELECT COUNT(*) FROM orders`))
	for had < n {
		copySome(t, stores, min(had, n-had, 100_000))
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &had, `SELECT COUNT(*) FROM orders`))
	}
}

// stream reads the whole file of orders, and returns its lines without the header, the most heap that was in use after
// a collection, and the time it took.
func stream(t *testing.T, op *site.Person) (lines int, peak uint64, took time.Duration) {
	t.Helper()
	began := time.Now()
	body := op.Open(t, admin+"/orders.csv").Body
	defer func() { _ = body.Close() }()
	buf, read, next := make([]byte, 64<<10), 0, 0
	for {
		n, err := body.Read(buf)
		lines, read = lines+bytes.Count(buf[:n], []byte("\n")), read+n
		if read >= next { // 40 collections or so for 20,000 rows
			next += 256 << 10
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
		if errors.Is(err, io.EOF) {
			return lines - 1, peak, time.Since(began)
		}
		require.NoError(t, err)
	}
}

// The test measures the heap right after collections, since the garbage between two of them depends on the machine. So
// it runs alone.
func TestAFileOfManyOrdersTakesNoMoreMemoryThanOneOfFew(t *testing.T) { //nolint:paralleltest // it reads the heap
	if testing.Short() {
		t.Skip("30,000 orders")
	}
	compareHeaps(t, fewRows, manyRows)
}

// compareHeaps streams a file of few orders and one of many.
func compareHeaps(t *testing.T, few, many int) {
	t.Helper()
	stores := kit.OnReal(t)
	s := site.Start(t, stores, site.Idle())
	activity := s.Open(t, site.Sale{})
	must(t, http.StatusAccepted, s.Buyer(t, "ada").Buy(t, activity, "sku", "k"))
	s.Drain(t)
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	reach(t, stores, few)
	stream(t, s.Operator(t)) // makes everything that is made once
	var peaks [2]uint64
	for i, n := range []int{few, many} {
		reach(t, stores, n)
		var lines int
		var took time.Duration
		lines, peaks[i], took = stream(t, s.Operator(t))
		require.Equal(t, n, lines)
		t.Logf("%d orders: %.0f rows/s, %.1f MiB of heap", n, float64(n)/took.Seconds(), float64(peaks[i])/(1<<20))
	}
	assert.LessOrEqual(t, peaks[1], peaks[0]+rowsHeap)
}

func TestFiveFilesAtOnceAreOneTooMany(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	s := site.Start(t, stores, site.Idle())
	activity := s.Open(t, site.Sale{})
	must(t, http.StatusAccepted, s.Buyer(t, "ada").Buy(t, activity, "sku", "k"))
	s.Drain(t)
	copyOrders(t, stores, 15) // more than what fits between program and client
	op := s.Operator(t)
	var open []io.ReadCloser
	for range 4 {
		body := op.Open(t, admin+"/orders.csv").Body
		defer func() { _ = body.Close() }()
		open = append(open, body)
	}
	for _, path := range []string{"/orders.csv", "/payments.csv", "/refunds.csv"} {
		refused := op.Call(t, http.MethodGet, admin+path, "", nil)
		requireRefusal(t, refused, http.StatusServiceUnavailable, "overloaded")
		assert.Equal(t, "1", refused.Header.Get("Retry-After"), path)
	}
	require.NoError(t, open[0].Close())
	for range 3 { // the place of the one whose client has gone, and then of those that end
		require.Eventually(t, func() bool {
			return op.Call(t, http.MethodGet, admin+"/payments.csv", "", nil).Status == http.StatusOK
		}, eventually, soon)
	}
}
