//go:build large

package deploy

import (
	"archive/zip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/servers"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// release is what .ci/release has made in the folder that ONRUSH_TEST_RELEASE names, as .ci/release check sets it.
type release struct{ folder, version string }

func theRelease(t *testing.T) release {
	t.Helper()
	folder := os.Getenv("ONRUSH_TEST_RELEASE")
	if folder == "" {
		t.Skip("ONRUSH_TEST_RELEASE names no release; .ci/release check does")
	}
	archives, err := filepath.Glob(filepath.Join(folder, "onrush_*_linux_amd64.tar.gz"))
	require.NoError(t, err)
	require.Len(t, archives, 1)
	version := strings.TrimPrefix(filepath.Base(archives[0]), "onrush_")
	return release{folder: folder, version: strings.TrimSuffix(version, "_linux_amd64.tar.gz")}
}

// file returns the path of the only file of the release that a pattern matches, where V is the version.
func (r release) file(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(r.folder, strings.ReplaceAll(pattern, "V", r.version)))
	require.NoError(t, err)
	require.Len(t, found, 1, pattern)
	return found[0]
}

// unpacked returns the folder in an archive, unpacked.
func (r release) unpacked(t *testing.T, platform string) string {
	t.Helper()
	name := "onrush_" + r.version + "_" + strings.ReplaceAll(platform, "/", "_")
	dir := t.TempDir()
	if strings.HasPrefix(platform, "windows/") {
		archive, err := zip.OpenReader(filepath.Join(r.folder, name+".zip"))
		require.NoError(t, err)
		require.NoError(t, os.CopyFS(dir, archive))
		require.NoError(t, archive.Close())
	} else {
		run(t, "tar", "-xzf", filepath.Join(r.folder, name+".tar.gz"), "-C", dir)
	}
	return filepath.Join(dir, name)
}

var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

// Each archive has the program for its platform and what stands beside it, and its SBOM lists the modules that the
// program says it was built from.
func TestTheReleasesArchivesAreOfTheirPlatformsAndSBOMs(t *testing.T) {
	t.Parallel()
	r := theRelease(t)
	for _, platform := range platforms {
		folder := r.unpacked(t, platform)
		goos, goarch, _ := strings.Cut(platform, "/")
		program := "onrush"
		if goos == "windows" {
			program += ".exe"
		}
		for _, name := range []string{
			"LICENSE", "README.md", "CHANGELOG.md", "docs/operating/deploy.md", "deploy/systemd/onrush.env",
			"deploy/haproxy/haproxy.cfg", "onrush.1.gz", "completion/onrush.bash",
		} {
			assert.FileExists(t, filepath.Join(folder, name), platform)
		}
		built, err := buildinfo.ReadFile(filepath.Join(folder, program))
		require.NoError(t, err, platform)
		settings := map[string]string{}
		for _, s := range built.Settings {
			settings[s.Key] = s.Value
		}
		assert.Equal(t, []string{goos, goarch, "0", "true"},
			[]string{settings["GOOS"], settings["GOARCH"], settings["CGO_ENABLED"], settings["-trimpath"]}, platform)

		var sbom struct {
			BOMFormat  string
			Components []struct{ Name, Version string }
		}
		text, err := os.ReadFile(r.file(t, "onrush_V_"+goos+"_"+goarch+".cdx.json"))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &sbom))
		assert.Equal(t, "CycloneDX", sbom.BOMFormat)
		modules, listed := []string{"std " + built.GoVersion}, []string{}
		for _, dep := range built.Deps {
			modules = append(modules, dep.Path+" "+dep.Version)
		}
		for _, c := range sbom.Components {
			listed = append(listed, c.Name+" "+c.Version)
		}
		assert.ElementsMatch(t, modules, listed, platform)
	}
}

// Who has only an archive can follow its documents.
func TestTheReleasesDocumentsLeadToFilesOfTheArchive(t *testing.T) {
	t.Parallel()
	requireLinks(t, theRelease(t).unpacked(t, "linux/amd64"))
}

// requireLinks checks that the links of the documents in a folder lead to files of it.
func requireLinks(t *testing.T, folder string) {
	t.Helper()
	link, links := regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`), 0
	require.NoError(t, filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".md" {
			return err
		}
		text, err := os.ReadFile(name)
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(found[1], ":") {
				links++
				if _, err := os.Stat(filepath.Join(filepath.Dir(name), found[1])); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		return err
	}))
	assert.Greater(t, links, 100)
}

func TestTheReleasesChecksumsAreOfAllItsFiles(t *testing.T) {
	t.Parallel()
	r := theRelease(t)
	text, err := os.ReadFile(r.file(t, "checksums.txt"))
	require.NoError(t, err)
	expected := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, name, found := strings.Cut(strings.TrimSpace(line), "  ")
		require.True(t, found, line)
		expected[name] = sum
	}
	entries, err := os.ReadDir(r.folder)
	require.NoError(t, err)
	sums := map[string]string{}
	for _, entry := range entries {
		if entry.Name() != "checksums.txt" {
			content, err := os.ReadFile(filepath.Join(r.folder, entry.Name()))
			require.NoError(t, err)
			sum := sha256.Sum256(content)
			sums[entry.Name()] = hex.EncodeToString(sum[:])
		}
	}
	assert.Equal(t, expected, sums)
	assert.Len(t, sums, 5+5+4+1+1+1, "archives, SBOMs, packages, for npm, a chart, an image")
}

// A newcomer with nothing but an archive starts the program in an empty folder, and it sells.
func TestTheReleasesProgramSells(t *testing.T) {
	t.Parallel()
	r := theRelease(t)
	start := time.Now()
	file := filepath.Join(r.unpacked(t, runtime.GOOS+"/"+runtime.GOARCH), "onrush")
	assert.Regexp(t, "^onrush "+regexp.QuoteMeta(r.version)+" ", run(t, file, "version"))
	sell(t, kit.Run(t, file, loopback(t)...).URL)
	t.Logf("an order in SQL %.1f s after unpacking began", time.Since(start).Seconds())
}

// loopback is the environment of a program on ports of its own.
func loopback(t *testing.T) []string {
	t.Helper()
	return []string{
		fmt.Sprintf("ONRUSH_ADDR=127.0.0.1:%d", kit.FreePort(t)),
		fmt.Sprintf("ONRUSH_METRICS_ADDR=127.0.0.1:%d", kit.FreePort(t)),
	}
}

// sell buys a unit in the demo shop at a URL, and waits until it is in SQL.
func sell(t *testing.T, url string) {
	t.Helper()
	remote := site.Remote(t, url)
	stranger := remote.Stranger()
	require.Equal(t, http.StatusOK, stranger.Call(t, http.MethodGet, "/readyz", "", nil).Status)
	login := site.Read[client.Token](t, http.StatusOK,
		stranger.Call(t, http.MethodPost, "/dev/token", "", map[string]string{"user_id": "alice", "role": "user"}))
	alice := remote.Holder(login.Token)
	sales := alice.ListActivities(t, "").Items
	running := slices.IndexFunc(sales, func(sale client.Activity) bool { return sale.State == "running" })
	require.GreaterOrEqual(t, running, 0, sales)
	placed := alice.Buy(t, sales[running].ActivityID, "course", "first").Placed(t)
	site.Poll(t, alice, "/api/v1/orders", func(orders client.OrderList) bool {
		return len(orders.Items) == 1 && orders.Items[0].OrderNumber == placed.OrderNumber &&
			orders.Items[0].Source == "sql"
	})
}

// The image has a program for each platform, and its own user and command run, sell and stop it in a container of
// buildah.
func TestTheReleasesImageSells(t *testing.T) {
	t.Parallel()
	r := theRelease(t)
	buildah := kit.Tool(t, "buildah")
	layout, err := os.MkdirTemp("", "onrush-image-") // buildah names an image by its path, in lower case
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(layout) })
	store := t.TempDir()
	run(t, "tar", "-xf", r.file(t, "onrush_V_image.tar"), "-C", layout)
	assert.ElementsMatch(t, []string{"linux/amd64", "linux/arm64"}, platformsOf(t, layout))
	storage := []string{"--storage-driver", "vfs", "--root", store + "/root", "--runroot", store + "/run"}
	do := func(args ...string) string { return run(t, buildah, slices.Concat(storage, args)...) }
	const name = "onrush"
	do("from", "--name", name, "oci:"+layout)
	t.Cleanup(func() { _ = exec.Command(buildah, slices.Concat(storage, []string{"rm", name})...).Run() })

	var image struct {
		OCIv1 struct {
			Config struct {
				User            string
				Entrypoint, Cmd []string
			} `json:"config"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(do("inspect", name)), &image))
	config := image.OCIv1.Config
	assert.Equal(t, "65532:65532", config.User)
	env := loopback(t)
	inside := slices.Concat(storage, []string{
		"run", "--isolation", "chroot", "--env", env[0], "--env", env[1], name, "--",
	})
	version := run(t, buildah, slices.Concat(inside, config.Entrypoint, []string{"version"})...)
	assert.Contains(t, version, "onrush "+r.version+" ")

	command := slices.Concat(inside, config.Entrypoint, config.Cmd)
	process, url, err := servers.StartProgram(t.TempDir(), os.Environ(), buildah, command...)
	require.NoError(t, err)
	t.Cleanup(process.Kill)
	run(t, buildah, slices.Concat(inside, config.Entrypoint, []string{"health"})...)
	sell(t, url)
	require.NoError(t, syscall.Kill(processOf(t, command[len(command)-2:], env[0]), syscall.SIGTERM))
	require.Eventually(t, func() bool {
		select {
		case <-process.Ended():
			return true
		default:
			return false
		}
	}, time.Minute, 10*time.Millisecond, process.Tail())
	require.NoError(t, process.Err(), process.Tail())
	assert.Contains(t, process.Tail(), `"msg":"stopping"`)
}

// platformsOf lists the platforms of the images in a layout of OCI, and checks that the layout has all that they name.
func platformsOf(t *testing.T, layout string) (platforms []string) {
	t.Helper()
	type index struct {
		Manifests []struct {
			Digest   string
			Platform *struct{ OS, Architecture string }
		}
	}
	read := func(file string) (i index) {
		text, err := os.ReadFile(filepath.Join(layout, file))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &i))
		return i
	}
	top := read("index.json")
	require.Len(t, top.Manifests, 1)
	for _, m := range read("blobs/" + strings.Replace(top.Manifests[0].Digest, ":", "/", 1)).Manifests {
		assert.FileExists(t, filepath.Join(layout, "blobs", strings.Replace(m.Digest, ":", "/", 1)))
		platforms = append(platforms, m.Platform.OS+"/"+m.Platform.Architecture)
	}
	return platforms
}

// processOf returns the id of the process that runs a command with a variable in its environment.
func processOf(t *testing.T, command []string, variable string) int {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	for _, process := range processes {
		line, _ := os.ReadFile(filepath.Join(process, "cmdline")) // it may have ended meanwhile
		environ, _ := os.ReadFile(filepath.Join(process, "environ"))
		if string(line) == strings.Join(command, "\x00")+"\x00" &&
			slices.Contains(strings.Split(string(environ), "\x00"), variable) {
			pid, err := strconv.Atoi(filepath.Base(process))
			require.NoError(t, err)
			return pid
		}
	}
	require.Fail(t, "no process runs "+strings.Join(command, " "))
	return 0
}

// The package of Debian is installed into a root, keeps what an operator wrote into its settings when it is installed
// again, and leaves nothing but them when it is removed.
func TestTheReleasesDebianPackageInstalls(t *testing.T) {
	t.Parallel()
	r := theRelease(t)
	dpkg, root := kit.Tool(t, "dpkg"), t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg/updates"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg/info"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o600))
	do := func(args ...string) string {
		return run(t, dpkg, append([]string{"--root", root, "--force-script-chrootless"}, args...)...)
	}
	deb := r.file(t, "onrush_*_amd64.deb")
	do("--force-architecture", "--force-depends", "--install", deb)
	assert.Contains(t, do("--listfiles", "onrush"), "/usr/share/man/man1/onrush.1.gz")
	requireLinks(t, filepath.Join(root, "usr/share/doc/onrush"))
	if runtime.GOARCH == "amd64" {
		version := run(t, filepath.Join(root, "usr/bin/onrush"), "version")
		assert.Contains(t, version, "onrush "+r.version+" ")
	}
	unit := filepath.Join(root, "usr/lib/systemd/system/onrush.service")
	verifyUnit(t, unit, filepath.Join(root, "usr/bin/onrush"))

	settings := filepath.Join(root, "etc/onrush/onrush.env")
	info, err := os.Stat(settings)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), info.Mode())
	const written = "ONRUSH_ADDR=127.0.0.1:1\n"
	require.NoError(t, os.WriteFile(settings, []byte(written), 0o600))
	do("--force-architecture", "--force-depends", "--install", deb)
	do("--remove", "onrush")
	kept, err := os.ReadFile(settings)
	require.NoError(t, err)
	assert.Equal(t, written, string(kept))
	assert.NoFileExists(t, filepath.Join(root, "usr/bin/onrush"))
}

// The package of Red Hat has the program, the unit, its settings and what completes commands.
func TestTheReleasesRPMHasItsFiles(t *testing.T) {
	t.Parallel()
	r := theRelease(t)
	rpm := kit.Tool(t, "rpm")
	for _, arch := range []string{"x86_64", "aarch64"} {
		file := r.file(t, "onrush-*."+arch+".rpm")
		assert.ElementsMatch(t, []string{
			"/usr/bin/onrush", "/usr/lib/systemd/system/onrush.service", "/etc/onrush/onrush.env",
			"/usr/share/man/man1/onrush.1.gz", "/usr/share/bash-completion/completions/onrush",
			"/usr/share/zsh/site-functions/_onrush", "/usr/share/fish/vendor_completions.d/onrush.fish",
			"/usr/share/licenses/onrush/LICENSE",
		}, strings.Fields(run(t, rpm, "-qlp", "--nosignature", file)))
		assert.Equal(t, "/etc/onrush/onrush.env", strings.TrimSpace(run(t, rpm, "-qcp", "--nosignature", file)))
		assert.Contains(t, run(t, rpm, "-qp", "--nosignature", "--scripts", file), "systemctl daemon-reload")
	}
}

// The package for npm, installed into an empty folder, buys and pays in Node.
func TestTheReleasesNpmPackageBuys(t *testing.T) {
	t.Parallel()
	r := theRelease(t)
	npm, node, dir := kit.Tool(t, "npm"), kit.Tool(t, "node"), t.TempDir()
	run(t, npm, "install", "--prefix", dir, "--offline", "--no-audit", "--no-fund", r.file(t, "onrush-npm-V.tgz"))
	buyer, err := os.ReadFile("../test/client/testdata/buy.mjs")
	require.NoError(t, err)
	script := filepath.Join(dir, "buy.mjs") // where the package is found by its name
	require.NoError(t, os.WriteFile(script, buyer, 0o600))
	file := filepath.Join(r.unpacked(t, runtime.GOOS+"/"+runtime.GOARCH), "onrush")
	said := runFor(t, 3*time.Minute, node, script, "onrush", kit.Run(t, file, loopback(t)...).URL)
	assert.Contains(t, said, "onrush.js bought and paid order")
}

// The chart of a release runs the image of its version.
func TestTheReleasesChartIsRendered(t *testing.T) {
	t.Parallel()
	r := theRelease(t)
	rendered := run(t, kit.Tool(t, "helm"), "template", "shop", r.file(t, "onrush-chart-V.tgz"), "--set",
		"existingSecret=onrush,image.repository=registry.example/onrush", "--kube-version", "1.31.0")
	assert.Contains(t, rendered, "image: registry.example/onrush:"+r.version)
}
