package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/setting"
)

// parseWith parses "serve" with environment variables that only the files of secrets see.
func parseWith(t *testing.T, environment map[string]string) (commands, error) {
	t.Helper()
	var cmd commands
	parser, err := kong.New(&cmd, append(setting.Mappers(), kong.Resolvers(setting.Files(
		func(name string) (string, bool) {
			value, found := environment[name]
			return value, found
		})))...)
	require.NoError(t, err)
	_, err = parser.Parse([]string{"serve"})
	return cmd, err
}

func TestSecretsComeFromFiles(t *testing.T) {
	t.Parallel()
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "secret")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	cmd, err := parseWith(t, map[string]string{
		"ONRUSH_JWT_SECRET_FILE":           file("a secret with = and spaces, \n"),
		"ONRUSH_MYSQL_DSN_FILE":            file("\ufeffu:p@/db\r\n") + "\n",
		"ONRUSH_STRIPE_SECRET_KEY_FILE":    file("\tsk\n\n"),
		"ONRUSH_WECHAT_PLATFORM_KEYS_FILE": file("1=a\nb;\n2=b=c\n"),
		"ONRUSH_PATH_SECRET_FILE":          "",
		"ONRUSH_JWT_SECRET":                " ",
	})
	require.NoError(t, err)
	assert.Equal(t, "a secret with = and spaces,", cmd.Serve.JWTSecret)
	assert.Equal(t, "u:p@/db", cmd.Serve.MySQLDSN)
	assert.Equal(t, "sk", cmd.Serve.Stripe.SecretKey)
	assert.Equal(t, map[string]string{"1": "a\nb", "2": "b=c"}, cmd.Serve.Wechat.PlatformKeys)
	assert.Empty(t, cmd.Serve.PathSecret)

	for name, environment := range map[string]map[string]string{
		"ONRUSH_JWT_SECRET and ONRUSH_JWT_SECRET_FILE are both set": {
			"ONRUSH_JWT_SECRET": "hidden", "ONRUSH_JWT_SECRET_FILE": file("hidden"),
		},
		"ONRUSH_JWT_SECRET_FILE: it has a line break": {"ONRUSH_JWT_SECRET_FILE": file("hidden\nhidden\n")},
		"ONRUSH_JWT_SECRET_FILE: stat /nowhere":       {"ONRUSH_JWT_SECRET_FILE": "/nowhere"},
		"the file is empty":                           {"ONRUSH_JWT_SECRET_FILE": file("\n")},
		"ONRUSH_WECHAT_PLATFORM_KEYS_FILE: an item is not a name, = and a value": {
			"ONRUSH_WECHAT_PLATFORM_KEYS_FILE": file("1=a;hidden"),
		},
		"larger than 64 KiB": {
			"ONRUSH_JWT_SECRET_FILE": file(strings.Repeat("x", 64<<10+1)),
		},
	} {
		_, err := parseWith(t, environment)
		require.ErrorContains(t, err, name)
		assert.NotContains(t, err.Error(), "hidden")
	}
}

func TestEachSecretMayBeInAFileAndNothingElse(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{})
	require.NoError(t, err)
	for _, name := range []string{"ONRUSH_REDIS_URL_FILE", "ONRUSH_CAPTCHA_SECRET_FILE", "ONRUSH_TOKEN_FILE"} {
		require.NoError(t, setting.CheckEnvironment(parser.Model, []string{name + "=/run/secret"}))
	}
	for _, name := range []string{"ONRUSH_ADDR_FILE", "ONRUSH_LOG_FILE", "ONRUSH_LANES_FILE"} {
		require.Error(t, setting.CheckEnvironment(parser.Model, []string{name + "=/run/secret"}), name)
	}
}
