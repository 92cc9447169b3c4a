package human

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

// pageScript is what the scripts need of a browser. work(url, message) is the worker; its reply is delivered
// later, unless the worker was ended.
const pageScript = `
	const document = { currentScript: { src: 'https://shop.example/assets/human.js?v=2' } };
	const workers = [];
	class Worker {
		constructor(url) { this.url = url; workers.push(this); }
		postMessage(message) {
			Promise.resolve().then(() => {
				if (this.ended) return;
				if (!this.url) return this.onerror({ message: 'refused by a policy' });
				this.onmessage({ data: JSON.parse(work(this.url, JSON.stringify(message))) });
			});
		}
		terminate() { this.ended = true; }
	}
	class Signal {
		constructor() { this.aborted = false; this.listeners = []; }
		addEventListener(_, f) { this.listeners.push(f); }
		removeEventListener(_, f) { this.listeners = this.listeners.filter((g) => g !== f); }
		abort() { this.aborted = true; this.reason = new Error('aborted'); this.listeners.forEach((f) => f()); }
	}
	let outcome = 'pending';
	function start(challenge, options) {
		onrushHuman.solve(challenge, options).then(
			(answer) => { outcome = String(answer); }, (err) => { outcome = 'error: ' + err.message; });
	}`

func asset(t testing.TB, name string) string {
	t.Helper()
	data, err := assets.ReadFile("assets/" + name)
	require.NoError(t, err)
	return string(data)
}

// newPage returns a page that has loaded human.js, with its workers.
func newPage(t *testing.T) *goja.Runtime {
	t.Helper()
	page := goja.New()
	require.NoError(t, page.Set("btoa", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }))
	require.NoError(t, page.Set("work", func(url, message string) string {
		assert.Equal(t, "https://shop.example/assets/human_worker.js?v=2", url)
		return work(t, message)
	}))
	run(t, page, pageScript)
	run(t, page, asset(t, "human.js"))
	return page
}

// work runs a new worker with one message, and returns what it posts, in JSON.
func work(t *testing.T, message string) string {
	t.Helper()
	worker := goja.New()
	run(t, worker, `let posted; const self = { postMessage(data) { posted = JSON.stringify(data); } };`)
	run(t, worker, asset(t, "human_worker.js"))
	run(t, worker, `self.onmessage({ data: `+message+` });`)
	return run(t, worker, `posted`)
}

func run(t *testing.T, vm *goja.Runtime, script string) string {
	t.Helper()
	value, err := vm.RunString(script)
	require.NoError(t, err)
	return value.String()
}

func TestScriptSolvesAChallengeInAWorker(t *testing.T) {
	t.Parallel()
	p := newPow(t, PowConfig{}, &nonceSet{}, kit.NewClock(start))
	p.cfg.Difficulty = 50 // the interpreter takes a millisecond per hash
	c, err := json.Marshal(challenge(t, p, alice))
	require.NoError(t, err)
	page := newPage(t)
	run(t, page, `const signal = new Signal(); start(`+string(c)+`, { signal });`)
	answer := run(t, page, `outcome`)
	require.NoError(t, p.Verify(t.Context(), alice, answer))
	assert.Equal(t, "true 0", run(t, page, `workers[0].ended + ' ' + signal.listeners.length`), "nothing is left")
}

func TestScriptEndsWithTheSignalAndReportsErrors(t *testing.T) {
	t.Parallel()
	good := `{ human_check: 'pow', algorithm: 'SHA-256', salt: 'a', maxnumber: 1, ` +
		`challenge: '` + hashText("a", 1) + `' }`
	for name, tc := range map[string]struct{ script, want string }{
		"no check":       {`start({ human_check: 'none' });`, "undefined"},
		"aborted before": {`const s = new Signal(); s.abort(); start(` + good + `, { signal: s });`, "error: aborted"},
		"aborted":        {`const s = new Signal(); start(` + good + `, { signal: s }); s.abort();`, "error: aborted"},
		"a worker's":     {`start({ ...` + good + `, salt: 'b' });`, "error: no number solves the challenge"},
		"another hash": {
			`start({ ...` + good + `, algorithm: 'SHA-1' });`,
			"error: the algorithm of the challenge is not SHA-256",
		},
		"a bad challenge": {
			`start({ ...` + good + `, challenge: 'x' });`, "error: the challenge is not a SHA-256 in hex",
		},
		"no worker": {
			`Worker = class extends Worker { constructor() { super(''); } }; start(` + good + `);`,
			"error: refused by a policy",
		},
	} {
		page := newPage(t)
		run(t, page, tc.script)
		assert.Equal(t, tc.want, run(t, page, `outcome`), name)
		assert.NotContains(t, run(t, page, `workers.map((w) => w.ended === true)`), "false", name)
	}
}

func TestWorkerHashesAsSHA256DoesForEveryLength(t *testing.T) {
	t.Parallel()
	const number = 10 // has one digit more than the first number
	// Lengths at the ends of blocks.
	for _, length := range []int{0, 1, 44, 53, 54, 55, 56, 62, 63, 64, 65, 118, 119, 120, 128} {
		salt := strings.Repeat("s", length)
		message, err := json.Marshal(map[string]any{
			"algorithm": "SHA-256", "salt": salt, "maxnumber": number, "challenge": hashText(salt, number),
		})
		require.NoError(t, err)
		assert.JSONEq(t, `{"number":10}`, work(t, string(message)))
	}
}
