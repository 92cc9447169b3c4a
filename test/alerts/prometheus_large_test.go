//go:build large

package alerts

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/deploy/mixin"
	"onrush/test/kit"
	"onrush/test/site"
)

// speed makes seconds of the minutes in the rules.
const speed = 60

// monitor is a Prometheus that watches sites by the rules of the mixin, each as a job of its own.
type monitor struct {
	url     string
	targets string // the file of the sites

	mu      sync.Mutex
	watched map[string]any // by job
}

func newMonitor(t *testing.T) *monitor {
	t.Helper()
	dir, port := t.TempDir(), kit.FreePort(t)
	m := &monitor{
		url:     fmt.Sprintf("http://127.0.0.1:%d", port),
		targets: filepath.Join(dir, "targets.json"), watched: map[string]any{},
	}
	rules, err := mixin.Alerts(speed, mixin.Docs)
	require.NoError(t, err)
	const config = `
global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
rule_files: [alerts.yaml]
scrape_configs:
  - job_name: onrush
    file_sd_configs: [{files: [targets.json], refresh_interval: 1s}]
`
	for name, content := range map[string]string{
		"prometheus.yml": config, "alerts.yaml": string(rules), "targets.json": "[]",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	kit.RunTool(t, dir, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, m.url+"/-/ready", http.NoBody)
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		if answer.StatusCode != http.StatusOK {
			err = fmt.Errorf("it answers %s", answer.Status)
		}
		_ = answer.Body.Close()
		return err
	}, kit.Tool(t, "prometheus"), "--config.file=prometheus.yml", "--storage.tsdb.path=data",
		fmt.Sprintf("--web.listen-address=127.0.0.1:%d", port))
	return m
}

// watch scrapes a site as the job onrush-<name>, and returns after the first scrape: Prometheus takes up to 5 seconds
// to see a new target. unwatch ends it.
func (m *monitor) watch(t *testing.T, name string, s *site.Site) (unwatch func()) {
	t.Helper()
	m.watchAddr(t, name, s.MetricsAddr(t))
	m.requireScraped(t, name)
	return func() { m.change(t, func() { delete(m.watched, "onrush-"+name) }) }
}

// watchAddr scrapes an address as the job onrush-<name>.
func (m *monitor) watchAddr(t *testing.T, name, addr string) {
	t.Helper()
	job := "onrush-" + name
	m.change(t, func() {
		m.watched[job] = map[string]any{"targets": []string{addr}, "labels": map[string]string{"job": job}}
	})
}

// requireScraped waits until Prometheus has read metrics of a site.
func (m *monitor) requireScraped(t *testing.T, name string) {
	t.Helper()
	scraped := func() bool { return m.query(t, fmt.Sprintf("up{job=%q} == 1", "onrush-"+name)) > 0 }
	require.Eventually(t, scraped, time.Minute, 100*time.Millisecond)
}

// change changes the watched values, and tells Prometheus.
func (m *monitor) change(t *testing.T, watched func()) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	watched()
	content, err := json.Marshal(slices.Collect(maps.Values(m.watched)))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(m.targets+".new", content, 0o600))
	require.NoError(t, os.Rename(m.targets+".new", m.targets))
}

// get reads an answer of the API of Prometheus.
func get[T any](t assert.TestingT, m *monitor, path string) (data T) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, m.url+"/api/v1/"+path, http.NoBody)
	if !assert.NoError(t, err) { //nolint:testifylint // a CollectT goes on
		return data
	}
	answer, err := http.DefaultClient.Do(req)
	if !assert.NoError(t, err) { //nolint:testifylint // a CollectT goes on
		return data
	}
	defer func() { _ = answer.Body.Close() }()
	var body struct {
		Status, Error string
		Data          T
	}
	assert.NoError(t, json.NewDecoder(answer.Body).Decode(&body)) //nolint:testifylint // a CollectT goes on
	assert.Equal(t, "success", body.Status, body.Error)
	return body.Data
}

// firing returns the alerts that fire for a job.
func (m *monitor) firing(t assert.TestingT, name string) (alerts []string) {
	data := get[struct {
		Alerts []struct {
			Labels map[string]string
			State  string
		}
	}](t, m, "alerts")
	for _, a := range data.Alerts {
		if a.State == "firing" && a.Labels["job"] == "onrush-"+name {
			alerts = append(alerts, a.Labels["alertname"])
		}
	}
	return alerts
}

// requireFiring waits until alerts fire for a job.
func (m *monitor) requireFiring(t *testing.T, name string, want ...string) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.Subset(c, m.firing(c, name), want)
	}, 3*time.Minute, time.Second)
}

// query evaluates an expression and returns how many results it has.
func (m *monitor) query(t *testing.T, expr string) (results int) {
	t.Helper()
	data := get[struct{ Result []json.RawMessage }](t, m, "query?query="+url.QueryEscape(expr))
	return len(data.Result)
}
