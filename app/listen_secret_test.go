package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

// signedWith starts the command and returns the secret and the file that it prints.
func signedWith(t *testing.T, env []string, args ...string) (secret, file string) {
	t.Helper()
	args = append([]string{"listen", "--addr=http://127.0.0.1:1", "--forward-to=http://127.0.0.1:1"}, args...)
	cmd := exec.CommandContext(t.Context(), built, args...)
	cmd.Env, cmd.Dir = env, t.TempDir()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, _ := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	said := regexp.MustCompile(`^Each request is signed with the secret (\S+?)(?:, kept in (\S+))?\n$`).
		FindStringSubmatch(line)
	require.NotNil(t, said, line)
	assert.True(t, isSigningSecret(said[1]), said[1])
	return said[1], said[2]
}

func TestListenKeepsItsSecretInAFileOfItsUser(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "config")
	env := []string{"XDG_CONFIG_HOME=" + config}
	kept := make([]string, 8)
	for i, secret := range kit.AtOnce(len(kept), func(int) string {
		secret, _ := signedWith(t, env)
		return secret
	}) {
		kept[i] = secret
	}
	secret, file := signedWith(t, env)
	assert.Equal(t, filepath.Join(config, "onrush", "listen-secret"), file)
	for _, s := range kept {
		assert.Equal(t, secret, s, "the first starts at once have the same secret")
	}
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	others, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	assert.Len(t, others, 1, "nothing else is left")

	named := filepath.Join(t.TempDir(), "secret")
	first, file := signedWith(t, env, "--secret-file="+named)
	assert.NotEqual(t, secret, first)
	assert.Equal(t, named, file)
	again, _ := signedWith(t, env, "--secret-file="+named)
	assert.Equal(t, first, again)
	given, file := signedWith(t, append(env, "ONRUSH_LISTEN_SECRET="+first))
	assert.Equal(t, first, given)
	assert.Empty(t, file)
	given, _ = signedWith(t, append(env, "ONRUSH_LISTEN_SECRET_FILE="+named))
	assert.Equal(t, first, given)
	homeless, file := signedWith(t, []string{})
	assert.NotEqual(t, secret, homeless)
	assert.Empty(t, file)
}

func TestListenRefusesWhatIsNoSecret(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte("whsec_c2hvcnQ=\n"), 0o600))
	for want, args := range map[string][]string{
		"--secret must be whsec_":            {"--secret=hunter2"},
		file + " must have whsec_":           {"--secret-file=" + file},
		"can't be used together":             {"--secret-file=" + file, "--secret=hunter2"},
		"keep the secret: open /no/.listen-": {"--secret-file=/no/secret"},
	} {
		all := append([]string{"listen", "--forward-to=http://127.0.0.1:1"}, args...)
		out, logged, code := run(t, []string{}, all...)
		assert.NotZero(t, code, want)
		assert.Contains(t, logged, want)
		assert.NotContains(t, out+logged, "hunter2")
	}
}
