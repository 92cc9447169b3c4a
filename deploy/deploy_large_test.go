//go:build large

package deploy

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"onrush/test/kit"
)

// run runs a program for at most a minute, and returns what it printed.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	return runFor(t, time.Minute, name, args...)
}

// runFor runs a program with a bound in time, and returns what it printed.
func runFor(t *testing.T, most time.Duration, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	require.NoError(t, err, "%s %s: %s", name, strings.Join(args, " "), out)
	return string(out)
}

// TestTheStaticProgramRunsInABareRoot runs the program as the image does: without a shell and libraries, as nobody, who
// may write only to /data.
func TestTheStaticProgramRunsInABareRoot(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root may change the root")
	}
	root := t.TempDir()
	require.NoError(t, os.Chmod(root, 0o555))
	build := exec.Command("go", "build", "-ldflags=-X onrush/app/release.version=1.2.3",
		"-o", filepath.Join(root, "onrush"), "onrush/app")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	const nobody = 65532
	require.NoError(t, os.Mkdir(filepath.Join(root, "data"), 0o700))
	require.NoError(t, os.Chown(filepath.Join(root, "data"), nobody, nobody))
	require.NoError(t, os.Chmod(filepath.Dir(root), 0o755))

	inRoot := func(args ...string) *exec.Cmd {
		cmd := exec.Command("/onrush", args...)
		cmd.Env = []string{
			fmt.Sprintf("ONRUSH_ADDR=127.0.0.1:%d", kit.FreePort(t)), "ONRUSH_DATA_DIR=/data", "ONRUSH_STOP_DELAY=0s",
		}
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Chroot: root, Credential: &syscall.Credential{Uid: nobody, Gid: nobody}, Pdeathsig: syscall.SIGKILL,
		}
		return cmd
	}
	version, err := inRoot("version").CombinedOutput()
	require.NoError(t, err, string(version))
	assert.Regexp(t, `^onrush 1\.2\.3 `, string(version))

	serve := inRoot("serve")
	var log strings.Builder
	serve.Stdout, serve.Stderr = &log, &log
	require.NoError(t, serve.Start())
	require.Eventually(t, func() bool {
		health := inRoot("health")
		health.Env = serve.Env
		return health.Run() == nil
	}, time.Minute, 100*time.Millisecond)
	require.NoError(t, serve.Process.Signal(syscall.SIGTERM))
	require.NoError(t, serve.Wait(), log.String())
}

func TestTheConfigurationsAreValid(t *testing.T) {
	t.Parallel()
	for name, check := range map[string]func(t *testing.T){
		"haproxy": func(t *testing.T) {
			t.Helper()
			haproxy := kit.Tool(t, "haproxy")
			for _, file := range []string{"haproxy.cfg", "compose.cfg"} {
				run(t, haproxy, "-c", "-f", filepath.Join("haproxy", file))
			}
		},
		"prometheus": func(t *testing.T) {
			t.Helper()
			promtool := kit.Tool(t, "promtool")
			run(t, promtool, "check", "rules", "mixin/alerts.yaml")
			run(t, promtool, "test", "rules", "mixin/alerts_test.yaml")
			dir := t.TempDir()
			for _, file := range []string{"prometheus/prometheus.yml", "mixin/alerts.yaml"} {
				content, err := os.ReadFile(file)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), content, 0o600))
			}
			run(t, promtool, "check", "config", filepath.Join(dir, "prometheus.yml"))
		},
		"nginx": func(t *testing.T) {
			t.Helper()
			nginx := kit.Tool(t, "nginx")
			dir := t.TempDir()
			site, err := filepath.Abs("nginx/onrush.conf")
			require.NoError(t, err)
			const around = "pid %[1]s/pid;\nerror_log %[1]s/log;\nevents {}\nhttp { access_log off; include %[2]s; }\n"
			config := fmt.Sprintf(around, dir, site)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(config), 0o600))
			run(t, nginx, "-t", "-c", filepath.Join(dir, "nginx.conf"))
		},
		"systemd": func(t *testing.T) {
			t.Helper()
			file := verifyUnit(t, "systemd/onrush.service", "/bin/true") // a program that is there
			run(t, kit.Tool(t, "systemd-analyze"), "security", "--offline=true", "--threshold=20", file)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t)
		})
	}
}

// verifyUnit lets systemd check a unit with another program in the place of its own, and returns the unit's file.
func verifyUnit(t *testing.T, unit, program string) string {
	t.Helper()
	analyze := kit.Tool(t, "systemd-analyze")
	text, err := os.ReadFile(unit)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "onrush.service")
	startable := strings.ReplaceAll(string(text), "/usr/bin/onrush", program)
	require.NoError(t, os.WriteFile(file, []byte(startable), 0o600))
	run(t, analyze, "verify", "--man=no", file)
	return file
}

func TestTheComposeFileFollowsItsSchema(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../compose.yaml")
	require.NoError(t, err)
	var file map[string]any
	require.NoError(t, yaml.Unmarshal(raw, &file))
	delete(file, "x-onrush")
	require.NoError(t, schema.Validate(file))
	services, ok := file["services"].(map[string]any)
	require.True(t, ok)
	assert.Len(t, services, 7)
	services["redis"].(map[string]any)["command"] = 7
	require.Error(t, schema.Validate(file), "the schema refuses an invalid value")
}

// requireSchemaJob renders the job of the schema, which must find the site of a Redis by its prefix, too, and the
// instances without it, which change the tables before they listen.
func requireSchemaJob(t *testing.T, helm string) {
	t.Helper()
	template := func(more ...string) string {
		args := []string{
			"template", "shop", "helm/onrush", "--kube-version", "1.31.0", "--set", "existingSecret=onrush",
		}
		return run(t, helm, append(args, more...)...)
	}
	const job = "templates/schema-job.yaml"
	of := template("--show-only", job)
	for _, setting := range []string{"ONRUSH_MYSQL_DSN", "ONRUSH_REDIS_URL", "ONRUSH_REDIS_PREFIX"} {
		assert.Contains(t, of, "key: "+setting, "of the secret")
	}
	assert.Regexp(t, `name: ONRUSH_REDIS_PREFIX\s+value: "shop-2"`,
		template("--show-only", job, "--set", "env.ONRUSH_REDIS_PREFIX=shop-2"))
	assert.Contains(t, template("--set", "schemaJob=false"), "failureThreshold: 3600}")
}

// TestTheChartIsRendered renders the chart with all of its parts, where helm is installed; .ci/release check brings it.
func TestTheChartIsRendered(t *testing.T) {
	t.Parallel()
	helm, err := exec.LookPath("helm")
	if err != nil {
		t.Skip("helm is not installed")
	}
	all := []string{
		"--set", "existingSecret=onrush,serviceMonitor.enabled=true,prometheusRule.enabled=true,ingress.enabled=true",
		"--set", "autoscaling.queueAgeSeconds=10,schemaJob=true,imagePullSecrets[0].name=registry",
		"--set", "volumes[0].name=tls,volumes[0].secret.secretName=ca,volumeMounts[0].name=tls," +
			"volumeMounts[0].mountPath=/etc/onrush",
		"--set", "podAnnotations.team=shop,schemaResources.limits.memory=99Mi",
		"--set", "prometheusRule.docs=https://docs.example/,prometheusRule.labels.release=watch",
		"--set", "serviceMonitor.labels.release=watch,dashboard.enabled=true",
		"--set", "networkPolicy.enabled=true,networkPolicy.metricsFrom[0].podSelector.matchLabels.app=prometheus",
		"--set", "networkPolicy.egress[0].ports[0].port=3306",
	}
	run(t, helm, append([]string{"lint", "helm/onrush"}, all...)...)
	rendered := run(t, helm, append([]string{"template", "shop", "helm/onrush", "--kube-version", "1.31.0"}, all...)...)
	kinds := map[string]int{}
	decoder := yaml.NewDecoder(strings.NewReader(rendered))
	for {
		var object struct{ Kind string }
		if decoder.Decode(&object) != nil {
			break
		}
		kinds[object.Kind]++
	}
	assert.Equal(t, map[string]int{
		"Deployment": 1, "Job": 1, "Service": 3, "PodDisruptionBudget": 1, "HorizontalPodAutoscaler": 1, "Ingress": 1,
		"ServiceMonitor": 1, "PrometheusRule": 1, "NetworkPolicy": 1, "ConfigMap": 1,
	}, kinds)
	for text, times := range map[string]int{
		"team: shop": 2, "release: watch": 2, `grafana_dashboard: "1"`: 1,
		"memory: 99Mi": 1, "topologyKey: topology.kubernetes.io/zone": 1,
		"policyTypes: [Ingress, Egress]": 1, "port: metrics}]": 1, "app: prometheus": 1, "{port: admin}": 0,
		"runbook_url: https://docs.example/docs/operating/alerts.md#dead-entries": 1, "onrush.example": 0,
	} {
		assert.Equal(t, times, strings.Count(rendered, text), text)
	}
	assert.Contains(t, rendered, "OnrushQueueStuck")
	// The instances and the job of the schema are both pods that must start beside a service called onrush, from a
	// registry with a login, and that read the same authorities.
	for _, both := range []string{
		"enableServiceLinks: false", "- name: registry", "secretName: ca", "mountPath: /etc/onrush",
	} {
		assert.Equal(t, 2, strings.Count(rendered, both), both)
	}
	assert.Contains(t, rendered, "failureThreshold: 60}", "the job has changed the tables")
	requireSchemaJob(t, helm)
	// As docs/operating/deploy.md says.
	restore := run(t, helm, append([]string{
		"template", "shop", "helm/onrush", "--kube-version", "1.31.0", "--set", "restore=true", "--show-only",
		"templates/restore.yaml",
	}, all...)...)
	for _, has := range []string{
		"args: [restore]", "runAsNonRoot: true", "readOnlyRootFilesystem: true", "- name: registry", "secretName: ca",
		"secretRef: {name: onrush}",
	} {
		assert.Equal(t, 1, strings.Count(restore, has), has)
	}
	refused, err := exec.Command(helm, "template", "shop", "helm/onrush", "--kube-version", "1.31.0").CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(refused), "existingSecret is required")
}
