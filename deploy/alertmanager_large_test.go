//go:build large

package deploy

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/deploy/mixin"
	"onrush/test/kit"
)

// routeBlock is the route and the inhibitions of Alertmanager in docs/operating/alerts.md.
var routeBlock = regexp.MustCompile("(?ms)^```yaml\n(route:\n.*?)^```$")

// page is a notification that Alertmanager sends.
type page struct {
	Group  map[string]string `json:"groupLabels"`
	Alerts []struct {
		Labels map[string]string `json:"labels"`
	} `json:"alerts"`
}

// A store that is away is one page for all instances, and none for its consequences, with the route that the page of
// the alerts shows.
func TestTheRouteOfTheAlertsSendsOnePageForAllInstances(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/operating/alerts.md")
	require.NoError(t, err)
	block := routeBlock.FindSubmatch(text)
	require.NotNil(t, block)
	route := strings.Replace(string(block[1]), "route:\n", "route:\n  receiver: nobody\n", 1)
	route = strings.Replace(route, "group_wait: 10s", "group_wait: 1s", 1)
	require.Contains(t, route, "group_wait: 1s")

	pages, tickets := make(chan page, 10), make(chan page, 10)
	receivers := "receivers:\n  - name: nobody\n"
	for name, sent := range map[string]chan page{"oncall": pages, "tickets": tickets} {
		hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			var p page
			if assert.NoError(t, json.NewDecoder(r.Body).Decode(&p)) {
				sent <- p
			}
		}))
		defer hook.Close()
		receivers += fmt.Sprintf("  - name: %s\n    webhook_configs: [{url: %s}]\n", name, hook.URL)
	}
	manager := startAlertmanager(t, route+"\n"+receivers)

	var alerts [][4]string
	for _, of := range [][2]string{{"sql", "a"}, {"sql", "b"}, {"sql", "c"}, {"redis", "a"}} {
		alerts = append(alerts, [4]string{"OnrushStoreDown", "onrush", "page", of[0] + " " + of[1]})
	}
	for _, consequence := range []string{
		"OnrushSaleErrors", "OnrushSaleSlow", "OnrushErrorsBurnFast", "OnrushErrorsBurnSlowly", "OnrushQueueStuck",
		"OnrushRedisReplicasLacking", "OnrushJobStands", "OnrushCopyOld", "OnrushPoolExhausted",
	} {
		alerts = append(alerts, [4]string{consequence, "onrush", "page"})
	}
	sendAlerts(t, manager, append(alerts, [][4]string{
		{"OnrushVouchersWait", "onrush", "ticket"}, {"OnrushSaleErrors", "onrush-2", "page"}, // of another cause
		{"OnrushDown", "onrush-3", "page"}, {"OnrushGone", "onrush-3", "page"}, {"Watchdog"},
	}...))

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	instances := map[string]int{} // in the one page of an alert, or of a store
	for range 4 {
		select {
		case p := <-pages:
			of := cmp.Or(p.Group["store"], p.Group["alertname"]+" "+p.Group["job"])
			require.NotContains(t, instances, of, "a second page of %s", of)
			instances[of] = len(p.Alerts)
		case <-ctx.Done():
			require.Fail(t, "no page", "pages of %v were sent", instances)
		}
	}
	assert.Equal(t,
		map[string]int{"sql": 3, "redis": 1, "OnrushSaleErrors onrush-2": 1, "OnrushGone onrush-3": 1}, instances)
	assert.Empty(t, pages)
	select {
	case p := <-tickets:
		assert.Equal(t, "OnrushVouchersWait", p.Group["alertname"])
	case <-ctx.Done():
		assert.Fail(t, "no ticket")
	}
}

// sendAlerts sends firing alerts, each of a name, a job, a severity, and "store instance" if it has these.
func sendAlerts(t *testing.T, manager string, alerts [][4]string) {
	t.Helper()
	known := map[string]bool{"Watchdog": true}
	for _, r := range mixin.Rules(1) {
		known[r.Name] = true
	}
	var sent []map[string]any
	for _, a := range alerts {
		require.True(t, known[a[0]], a[0])
		store, instance, _ := strings.Cut(a[3], " ")
		sent = append(sent, map[string]any{"labels": map[string]string{
			"alertname": a[0], "job": a[1], "severity": a[2], "store": store, "instance": instance,
		}})
	}
	body, err := json.Marshal(sent)
	require.NoError(t, err)
	res, err := http.Post(manager+"/api/v2/alerts", "application/json", strings.NewReader(string(body)))
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode)
}

// startAlertmanager runs Alertmanager with a configuration until the test ends, and returns its URL.
func startAlertmanager(t *testing.T, config string) (url string) {
	t.Helper()
	dir, port := t.TempDir(), kit.FreePort(t)
	file := filepath.Join(dir, "alertmanager.yml")
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	url = fmt.Sprintf("http://127.0.0.1:%d", port)
	kit.RunTool(t, dir, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/-/ready", http.NoBody)
		if err != nil {
			return err
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		return res.Body.Close()
	}, kit.Tool(t, "prometheus-alertmanager"), "--config.file="+file, "--storage.path="+filepath.Join(dir, "data"),
		"--cluster.listen-address=", fmt.Sprintf("--web.listen-address=127.0.0.1:%d", port))
	return url
}
