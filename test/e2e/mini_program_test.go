package e2e

import (
	"os"
	command "os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/seckill/gates/human"
	"onrush/test/kit"
	"onrush/test/site"
)

// miniProgram runs the page of examples/mini-program with what a mini program has, and no more: wx and App instead of
// fetch, crypto and the rest. It buys, pays on the sandbox's page, and prints what the page shows.
const miniProgram = `
import http from 'node:http';
const [base, token, activity] = process.argv.slice(2);
const storage = new Map();
let paying; // the sandbox's page
const send = (url, method, headers, body) => new Promise((resolve, reject) => {
	const request = http.request(url, { method, headers }, (answer) => {
		let data = '';
		answer.setEncoding('utf8').on('data', (more) => (data += more)).on('end', () => resolve({ answer, data }));
	});
	request.on('error', reject).end(body);
});
globalThis.wx = {
	request({ url, method, header, data, dataType, success, fail }) {
		if (dataType === 'json') throw new Error('the client reads the JSON');
		send(url, method, header, data).then(({ answer, data }) => {
			if (url.endsWith('/payments')) paying = JSON.parse(data).next.redirect_url;
			const header = Object.fromEntries(Object.entries(answer.headers).map(([k, v]) => [k.toUpperCase(), v]));
			success({ statusCode: answer.statusCode, header, data });
		}, ({ message }) => fail({ errMsg: message }));
		return { abort() {} };
	},
	requestPayment({ success, fail }) {
		const [page, query] = paying.split('?');
		send(page + '/pay?' + query, 'POST', { 'Content-Type': 'application/json' }, '{}').then(success, fail);
	},
	getStorageSync: (key) => storage.get(key) ?? '',
	setStorageSync: (key, value) => storage.set(key, value),
	removeStorageSync: (key) => storage.delete(key),
};
globalThis.getApp = () => ({ globalData: { address: base, session: { token, openid: 'o' } } });
const lacking = ['fetch', 'crypto', 'AbortController', 'AbortSignal', 'TextEncoder', 'btoa', 'Response', 'Headers'];
for (const name of lacking) {
	Object.defineProperty(globalThis, name, { value: undefined });
}
let page;
globalThis.Page = (options) => (page = { ...options, data: { ...options.data } });
const steps = new Set();
await import('./sale.js');
page.setData = function (some) { Object.assign(this.data, some); if (some.step) steps.add(some.step); };
await page.onLoad({ activity });
await page.buy({ currentTarget: { dataset: { sku: 'sku' } } });
const { order, paid, problem, step } = page.data;
console.log(JSON.stringify({ order, paid, problem, step, steps: [...steps], kept: storage.size }));
`

// A mini program has neither fetch nor crypto: its page buys through a waiting room and a human check with wx.request.
func TestAMiniProgramBuysAndPays(t *testing.T) {
	t.Parallel()
	node := kit.Tool(t, "node")
	s := site.Start(t, kit.OnEmbedded(t), site.Reachable())
	activity := s.Open(t, site.Sale{HumanCheck: human.ProofOfWork, PathsPerSecond: 1000})
	folder := t.TempDir()
	for _, name := range []string{"sale.js", "transport.js"} {
		text, err := os.ReadFile("../../examples/mini-program/" + name)
		require.NoError(t, err)
		page := strings.Replace(string(text), "channel: 'wechat', openid,", "channel: 'sandbox',", 1)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(page), 0o600))
	}
	client, err := filepath.Abs("../../web/client")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(folder, "node_modules"), 0o700))
	require.NoError(t, os.Symlink(client, filepath.Join(folder, "node_modules", "onrush")))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "package.json"), []byte(`{"type": "module"}`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "run.js"), []byte(miniProgram), 0o600))

	ada := s.Buyer(t, "ada")
	run := command.CommandContext(t.Context(), node, "run.js", s.URL, ada.Token(), activity)
	run.Dir = folder
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	orders := ada.ListOrders(t, "").Items
	require.Len(t, orders, 1)
	assert.JSONEq(t, `{"order": "`+orders[0].OrderNumber+`", "paid": true, "problem": "", "step": "",
		"steps": ["path", "human_check", "submit", "task", "stored"], "kept": 0}`, string(out))
}
