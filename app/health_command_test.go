package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHealthFailsUnlessTheInstanceIsReady(t *testing.T) {
	t.Parallel()
	all := &commands{unit: filepath.Join(t.TempDir(), "onrush.env")}
	for status, body := range map[int]string{
		http.StatusOK:                 `{"status":"degraded","unavailable":["sql"]}`,
		http.StatusServiceUnavailable: `{"status":"stopping","unavailable":[]}`,
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/livez" {
				_, _ = w.Write([]byte(`{"status":"ok"}`))
				return
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		defer s.Close()
		var out strings.Builder
		ready := healthCommand{Addr: strings.TrimPrefix(s.URL, "http://")}
		err := ready.Run(t.Context(), all, &out)
		if status == http.StatusOK {
			require.NoError(t, err)
			assert.Equal(t, "degraded sql\n", out.String())
		} else {
			require.ErrorContains(t, err, "not ready: stopping")
		}
		live := healthCommand{Addr: ready.Addr, Live: true}
		require.NoError(t, live.Run(t.Context(), all, &out))
		s.Close()
		err = ready.Run(t.Context(), all, &out)
		require.ErrorContains(t, err, "doesn't answer")
		assert.NotContains(t, err.Error(), "--env-file")
	}
	for addr, want := range map[string]string{
		":8080": "http://127.0.0.1:8080/readyz", "0.0.0.0:80": "http://127.0.0.1:80/readyz",
		"[::]:80": "http://127.0.0.1:80/readyz", "10.0.0.1:80": "http://10.0.0.1:80/readyz",
	} {
		url, err := (&healthCommand{Addr: addr}).url()
		require.NoError(t, err)
		assert.Equal(t, want, url)
	}
}

// A command that nobody gave the settings of the machine's unit doesn't pass off what it finds without them as the
// instance's.
func TestHealthAndDoctorAskForTheSettingsOfTheMachine(t *testing.T) {
	t.Parallel()
	unit := filepath.Join(t.TempDir(), "onrush.env")
	require.NoError(t, os.WriteFile(unit, nil, 0o600))
	for name, of := range map[string]struct {
		all      commands
		forgiven bool
	}{
		"forgotten":   {commands{unit: unit}, false},
		"named":       {commands{unit: unit, EnvFile: unit}, true},
		"no unit":     {commands{unit: unit + "-"}, true},
		"another one": {commands{unit: unit, EnvFile: "mine.env"}, true},
	} {
		var out strings.Builder
		err := (&healthCommand{Addr: "127.0.0.1:1"}).Run(t.Context(), &of.all, &out)
		require.ErrorContains(t, err, "doesn't answer", name)
		assert.NotEqual(t, of.forgiven, strings.Contains(err.Error(), "add --env-file "+unit), "%s: %s", name, err)

		parser, err := newParser(&of.all)
		require.NoError(t, err)
		for _, args := range [][]string{{"doctor"}, {"doctor", "--data-dir", t.TempDir()}} {
			doctor, err := parser.Parse(append(args, "--env-file="+of.all.EnvFile))
			require.NoError(t, err)
			err = of.all.Doctor.Run(t.Context(), &of.all, doctor, &out)
			if of.forgiven || len(args) > 1 {
				require.NoError(t, err, name)
				continue
			}
			require.EqualError(t, err, "which settings? the settings of this machine are in "+unit+
				": add --env-file "+unit)
		}
	}
}
