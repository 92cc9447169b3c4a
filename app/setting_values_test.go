package main

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/setting"
)

// noisy is white space as editors, shells and Kubernetes put it around a value.
const noisy = "\ufeff \t%s \r\n"

// parse returns the value of a flag whose text is given.
func parse(flag *kong.Flag, text string) (any, error) {
	target := reflect.New(flag.Target.Type()).Elem()
	err := flag.Value.Parse(kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: text}), target)
	return target.Interface(), err
}

func around(value string) string { return strings.Replace(noisy, "%s", value, 1) }

// Each setting of each command that holds text, a list or a map is given with white space around its items.
func TestWhiteSpaceAroundASettingIsNoPartOfIt(t *testing.T) {
	t.Parallel()
	var cmd commands
	parser, err := newParser(&cmd)
	require.NoError(t, err)
	tried := 0
	for _, flag := range setting.Of(parser.Model.Node) {
		if len(flag.Envs) == 0 {
			continue
		}
		item := "v"
		if flag.Enum != "" {
			item, _, _ = strings.Cut(flag.Enum, ",")
		}
		var value string
		var want any
		switch target := flag.Target; target.Kind() {
		case reflect.String:
			value, want = around(item), item
		case reflect.Slice:
			value, want = around(item)+","+around(item), []string{item, item}
		case reflect.Map:
			value = around("k") + "=" + around(item) + string(flag.Tag.MapSep) + around("l=") + around(item)
			want = map[string]string{"k": item, "l": item}
		default:
			continue
		}
		tried++
		got, err := parse(flag, value)
		require.NoError(t, err, flag.Envs)
		assert.EqualValues(t, want, got, flag.Envs)

		if _, list := want.([]string); !list && !flag.Tag.Has("lines") {
			_, err := parse(flag, "k=hidden\nhidden")
			require.ErrorIs(t, err, setting.ErrControl, flag.Envs)
			assert.NotContains(t, err.Error(), "hidden")
		}
	}
	assert.Greater(t, tried, 40)
}

func TestEnvironmentVariablesAreTrimmedAndEmptyOnesUnset(t *testing.T) {
	t.Parallel()
	var cmd commands
	parser, err := newParser(&cmd)
	require.NoError(t, err)
	changed := map[string]string{}
	set := func(name, value string) error { changed[name] = value; return nil }
	unset := func(name string) error { changed[name] = "unset"; return nil }
	require.NoError(t, setting.TidyEnvironment(parser.Model, []string{
		"HOME= /root ", "ONRUSH_TRUSTED_PROXIES=10.0.0.1,\n  10.0.0.2\n", "ONRUSH_LANES= 16\n",
		"ONRUSH_LOG=", "ONRUSH_MOVE_WITHIN=\n", "ONRUSH_JWT_SECRET=as it is",
		"ONRUSH_ALIPAY_PRIVATE_KEY=-----BEGIN\nEND-----\n", "ONRUSH_URL= http://127.0.0.1:8080 ", "ONRUSH_DEV= ",
	}, set, unset))
	assert.Equal(t, map[string]string{
		"ONRUSH_TRUSTED_PROXIES": "10.0.0.1,\n  10.0.0.2", "ONRUSH_LANES": "16",
		"ONRUSH_LOG": "unset", "ONRUSH_MOVE_WITHIN": "unset", "ONRUSH_DEV": "unset",
		"ONRUSH_ALIPAY_PRIVATE_KEY": "-----BEGIN\nEND-----", "ONRUSH_URL": "http://127.0.0.1:8080",
	}, changed)
	err = setting.TidyEnvironment(parser.Model, []string{"ONRUSH_JWT_SECRET=hidden\nhidden"}, set, unset)
	require.EqualError(t, err, "ONRUSH_JWT_SECRET: "+setting.ErrControl.Error())
	for _, keys := range []string{"hidden", "1=a;hidden", "=hidden", " =hidden"} {
		err = setting.TidyEnvironment(parser.Model, []string{"ONRUSH_WECHAT_PLATFORM_KEYS=" + keys}, set, unset)
		require.EqualError(t, err, "ONRUSH_WECHAT_PLATFORM_KEYS: "+setting.ErrPair.Error(), keys)
		_, logged, code := run(t, nil, "doctor", "--wechat-platform-keys="+keys)
		assert.NotZero(t, code)
		assert.NotContains(t, logged, "hidden")
	}
}

// The program itself, whose parser reads the environment of the process.
func TestTheProgramTakesVariablesWithWhiteSpaceAndEmptyOnes(t *testing.T) {
	t.Parallel()
	out, logged, code := run(t, []string{
		"ONRUSH_JWT_SECRET= \t" + strings.Repeat("s", 32) + "\n", "ONRUSH_JWT_ISSUER=\n", "ONRUSH_JWT_ROLE_CLAIM=",
	}, "token", "ann")
	require.Zero(t, code, logged)
	claims, _ := jwt.Parse(strings.TrimSpace(out), func(*jwt.Token) (any, error) {
		return []byte(strings.Repeat("s", 32)), nil
	})
	require.True(t, claims.Valid)
	assert.Equal(t, "user", claims.Claims.(jwt.MapClaims)["role"])
	assert.NotContains(t, claims.Claims, "iss")
	_, logged, code = run(t, []string{"ONRUSH_JWT_SECRET=hidden\nhidden"}, "token", "ann")
	assert.NotZero(t, code)
	assert.Contains(t, logged, "ONRUSH_JWT_SECRET: "+setting.ErrControl.Error())
	assert.NotContains(t, logged, "hidden")
}

func TestNumbersOfSettingsAndFlagsAreDecimal(t *testing.T) {
	t.Parallel()
	var cmd commands
	parser, err := newParser(&cmd)
	require.NoError(t, err)
	tried := 0
	for _, flag := range setting.Of(parser.Model.Node) {
		kind := flag.Target.Kind()
		number := slices.Contains([]reflect.Kind{reflect.Int, reflect.Int64, reflect.Uint64}, kind)
		if !number || flag.Target.Type() == reflect.TypeFor[time.Duration]() {
			assert.NotContains(t, []reflect.Kind{reflect.Int32, reflect.Uint, reflect.Uint32}, kind, "it has no mapper")
			continue
		}
		tried++
		n, err := parse(flag, "010")
		require.NoError(t, err, flag.Name)
		assert.EqualValues(t, 10, n, flag.Name)
		for _, text := range []string{"0x10", "0b1", "0o7", "1_000", "1e3", "ten"} {
			_, err := parse(flag, text)
			require.ErrorContains(t, err, "decimal", flag.Name)
		}
	}
	assert.Greater(t, tried, 10)
	for _, value := range []string{"0", "-1"} {
		_, logged, code := run(t, []string{"ONRUSH_QUEUE_LIMIT=" + value}, "doctor")
		assert.NotZero(t, code)
		assert.Contains(t, logged, "ONRUSH_QUEUE_LIMIT")
		assert.Contains(t, logged, "it must be 1 or more")
	}
}
