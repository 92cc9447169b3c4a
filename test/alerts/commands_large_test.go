//go:build large

package alerts

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// shell carries out the commands of alerts as a machine with an instance does: it has the program, and a journalctl
// that prints the journal of the site.
type shell struct{ bin string }

func newShell(t *testing.T) *shell {
	t.Helper()
	bin := t.TempDir()
	program, err := kit.Build(bin, "onrush/app")
	require.NoError(t, err)
	require.NoError(t, os.Rename(program, filepath.Join(bin, "onrush")))
	const journalctl = "#!/bin/sh\ncat \"$JOURNAL\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "journalctl"), []byte(journalctl),
		0o700))
	return &shell{bin}
}

// journals are the logs of the sites that are journaled, by the name of their test.
var journals sync.Map

// journaled keeps the log of a site for the commands of its alerts.
func journaled(t *testing.T) site.Option {
	t.Helper()
	said := &kit.Output{}
	journals.Store(t.Name(), said)
	return site.Log(slog.New(slog.NewTextHandler(said, nil)))
}

// run carries out a command on the machine of a site, and returns what it printed. Its exit code says little: doctor
// fails if it finds something.
func (sh *shell) run(t *testing.T, s *site.Site, command string) string {
	t.Helper()
	dir := t.TempDir()
	settings := filepath.Join(dir, "onrush.env")
	secret := strings.Repeat("s", 32)
	env := []string{
		"ONRUSH_REDIS_URL=" + s.Stores.RedisURL, "ONRUSH_MYSQL_DSN=" + s.Stores.MySQLDSN,
		"ONRUSH_REDIS_PREFIX=" + s.Stores.Keys.Prefix, "ONRUSH_JWT_SECRET=" + secret, "ONRUSH_PATH_SECRET=" + secret,
		"ONRUSH_REDIS_REPLICAS=1", "ONRUSH_SQL_CONNECTIONS=8",
	}
	require.NoError(t, os.WriteFile(settings, []byte(strings.Join(env, "\n")+"\n"), 0o600))
	journal := filepath.Join(dir, "journal")
	if said, ok := journals.Load(t.Name()); ok {
		require.NoError(t, os.WriteFile(journal, []byte(fmt.Sprint(said)), 0o600))
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c",
		strings.ReplaceAll(command, "/etc/onrush/onrush.env", settings))
	cmd.Env = []string{
		"PATH=" + sh.bin + ":" + os.Getenv("PATH"), "JOURNAL=" + journal,
		"ONRUSH_URL=" + s.URL, "ONRUSH_TOKEN=" + s.Operator(t).Token(),
	}
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// command returns the command of an alert that fires for a job.
func (m *monitor) command(t *testing.T, name, alert string) string {
	t.Helper()
	data := get[struct {
		Alerts []struct{ Labels, Annotations map[string]string }
	}](t, m, "alerts")
	for _, a := range data.Alerts {
		if a.Labels["job"] == "onrush-"+name && a.Labels["alertname"] == alert {
			return a.Annotations["command"]
		}
	}
	assert.Fail(t, "the alert has ended", alert)
	return ""
}

// restarts ends a program again and again.
func restarts(t *testing.T, m *monitor, sh *shell) {
	t.Helper()
	addr := fmt.Sprintf("127.0.0.1:%d", kit.FreePort(t))
	m.watchAddr(t, "restarts", addr)
	for range 4 {
		p := kit.Run(t, filepath.Join(sh.bin, "onrush"), "ONRUSH_METRICS_ADDR="+addr, "ONRUSH_ADDR=127.0.0.1:0")
		began := time.Now().Unix() - 1
		require.Eventually(t, func() bool {
			return m.query(t, fmt.Sprintf(`process_start_time_seconds{job="onrush-restarts"} > %d - 5`, began)) > 0 &&
				m.query(t, `up{job="onrush-restarts"} == 1`) > 0
		}, time.Minute, 100*time.Millisecond)
		time.Sleep(1500 * time.Millisecond) //nolint:forbidigo // it is scraped
		p.Kill(t)
	}
	m.requireFiring(t, "restarts", "OnrushRestarts")
}
