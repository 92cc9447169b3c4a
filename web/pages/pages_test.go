package pages

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/order"
)

// joins are where the parts of a long text meet.
var joins = regexp.MustCompile(`" \+\s+"`)

// texts reads the texts of a page in a language, with those that all pages share.
func texts(t *testing.T, page, language string) map[string]string {
	t.Helper()
	all := map[string]string{}
	folders := []string{"shared", page}
	if page == "design" {
		folders = []string{"shared", "console", page} // it shows the console's parts
	}
	var names []string
	for _, folder := range folders {
		found, err := filepath.Glob(folder + "/text_*" + language + ".js") // also of what is loaded later
		require.NoError(t, err)
		names = append(names, found...)
	}
	if page == "shop" {
		names = append(names, "shared/told_"+language+".js")
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		body, found := strings.CutPrefix(string(data), "export default ")
		require.True(t, found)
		var some map[string]string
		require.NoError(t, json.Unmarshal(joins.ReplaceAll([]byte(body), nil), &some))
		for key, text := range some {
			assert.Empty(t, all[key], "%s is shared", key)
			all[key] = text
		}
	}
	return all
}

// pageFolders are the folders of the pages, and allFolders those with the design page.
var (
	pageFolders = []string{"shop", "console"}
	allFolders  = []string{"shop", "console", "design"}
)

func TestEveryTextIsInBothLanguages(t *testing.T) {
	t.Parallel()
	placeholder := regexp.MustCompile(`\{\w+\}`)
	sorted := func(text string) []string {
		found := placeholder.FindAllString(text, -1)
		slices.Sort(found)
		return found
	}
	for _, page := range allFolders {
		en, zh := texts(t, page, "en"), texts(t, page, "zh")
		for key, text := range en {
			assert.NotEmpty(t, zh[key], key)
			assert.Equal(t, sorted(text), sorted(zh[key]), key)
		}
		assert.Len(t, zh, len(en))
	}
}

func TestEveryTextThatThePagesShowExists(t *testing.T) {
	t.Parallel()
	shown := regexp.MustCompile(`\bt\('(\w+)'`)
	all := sources(t)
	for _, page := range allFolders {
		en, found := texts(t, page, "en"), 0
		for _, file := range all {
			if folder := path.Dir(file.name); folder != page && folder != "shared" {
				continue
			}
			for _, m := range shown.FindAllSubmatch(file.data, -1) {
				found++
				assert.NotEmpty(t, en[string(m[1])], "%s: %s", file.name, m[1])
			}
		}
		assert.Greater(t, found, 50)
	}
}

// docs/shop/errors.md has the codes that callers may get; a task has the reason why its order failed, and the client
// has codes of its own. Codes for operators, and of requests that the pages don't send, have no text.
func TestEveryProblemOfABuyerHasAText(t *testing.T) {
	t.Parallel()
	others := []string{
		"bad_request", "headers_too_large", "idempotency_key_required", "method_not_allowed", "payment_disputed",
		"reference_used", "refund_too_large", "stale_version", "unsupported_media_type", "voucher_not_named",
		"voucher_redeemed",
		"voucher_void",
	}
	data, err := os.ReadFile("../../docs/shop/errors.md")
	require.NoError(t, err)
	codes := regexp.MustCompile("(?m)^### `(\\w+)`").FindAllStringSubmatch(string(data), -1)
	require.NotEmpty(t, codes)
	client, err := os.ReadFile("../client/onrush.js")
	require.NoError(t, err)
	own := regexp.MustCompile(`code: (?:task\.reason \|\| )?'(\w+)'`).FindAllStringSubmatch(string(client), -1)
	require.Contains(t, own, []string{"code: task.reason || 'failed'", "failed"})
	en := texts(t, "shop", "en")
	for _, reason := range []string{order.ReasonNoStock, order.ReasonOverLimit, order.ReasonDiscarded} {
		assert.NotEmpty(t, en["problem_"+reason], reason)
	}
	for _, code := range append(codes, own...) {
		if !slices.Contains(others, code[1]) {
			assert.NotEmpty(t, en["problem_"+code[1]], code[1])
		}
	}
}

// Pages and problems show amounts with the same digits.
func TestPagesHaveTheDigitsOfCurrenciesThatTheProgramHas(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("shared/currency.js")
	require.NoError(t, err)
	pages := map[string]int{}
	for _, m := range regexp.MustCompile(`\b([A-Z]{3}): (\d)`).FindAllSubmatch(data, -1) {
		pages[string(m[1])] = int(m[2][0] - '0')
	}
	require.NotEmpty(t, pages)
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			for c := 'A'; c <= 'Z'; c++ {
				currency := string([]rune{a, b, c})
				digits, special := pages[currency]
				if !special {
					digits = 2
				}
				assert.Equal(t, api.MinorDigits(currency), digits, currency)
			}
		}
	}
}

// Marks at the options of a select go wrong where the options change places, so that it shows another one than it has.
func TestEverySelectIsTheSharedOne(t *testing.T) {
	t.Parallel()
	found := 0
	for _, file := range sources(t) {
		found += strings.Count(string(file.data), "<select")
	}
	assert.Equal(t, 1, found, "Select of shared/parts.js")
}

// A pause of each job says what it stops.
func TestEveryJobHasATextThatSaysWhatItsPauseStops(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../jobs/all_jobs.go")
	require.NoError(t, err)
	jobs := strings.Split(string(data), "Name: ")[1:]
	require.Greater(t, len(jobs), 10)
	en := texts(t, "console", "en")
	for _, job := range jobs {
		name, _, _ := strings.Cut(strings.Replace(job, "MoveOrders", `"move_orders"`, 1), ",")
		if !strings.Contains(job, "Internal: true") {
			assert.NotEmpty(t, en["stops_"+strings.Trim(name, `"`)], name)
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

func TestPagesHaveAStrictPolicyAndAreSmall(t *testing.T) {
	t.Parallel()
	app := fiber.New()
	require.NoError(t, Register(app, Settings{
		DevTokens: true, Channels: []string{`"><script>`},
		ImageHosts: func() []string { return []string{"https://img.example"} },
	}))
	folder := regexp.MustCompile(`/assets/pages/[0-9a-f]{16}`).FindString(get(t, app, "/").body)
	all, err := read()
	require.NoError(t, err)
	for _, file := range all {
		if path.Ext(file.name) != ".html" {
			asset := get(t, app, folder+"/"+file.name)
			assert.Equal(t, 200, asset.status, file.name)
			assert.Equal(t, "public, max-age=31536000, immutable", asset.header.Get("Cache-Control"))
			assert.NotEmpty(t, asset.header.Get("Content-Type"), file.name)
		}
	}
	for _, page := range allFolders {
		root := get(t, app, addresses[page+"/index.html"])
		assert.Equal(t, "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "+
			"worker-src 'self'; img-src 'self' data: https://img.example; base-uri 'none'; "+
			"form-action 'self'; frame-ancestors 'none'",
			root.header.Get("Content-Security-Policy"))
		assert.NotContains(t, root.body, `"><script>`)
		assert.NotRegexp(t, `<script[^>]*>[^<]`, root.body, "no script is inline")

		named := regexp.MustCompile(folder+`/([\w./-]+)`).FindAllStringSubmatch(root.body, -1)
		size := len(root.body)
		for _, m := range named {
			asset := get(t, app, m[0], "Accept-Encoding", "gzip")
			assert.Equal(t, 200, asset.status, m[1])
			assert.Equal(t, "gzip", asset.header.Get("Content-Encoding"), m[1])
			size += len(asset.body)
			for _, imported := range staticImport.FindAllSubmatch(unpacked(t, asset.body), -1) {
				assert.Contains(t, root.body, folder+"/"+page+"/"+string(imported[1]), "%s waits for it", m[1])
			}
		}
		assert.Contains(t, root.body, folder+"/"+page+"/main.js")
		assert.Contains(t, root.body, folder+"/"+page+"/main.css")
		assert.LessOrEqual(t, len(named), 3, "files of the first view")
		if page != "design" { // whose view is all parts of both
			assert.Less(t, size, 80_000, "bytes of the first view, the client for browsers among them")
		}
		t.Logf("the first view of the %s has %d bytes in %d files", page, size, len(named))
	}
	pictures, err := files.ReadDir("demo")
	require.NoError(t, err)
	require.Greater(t, len(pictures), 5)
	for _, picture := range pictures {
		drawn := get(t, app, "/assets/demo/"+picture.Name())
		assert.Equal(t, 200, drawn.status)
		assert.Equal(t, "image/svg+xml", drawn.header.Get("Content-Type"))
		assert.Less(t, len(drawn.body), 4_000, picture.Name())
	}
	assert.NotEqual(t, 200, get(t, app, "/assets/demo/..%2fshop%2fmain.js").status)
	assert.NotEqual(t, 200, get(t, app, "/assets/pages/0000000000000000/shop/main.js").status, "of another release")
	assert.NotEqual(t, 200, get(t, app, folder+"/shop/index.html").status, "a page is at its own address")
}

// unpacked is what was packed with gzip.
func unpacked(t *testing.T, packed string) []byte {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(packed))
	require.NoError(t, err)
	data, err := io.ReadAll(r)
	require.NoError(t, err)
	return data
}

// Who changes a page and forgets to bundle it sees the page as it was.
func TestThePagesAreBundledFromTheirSources(t *testing.T) {
	t.Parallel()
	want, err := exec.CommandContext(t.Context(), "go", "run", "./bundle", "sum").Output()
	require.NoError(t, err)
	built, err := os.ReadFile("built/sources.sha256")
	require.NoError(t, err)
	assert.Equal(t, string(want), string(built), "run go generate ./web/pages")
}

func TestOnlyAShopWithAChannelOfStripeMayLoadItsForm(t *testing.T) {
	t.Parallel()
	assert.NotContains(t, Settings{}.policy(), "stripe")
	policy := Settings{Stripe: true}.policy()
	assert.Contains(t, policy, "script-src 'self' https://js.stripe.com")
	assert.Contains(t, policy, "frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com;")
	assert.Contains(t, policy, "connect-src 'self' https://api.stripe.com;")
}

// The rules of the server's validator have texts in the console, in whose dialogs they stand at the fields.
func TestEveryRuleOfAFieldHasAText(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../validate.go")
	require.NoError(t, err)
	rules := regexp.MustCompile(`\{(?:problem\.)?[iI]s\w+, "(must [^"]+)"\}`).FindAllSubmatch(data, -1)
	require.Greater(t, len(rules), 5)
	others := regexp.MustCompile(`[^a-z0-9]+`)
	en := texts(t, "console", "en")
	for _, rule := range rules {
		key := "wrong_" + others.ReplaceAllString(strings.ToLower(string(rule[1])), "_")
		assert.NotEmpty(t, en[key], "%s", rule[1])
	}
}
