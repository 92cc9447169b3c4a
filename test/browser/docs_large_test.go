//go:build large

package browser_test

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
)

// sample is the code of a route in a language.
func sample(t *testing.T, page *browser.Page, route, language string) string {
	t.Helper()
	return browser.Run[string](t, page, `
		const route = document.getElementById('`+route+`');
		route.open = true;
		await new Promise((done) => setTimeout(done));
		const buttons = [...route.querySelectorAll('.languages button')];
		buttons.find((b) => b.textContent === '`+language+`').click();
		return route.querySelector('.code pre').textContent;`)
}

func TestDocsFitAPhoneAndAreAccessible(t *testing.T) {
	t.Parallel()
	_, page := openDocs(t)
	sample(t, page, "takePath", "curl")
	sample(t, page, "listOrders", "curl")
	browser.Run[bool](t, page, `document.querySelector('.steps details').open = true; return true`)
	page.Screenshot(t, "docs")
	page.Do(t, chromedp.EmulateViewport(360, 640))
	assert.Zero(t, browser.Run[int](t, page,
		`return document.documentElement.scrollWidth - document.documentElement.clientWidth`), "sideways")
	page.Do(t, chromedp.EmulateViewport(1280, 844))
	loadAxe(t, page)("docs")
	assert.Empty(t, page.Errors())
}

// The shop, the console and the documentation share an origin, and may have tokens of different readers.
func TestTheTokenOfTheDocsIsNotTheShops(t *testing.T) {
	t.Parallel()
	_, page := openDocs(t)
	browser.Run[bool](t, page, `sessionStorage.setItem('token', 'of the shop'); return true`)
	page.Do(t, chromedp.Reload(), see("#token"))
	assert.Empty(t, browser.Run[string](t, page, `return document.getElementById('token').value`))
	browser.Run[bool](t, page, `
		const field = document.getElementById('token');
		field.value = 'of the docs';
		field.dispatchEvent(new Event('change'));
		return true`)
	assert.Equal(t, "of the shop", browser.Run[string](t, page, `return sessionStorage.getItem('token')`))
	page.Do(t, chromedp.Reload(), browser.Until(`document.getElementById('token').value === 'of the docs'`))
}

func TestSamplesOfTheDocsRun(t *testing.T) {
	t.Parallel()
	s, page := openDocs(t)
	token, err := s.Server.Auth.Sign("ada", "user", time.Hour)
	require.NoError(t, err)
	run := func(name string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Env = append(os.Environ(), "TOKEN="+token)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	for _, route := range []string{"listAddresses", "createAddress"} {
		code := sample(t, page, route, "Go")
		file := filepath.Join(t.TempDir(), "main.go")
		require.NoError(t, os.WriteFile(file, []byte(code), 0o600))
		assert.Regexp(t, `^20[01] `, run("go", "run", file), route)

		code = sample(t, page, route, "JavaScript")
		assert.Equal(t, "ran",
			browser.Run[string](t, page, "const token = "+quoted(t, token)+";\n"+code+"\nreturn 'ran'"))

		if _, err := exec.LookPath("curl"); err == nil {
			out := run("bash", "-c", sample(t, page, route, "curl")+" -s -o /dev/null -w '%{http_code}'")
			assert.Regexp(t, `^20[01]$`, out, route)
		}
	}
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	data, err := json.Marshal(text)
	require.NoError(t, err)
	return string(data)
}

// Every route has samples that its language can read, and a button copies them.
func TestEveryRouteHasSamples(t *testing.T) {
	t.Parallel()
	_, page := openDocs(t)
	all := browser.Run[map[string]map[string]string](t, page, `
		const all = {};
		document.body.hidden = true; // or each route that opens would lay out the whole page
		for (const route of document.querySelectorAll('details.route')) {
			route.open = true;
			await new Promise((done) => route.addEventListener('toggle', done, { once: true }));
			const codes = {};
			for (const button of route.querySelectorAll('.languages button')) {
				button.click();
				codes[button.textContent] = route.querySelector('.code pre').textContent;
			}
			all[route.id] = codes;
			route.open = false;
		}
		document.body.hidden = false;
		return all;`)
	require.Greater(t, len(all), 90)
	for route, codes := range all {
		_, err := parser.ParseFile(token.NewFileSet(), "main.go", codes["Go"], parser.AllErrors)
		require.NoError(t, err, "%s:\n%s", route, codes["Go"])
		assert.Contains(t, codes["curl"], "curl ", route)
		assert.NotRegexp(t, `[^$]\{\w+\}'`, codes["curl"], "%s: a parameter of the path is left", route)
		assert.Contains(t, codes["JavaScript"], "await fetch(", route)
	}
	assert.True(t, browser.Run[bool](t, page, `
		const copy = document.querySelector('#quick-start .copy');
		copy.click();
		for (let i = 0; i < 100 && copy.textContent === 'Copy'; i++) await new Promise((done) => setTimeout(done, 20));
		return copy.textContent !== 'Copy';`))
}
