package deploy

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"onrush/test/kit"
)

// packaged is what packages/nfpm.yaml says.
type packaged struct {
	Contents []struct{ Src, Dst, Type, Packager string }
	Scripts  map[string]string
}

// stub makes a package for Debian as nfpm.yaml says, with its scripts and, in place of each file and folder, a line of
// the version.
func stub(t *testing.T, version string) (deb string) {
	t.Helper()
	text, err := os.ReadFile("packages/nfpm.yaml")
	require.NoError(t, err)
	var p packaged
	require.NoError(t, yaml.Unmarshal(text, &p))
	require.NotEmpty(t, p.Contents)
	dir := t.TempDir()
	write := func(name, text string, mode fs.FileMode) {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), mode))
	}
	settings := ""
	for _, c := range p.Contents {
		if c.Packager == "rpm" {
			continue
		}
		write(c.Dst, "# of version "+version+"\n", 0o644)
		if strings.HasPrefix(c.Type, "config") {
			settings += c.Dst + "\n"
		}
	}
	control := "Package: onrush\nVersion: " + version + "\nArchitecture: all\nMaintainer: nobody\nDescription: a stub\n"
	write("DEBIAN/control", control, 0o644)
	write("DEBIAN/conffiles", settings, 0o644)
	for script, name := range map[string]string{
		"postinstall": "postinst", "preremove": "prerm", "postremove": "postrm",
	} {
		text, err := os.ReadFile(p.Scripts[script])
		require.NoError(t, err, script)
		write("DEBIAN/"+name, string(text), 0o755)
	}
	deb = filepath.Join(t.TempDir(), version+".deb")
	out, err := exec.CommandContext(t.Context(), kit.Tool(t, "dpkg-deb"), "--build", dir, deb).CombinedOutput()
	require.NoError(t, err, string(out))
	return deb
}

// Nobody answers questions of dpkg during the upgrade of a fleet: an upgrade to a version with other settings keeps
// those that an operator wrote, and asks nothing.
func TestAnUpgradeOfDebiansPackageKeepsTheSettingsAndAsksNothing(t *testing.T) {
	t.Parallel()
	dpkg, root := kit.Tool(t, "dpkg"), t.TempDir()
	if os.Getuid() != 0 {
		t.Skip("only root may install packages")
	}
	require.NoError(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg/updates"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg/info"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o600))
	do := func(args ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, dpkg, append([]string{"--root", root, "--force-script-chrootless"}, args...)...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive") // its standard input is /dev/null
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%v: %s", args, out)
	}
	settings := filepath.Join(root, "etc/onrush/onrush.env")
	do("--install", stub(t, "1.0.0"))
	first, err := os.ReadFile(settings)
	require.NoError(t, err)
	assert.Equal(t, "# of version 1.0.0\n", string(first))
	info, err := os.Stat(settings)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), info.Mode())

	const written = "ONRUSH_ADDR=127.0.0.1:1\n"
	require.NoError(t, os.WriteFile(settings, []byte(written), 0o600))
	do("--install", stub(t, "1.1.0"))
	program, err := os.ReadFile(filepath.Join(root, "usr/bin/onrush"))
	require.NoError(t, err)
	assert.Equal(t, "# of version 1.1.0\n", string(program))
	do("--remove", "onrush")
	kept, err := os.ReadFile(settings)
	require.NoError(t, err)
	assert.Equal(t, written, string(kept))
	do("--purge", "onrush")
	assert.NoFileExists(t, settings)
}
