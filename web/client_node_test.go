package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runClient runs a script in Node with the client as Onrush and newKey, and a server's address as base. hidden is what
// the script does before the client is loaded.
func runClient(t *testing.T, hidden, script string, server http.HandlerFunc) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	s := httptest.NewServer(server)
	t.Cleanup(s.Close)
	dir, err := os.Getwd()
	require.NoError(t, err)
	text := fmt.Sprintf("%s\nconst { Onrush, newKey } = await import('file://%s/client/onrush.js');\n"+
		"const base = '%s';\n%s", hidden, dir, s.URL, script)
	out, err := exec.CommandContext(t.Context(), node, "--input-type=module", "--eval", text).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

func TestTheClientNeedsNoMoreCryptoThanItFinds(t *testing.T) {
	t.Parallel()
	// The SHA-256 of "salt" and 1234.
	const challenge = `{"human_check":"pow","algorithm":"SHA-256","maxnumber":2000,"salt":"salt","signature":"s",
		"challenge":"ea32961dbd579ef5697c367f9267921ee07f14d77fb2d4fb9500d4221d615695"}`
	for name, hidden := range map[string]string{
		"Node 18": `Object.defineProperty(globalThis, 'crypto', { value: undefined });`,
		"a page of http": `Object.defineProperty(globalThis, 'crypto', {
			value: { getRandomValues: (bytes) => webcrypto.getRandomValues(bytes) } });`,
		"a page with TLS": "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := runClient(t, `import { webcrypto } from 'node:crypto';`+hidden, `
				const keys = new Set(Array.from({ length: 100 }, newKey));
				const shop = new Onrush({ baseURL: base, token: 't' });
				const path = await shop.path({ activity: 'a', sku: 's' });
				console.log(keys.size, [...keys].every((key) => /^[0-9a-f]{32}$/.test(key)), path);`,
				func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					body := make([]byte, 4096)
					n, _ := r.Body.Read(body)
					switch {
					case r.URL.Path == "/api/v1/seckill/challenge":
						_, _ = w.Write([]byte(challenge))
					case regexp.MustCompile(`"human_check":"[A-Za-z0-9+/=]+"`).Match(body[:n]):
						_, _ = w.Write([]byte(`{"path":"solved"}`))
					default:
						w.WriteHeader(http.StatusForbidden)
						_, _ = w.Write([]byte(`{"code":"human_check_required","status":403}`))
					}
				})
			assert.Equal(t, "100 true solved\n", out)
		})
	}
}

func TestTheClientTakesAnswersOfProxiesByTheirStatus(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]int{}
	out := runClient(t, "", `
		const shop = new Onrush({ baseURL: base, token: 't', random: () => 0 });
		for (const path of ['/401', '/403', '/429', '/json', '/502', '/200']) {
			await shop.call('GET', path).catch(({ code, status, problem }) =>
				console.log(path, code, status, problem.refresh_after_ms ?? ''));
		}
		await shop.retried('GET', '/401').catch(({ code }) => console.log('retried', code));
		console.log(JSON.stringify(await shop.retried('GET', '/once')));`,
		func(w http.ResponseWriter, r *http.Request) {
			path := r.URL.Path[len("/api/v1"):]
			mu.Lock()
			defer mu.Unlock()
			asked[path]++
			w.Header().Set("Content-Type", "text/html")
			status := map[string]int{
				"/401": 401, "/403": 403, "/429": 429, "/json": 429, "/502": 502, "/200": 200, "/once": 429,
			}[path]
			body := "<html>from a proxy</html>"
			switch {
			case path == "/json":
				body = `{"message":"Too Many Requests"}`
			case path == "/once" && asked[path] > 1:
				status, body = 200, `{"answered":true}`
			case path == "/once":
				w.Header().Set("Retry-After", "0.01")
			case path == "/429":
				w.Header().Set("Retry-After", "7")
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		})
	assert.Equal(t, `/401 unauthorized 401 
/403 forbidden 403 
/429 rate_limited 429 7000
/json rate_limited 429 
/502 unreachable 502 
/200 unreachable 200 
retried unauthorized
{"answered":true}
`, out)
	mu.Lock()
	defer mu.Unlock()
	assert.Equal(t, 2, asked["/401"], "a login page is not asked for again")
	assert.Equal(t, 2, asked["/once"])
}

// The package's page at npm has no other file of this repository.
func TestLinksOfTheClientsReadmeLeadToPagesAnywhere(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("client/README.md")
	require.NoError(t, err)
	for _, link := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(string(text), -1) {
		assert.Regexp(t, `^https://`, link[1])
	}
}
