//go:build large

package faults

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// balancer is the configuration of haproxy before two instances; deploy/haproxy has the configuration for a shop.
const balancer = `
defaults
  mode http
  retries 0
  timeout connect 2s
  timeout client 30s
  timeout server 30s
  option httpchk GET /readyz
  timeout check 5s
  default-server check inter 300ms fall 2 rise 1
listen onrush
  bind 127.0.0.1:%d
  stats uri /haproxy
  server a 127.0.0.1:%d
  server b 127.0.0.1:%d
`

// rolling are two instances that are replaced while others answer.
type rolling struct {
	env   []string
	file  string
	ports [2]int
	runs  [2]*kit.Program
}

func (r *rolling) start(t *testing.T, i int) {
	t.Helper()
	env := append(site.Env(), fmt.Sprintf("ONRUSH_ADDR=127.0.0.1:%d", r.ports[i]), "ONRUSH_LOG=warn",
		"ONRUSH_STOP_DELAY=3s", "ONRUSH_LIMITS=off")
	r.runs[i] = kit.Run(t, r.file, append(env, r.env...)...)
}

// up matches a server that haproxy uses, in its statistics.
var up = regexp.MustCompile(`(?m)^onrush,[ab],.*,UP,`)

func bothUp(through *site.Site) bool {
	a := through.Stranger().Ask(http.MethodGet, "/haproxy;csv", "", nil)
	return len(up.FindAll(a.Body, -1)) == 2
}

// calls count requests.
type calls struct{ answered, failed atomic.Int64 }

// expect counts an answer, which must have a status.
func (c *calls) expect(t *testing.T, a site.Answer, status int) bool {
	c.answered.Add(1)
	if a.Status != status {
		c.failed.Add(1)
		t.Logf("expected %d, got %d: %s", status, a.Status, a.Body)
	}
	return a.Status == status
}

// visit reads what a buyer reads, and buys a unit.
func (c *calls) visit(t *testing.T, buyer *site.Person, activity, key string) {
	for range 3 {
		c.expect(t, buyer.Ask(http.MethodGet, "/api/v1/orders?page_size=5", "", nil), http.StatusOK)
		c.expect(t, buyer.Ask(http.MethodGet, "/api/v1/activities/"+activity, "", nil), http.StatusOK)
	}
	path := buyer.Ask(http.MethodPost, "/api/v1/seckill/path", "",
		map[string]string{"activity_id": activity, "sku_id": "sku"})
	if c.expect(t, path, http.StatusOK) {
		c.expect(t, buyer.Ask(http.MethodPost, fmt.Sprintf("/api/v1/seckill/%s/submit", path.JSON(t)["path"]), key,
			map[string]any{"quantity": 1}), http.StatusAccepted)
	}
}

// TestRollingUpgradeBehindAHaproxyFailsNoRequest replaces both of two instances twice while 10,000 requests pass a real
// haproxy, which sees by /readyz which of them it may use.
func TestRollingUpgradeBehindAHaproxyFailsNoRequest(t *testing.T) {
	t.Parallel()
	skipInShort(t)
	haproxy := kit.Tool(t, "haproxy")
	p, _ := newProgram(t)
	file, err := binary()
	require.NoError(t, err)
	r := &rolling{env: p.env, file: file, ports: [2]int{kit.FreePort(t), kit.FreePort(t)}}
	r.start(t, 0)
	r.start(t, 1)
	dir, front := t.TempDir(), kit.FreePort(t)
	config := filepath.Join(dir, "haproxy.cfg")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, balancer, front, r.ports[0], r.ports[1]), 0o600))
	through := site.Remote(t, fmt.Sprintf("http://127.0.0.1:%d", front))
	kit.RunTool(t, dir, func(context.Context) error {
		a := through.Stranger().Ask(http.MethodGet, "/livez", "", nil) //nolint:contextcheck // it has a deadline
		if a.Status != http.StatusOK {
			return fmt.Errorf("it answers %d", a.Status)
		}
		return nil
	}, haproxy, "-f", config, "-db")

	activity := p.inspector.Open(t, site.Sale{Stock: map[string]int64{"0": 100_000}})
	var c calls
	stop := make(chan struct{})
	var buyers sync.WaitGroup
	for b := range 8 {
		buyer := p.inspector.Buyer(t, fmt.Sprint("buyer-", b)).At(through)
		buyers.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
					c.visit(t, buyer, activity, fmt.Sprint("key-", n))
				}
			}
		})
	}
	for range 2 {
		for i := range r.runs {
			before := c.answered.Load()
			require.NoError(t, r.runs[i].Terminate(t, patience), "the graceful stop")
			r.start(t, i)
			until(t, func() bool { // the other one does not leave before
				return bothUp(through) && c.answered.Load() > before+2500
			})
		}
	}
	until(t, func() bool { return c.answered.Load() >= 10_000 })
	close(stop)
	buyers.Wait()
	assert.Zero(t, c.failed.Load(), "of %d requests", c.answered.Load())
	t.Logf("%d requests, %d failed", c.answered.Load(), c.failed.Load())
}
