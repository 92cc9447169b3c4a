package pages

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// texts reads the texts of a language.
func texts(t *testing.T, language string) map[string]string {
	t.Helper()
	data, err := files.ReadFile("shop/text_" + language + ".js")
	require.NoError(t, err)
	body, found := strings.CutPrefix(string(data), "export default ")
	require.True(t, found)
	var all map[string]string
	require.NoError(t, json.Unmarshal([]byte(body), &all))
	return all
}

func TestEveryTextIsInBothLanguages(t *testing.T) {
	t.Parallel()
	en, zh := texts(t, "en"), texts(t, "zh")
	placeholder := regexp.MustCompile(`\{\w+\}`)
	sorted := func(text string) []string {
		found := placeholder.FindAllString(text, -1)
		slices.Sort(found)
		return found
	}
	for key, text := range en {
		assert.NotEmpty(t, zh[key], key)
		assert.Equal(t, sorted(text), sorted(zh[key]), key)
	}
	assert.Len(t, zh, len(en))
}

func TestEveryTextThatThePagesShowExists(t *testing.T) {
	t.Parallel()
	en := texts(t, "en")
	entries, err := files.ReadDir("shop")
	require.NoError(t, err)
	shown := regexp.MustCompile(`\bt\('(\w+)'`)
	found := 0
	for _, entry := range entries {
		data, err := files.ReadFile(path.Join("shop", entry.Name()))
		require.NoError(t, err)
		for _, m := range shown.FindAllSubmatch(data, -1) {
			found++
			assert.Contains(t, en, string(m[1]), entry.Name())
		}
	}
	assert.Greater(t, found, 50)
}

// docs/errors.md has the codes that a buyer may get. Those of other callers, and of requests that the pages don't send,
// have no text.
func TestEveryProblemOfABuyerHasAText(t *testing.T) {
	t.Parallel()
	others := []string{
		"bad_request", "headers_too_large", "idempotency_key_required", "method_not_allowed", "refund_too_large",
		"unsupported_media_type", "voucher_redeemed", "voucher_void",
	}
	data, err := os.ReadFile("../../docs/errors.md")
	require.NoError(t, err)
	codes := regexp.MustCompile("(?m)^### `(\\w+)`").FindAllStringSubmatch(string(data), -1)
	require.NotEmpty(t, codes)
	en := texts(t, "en")
	for _, code := range codes {
		if !slices.Contains(others, code[1]) {
			assert.Contains(t, en, "problem_"+code[1])
		}
	}
}

// answer is an answer whose body was read.
type answer struct {
	status int
	header http.Header
	body   string
}

func get(t *testing.T, app *fiber.App, url string, header ...string) answer {
	t.Helper()
	req := httptest.NewRequest(http.MethodGet, url, nil)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := app.Test(req)
	require.NoError(t, err)
	data, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return answer{res.StatusCode, res.Header, string(data)}
}

func TestThePageHasAStrictPolicyAndIsSmall(t *testing.T) {
	t.Parallel()
	app := fiber.New()
	require.NoError(t, Register(app, Settings{
		DevTokens: true, Channels: []string{`"><script>`}, ImageHosts: []string{"https://img.example"},
	}))
	root := get(t, app, "/")
	page := root.body
	assert.Equal(t, "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; worker-src 'self'; "+
		"img-src 'self' data: https://img.example; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
		root.header.Get("Content-Security-Policy"))
	assert.NotContains(t, page, `"><script>`)
	assert.NotRegexp(t, `<script[^>]*>[^<]`, page, "no script is inline")

	size := len(page)
	folder := regexp.MustCompile(`/assets/shop/[0-9a-f]{16}`).FindString(page)
	entries, err := files.ReadDir("shop")
	require.NoError(t, err)
	for _, entry := range entries {
		if entry.Name() == "index.html" {
			continue
		}
		file := get(t, app, folder+"/"+entry.Name(), "Accept-Encoding", "gzip")
		assert.Equal(t, 200, file.status, entry.Name())
		assert.Equal(t, "gzip", file.header.Get("Content-Encoding"), entry.Name())
		assert.Equal(t, "public, max-age=31536000, immutable", file.header.Get("Cache-Control"))
		assert.NotEmpty(t, file.header.Get("Content-Type"), entry.Name())
		if entry.Name() != "qrcode.js" { // loaded where it is needed
			size += len(file.body)
		}
	}
	assert.Less(t, size, 100_000, "bytes of the first page")
	t.Logf("the first page has %d bytes", size)
	assert.NotEqual(t, 200, get(t, app, "/assets/shop/0000000000000000/main.js").status, "of another release")
}
