//go:build large

package deploy

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

// Addresses of this machine that stand for the address of a buyer and of the shop's backend.
const buyer, backend = "127.0.0.3", "127.0.0.2"

// proxy is a load balancer with the example's configuration, before two instances that count what they get.
type proxy struct {
	url       string
	asked     atomic.Int64
	instances [2]*httptest.Server
}

// startProxy fills the addresses into an example, with the cache that it has in comments, and starts the program.
func startProxy(t *testing.T, example, around string, command ...string) *proxy {
	t.Helper()
	p := &proxy{}
	var instances [2]string
	for i := range instances {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/readyz" {
				p.asked.Add(1)
			}
			w.Header().Set("Cache-Control", "private, no-cache")
			_, _ = io.WriteString(w, r.Header.Get("X-Forwarded-For"))
		}))
		t.Cleanup(server.Close)
		p.instances[i], instances[i] = server, server.Listener.Addr().String()
	}
	text, err := os.ReadFile(example)
	require.NoError(t, err)
	dir, port := t.TempDir(), kit.FreePort(t)
	filled := strings.NewReplacer(
		"127.0.0.1:8081", instances[0], "127.0.0.1:8082", instances[1], "10.0.1.0/24", backend+"/32",
		"bind :8080", fmt.Sprintf("bind 127.0.0.1:%d", port), "listen 8080", fmt.Sprintf("listen 127.0.0.1:%d", port),
		"/var/cache/nginx", dir, "#cache ", "", "maxconn 60000", "maxconn 2000", // where few descriptors are allowed
	).Replace(string(text))
	if around != "" {
		filled = fmt.Sprintf(around, dir, filled)
	}
	config := filepath.Join(dir, "config")
	require.NoError(t, os.WriteFile(config, []byte(filled), 0o600))
	p.url = fmt.Sprintf("http://127.0.0.1:%d", port)
	command = append(command, config)
	kit.RunTool(t, dir, func(ctx context.Context) error {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(p.url, "http://"))
		if err == nil {
			err = conn.Close()
		}
		return err
	}, command[0], command[1:]...)
	return p
}

// from returns a client at an address of this machine.
func from(address string) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &http.Client{
		Timeout:   20 * time.Second,
		Transport: &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 16},
	}
}

// answer is what a client got.
type answer struct {
	status int
	header http.Header
	body   string
}

func (p *proxy) get(t *testing.T, client *http.Client, path string, header ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+path, http.NoBody)
	require.NoError(t, err)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := client.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return answer{res.StatusCode, res.Header, string(body)}
}

// flood sends requests at once, and returns the answer to one that was refused, if one was.
func (p *proxy) flood(t *testing.T, client *http.Client, requests int64) (refused answer) {
	t.Helper()
	var sent atomic.Int64
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range 16 {
		workers.Go(func() {
			for sent.Add(1) <= requests {
				if a := p.get(t, client, "/api/v1/orders"); a.status != http.StatusOK {
					mu.Lock()
					refused = a
					mu.Unlock()
					sent.Store(requests)
				}
			}
		})
	}
	workers.Wait()
	return refused
}

// proxies start the examples of both programs.
var proxies = map[string]func(t *testing.T) *proxy{
	"haproxy": func(t *testing.T) *proxy {
		t.Helper()
		return startProxy(t, "haproxy/haproxy.cfg", "", kit.Tool(t, "haproxy"), "-db", "-f")
	},
	"nginx": func(t *testing.T) *proxy {
		t.Helper()
		const around = "daemon off;\nuser root;\npid %[1]s/pid;\nerror_log %[1]s/log;\n" +
			"events { worker_connections 1024; }\nhttp { access_log off;\n%[2]s }\n"
		return startProxy(t, "nginx/onrush.conf", around, kit.Tool(t, "nginx"), "-c")
	},
}

func TestTheProxiesLimitClientsButNotTheShopsBackend(t *testing.T) {
	t.Parallel()
	for name, start := range proxies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t)
			one, shop := from(buyer), from(backend)
			names := []string{"X-Forwarded-For", "203.0.113.7"}
			assert.Equal(t, buyer, p.get(t, one, "/api/v1/orders", names...).body, "what a client sends is replaced")
			assert.Equal(t, "203.0.113.7", p.get(t, shop, "/api/v1/orders", names...).body)
			assert.Equal(t, backend, p.get(t, shop, "/api/v1/orders").body)

			refused := p.flood(t, one, 50_000)
			assert.Equal(t, http.StatusTooManyRequests, refused.status, "0: nothing was refused")
			assert.Equal(t, "application/problem+json", refused.header.Get("Content-Type"))
			assert.Equal(t, "1", refused.header.Get("Retry-After"))
			var problem struct {
				Code   string `json:"code"`
				Status int    `json:"status"`
			}
			require.NoError(t, json.Unmarshal([]byte(refused.body), &problem), refused.body)
			assert.Equal(t, "rate_limited", problem.Code)
			assert.Equal(t, http.StatusTooManyRequests, problem.Status)
			assert.Zero(t, p.flood(t, shop, 2000).status)

			const times = 50
			asked := func(header ...string) int64 {
				before := p.asked.Load()
				for range times {
					require.Equal(t, http.StatusOK, p.get(t, shop, "/api/v1/activities/noon", header...).status)
				}
				return p.asked.Load() - before
			}
			assert.Less(t, asked(), int64(times), "within a second, one answer is for all")
			assert.EqualValues(t, times, asked("Authorization", "Bearer x"))
			assert.EqualValues(t, times, asked("Origin", "https://shop.example"))
		})
	}
}

// A request to an instance that has just been killed goes to the other one, before the next check of its health.
func TestTheProxiesHideAnInstanceThatIsGone(t *testing.T) {
	t.Parallel()
	for name, start := range proxies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, shop := start(t), from(backend)
			p.instances[0].Close()
			for range 4 {
				began := time.Now()
				require.Equal(t, http.StatusOK, p.get(t, shop, "/api/v1/orders").status)
				assert.Less(t, time.Since(began), time.Second, "haproxy waits so long before it asks one again")
			}
			p.instances[1].Close()
			away := p.get(t, shop, "/api/v1/orders")
			assert.Equal(t, http.StatusServiceUnavailable, away.status)
			assert.Equal(t, "application/problem+json", away.header.Get("Content-Type"))
			assert.Equal(t, "1", away.header.Get("Retry-After"))
			var problem struct {
				Code   string `json:"code"`
				Status int    `json:"status"`
			}
			require.NoError(t, json.Unmarshal([]byte(away.body), &problem), away.body)
			assert.NotContains(t, away.body, "urn:onrush:", "onrush doctor would take it for an answer of an instance")
			assert.Equal(t, "unavailable", problem.Code)
			assert.Equal(t, http.StatusServiceUnavailable, problem.Status)
		})
	}
}
