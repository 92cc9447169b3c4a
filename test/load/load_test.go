package load

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serve starts a server and returns a plan for it.
func serve(t *testing.T, handler http.HandlerFunc) *Plan {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &Plan{
		Addr: strings.TrimPrefix(server.URL, "http://"), Connections: 4, Seconds: 0.3,
		Requests: []Request{{Method: http.MethodGet, Path: "/"}},
	}
}

func TestEachRequestHasItsOwnNumberAndKey(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen, wrong := map[string]int{}, []string(nil)
	plan := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		number := strings.TrimPrefix(r.URL.Path, "/goods/")
		seen[number]++
		want := fmt.Sprintf(`{"n":%s}`, number)
		if err != nil || string(body) != want || r.Header.Get("Idempotency-Key") != "key-"+number ||
			r.Header.Get("Authorization") != "Bearer token" {
			wrong = append(wrong, string(body))
		}
		w.WriteHeader(http.StatusCreated)
	})
	plan.Requests = []Request{{
		Method: http.MethodPost, Path: "/goods/" + Number, Token: "token", Body: `{"n":` + Number + `}`, NewKey: true,
	}}
	result, err := Run(t.Context(), plan, 42)
	require.NoError(t, err)
	assert.Empty(t, wrong)
	assert.Len(t, seen, int(result.Answers["201"]), "a number was used twice")
	assert.Positive(t, result.Rate("201"))
	assert.Zero(t, result.Broken, result.Error)
}

func TestAnswersAreCountedByStatusAndCode(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	n := 0
	plan := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if n++; n%2 == 0 {
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"title":"Sold out","code":"sold_out"}`)
			return
		}
		_, _ = io.WriteString(w, strings.Repeat(`"code":"none" `, 100_000)) // chunked
	})
	result, err := Run(t.Context(), plan, 1)
	require.NoError(t, err)
	assert.Len(t, result.Answers, 2, "%v", result.Answers)
	assert.InDelta(t, result.Answers["200"], result.Answers["409 sold_out"], 4)
}

// At a fixed rate a server that hangs for a while delays all requests that were due meanwhile, and the
// latencies say so.
func TestLatencyOfAFixedRateCountsFromTheMomentTheRequestWasDue(t *testing.T) {
	t.Parallel()
	var once sync.Once
	plan := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		once.Do(func() {
			hangs, cancel := context.WithTimeout(r.Context(), 100*time.Millisecond)
			defer cancel()
			<-hangs.Done()
		})
	})
	plan.Connections, plan.Rate, plan.Seconds = 1, 200, 0.15
	result, err := Run(t.Context(), plan, 1)
	require.NoError(t, err)
	assert.Greater(t, result.P50, 20.0, "20 of the 30 requests were due while the server hung")
	assert.LessOrEqual(t, result.Answers["200"], int64(30))
}

func TestALoadSendsNoMoreThanItsMost(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	plan := serve(t, func(http.ResponseWriter, *http.Request) { served.Add(1) })
	plan.Connections, plan.Seconds, plan.Most = 8, 60, 100
	result, err := Run(t.Context(), plan, 1)
	require.NoError(t, err)
	assert.EqualValues(t, 100, served.Load())
	assert.EqualValues(t, 100, result.Answers["200"])
	assert.Less(t, result.Seconds, plan.Seconds, "the time that it took")
}

func TestConnectionThatBreaksIsOpenedAgain(t *testing.T) {
	t.Parallel()
	plan := serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	result, err := Run(t.Context(), plan, 1)
	require.NoError(t, err)
	assert.Greater(t, result.Broken, int64(plan.Connections))
	assert.NotEmpty(t, result.Error)
	assert.Empty(t, result.Answers)
}

func TestOnlyThisMachineIsLoadedAndNotForLong(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(p *Plan){
		"not a loopback":   func(p *Plan) { p.Addr = "192.0.2.1:80" },
		"not an address":   func(p *Plan) { p.Addr = "localhost:80" },
		"many connections": func(p *Plan) { p.Connections = maxConnections + 1 },
		"too long":         func(p *Plan) { p.Seconds = maxSeconds + 1 },
		"nothing to send":  func(p *Plan) { p.Requests = nil },
		"negative rate":    func(p *Plan) { p.Rate = -1 },
	} {
		plan := &Plan{Addr: "127.0.0.1:1", Connections: 1, Seconds: 1, Requests: []Request{{}}}
		require.NoError(t, plan.check())
		change(plan)
		_, err := Run(t.Context(), plan, 1)
		require.Error(t, err, name)
	}
}
