package pages

import (
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// buttonStates are all states of the button that buys: known changes what the page knows of a running sale with units,
// and label, act and reason are what the button then says and does. Without an act it does nothing.
var buttonStates = []struct {
	name, known        string
	label, reason, act string
}{
	{"priced", `known.sum = '¥30.50'`, "Buy now · ¥30.50", "You confirm next", "buy"},
	{
		"several goods", `known.goods = 'Course × 1, Lamp × 2'`,
		"Buy now", "Course × 1, Lamp × 2 · then 15 minutes to pay", "buy",
	},
	{
		"several goods with freight", `known.goods = 'Lamp × 2'; known.sum = '¥8.00'; known.freight = '¥6.00'`,
		"Buy now · ¥8.00", "Lamp × 2 + ¥6.00 shipping · then 15 minutes to pay", "buy",
	},
	{"open", ``, "Buy now", "You confirm next, then have 15 minutes to pay.", "buy"},
	{"waiting room", `sale.waiting_room = true`, "Join the waiting room", "You wait for your turn", "join"},
	{
		"waiting room, no address", `sale.waiting_room = true; known.delivery = address`,
		"Join the waiting room", "", "join",
	},
	{
		"visitor", `known.signed = false; known.delivery = address`,
		"Sign in to buy", "when you have signed in", "sign_in",
	},
	{"before the start", soon, "Wait for the start · 1:58", "Press to be in line", "buy"},
	{
		"before the start, waiting room", soon + `; sale.waiting_room = true`,
		"Wait for the start · 1:58", "Press to be in line", "join",
	},
	{"just started", `sale.state = 'upcoming'`, "Taking your place …", "", "buy"},

	{"offered", offered + `; known.sum = '¥1.00'`, "Buy now · ¥1.00", "You confirm next", "buy"},
	{"offered, waiting room", offered + `; sale.waiting_room = true`, "Buy now", "You confirm next", "buy"},
	{"offered, no address", offered + `; known.delivery = address`, "Buy now", "Add an address first", ""},
	{"offered, paused", offered + `; sale.paused = true`, "Paused · opens by itself", "It will resume", ""},

	{"ended", `sale.state = 'ended'`, "Ended", "The sale is over.", ""},
	{"captcha", `sale.human_check = 'captcha'`, "Buy now", "only the shop's own page", ""},
	{"no connection", `known.online = false`, "No connection", "as soon as the connection is back", ""},
	{
		"stopped", `sale.stopped = sale.paused = true`,
		"All sales are paused", "They will resume", "",
	},
	{"paused", `sale.paused = true`, "Paused · opens by itself", "It will resume", ""},
	{"sold out", `sku.sold_out = true`, "Sold out", "This sale is sold out.", ""},
	{
		"sold out, others left", `sku.sold_out = true; sale.skus.push({})`,
		"Sold out", "the sale has others.", "",
	},
	{"may come back", back, "Wait for one", "This page tries for you.", "buy"},
	{"next wave", wave, "More units in 1:58", "Press to wait for them", "buy"},
	{
		"next wave, waiting room", wave + `; sale.waiting_room = true; sku.unpaid_pending = true`,
		"More units in 1:58", "Press to wait for them", "join",
	},
	{"next wave, units left", wave + `; sku.sold_out = false`, "Buy now", "You confirm next", "buy"},
	{"next wave, paused", wave + `; sale.paused = true`, "Paused · opens by itself", "It will resume", ""},
	{"next wave, now", wave + `; sku.next_wave_at = '2030-01-01T00:00:00Z'`, "Waiting for your turn", "", "buy"},
	{"reserved", reserved, "Buy now", "reserved for certain buyers until", "buy"},
	{"reserved, waiting room", reserved + `; sale.waiting_room = true`, "Buy now", "to wait for that time", "join"},
	{"reserved, units left", reserved + `; sku.sold_out = false`, "Buy now", "You confirm next", "buy"},
	{
		"reserved, waiting", reserved + `; ` + waiting + `'sold_out_for_now' }`,
		"More units in 1:58", "You wait for the next", "",
	},
	{"next wave, ended", wave + `; sale.state = 'ended'`, "Ended", "The sale is over.", ""},
	{"other tab", `known.buying = { error: { code: 'other_tab' } }`, "Buy here instead", "", "instead"},
	{
		"other tab, paused", `known.buying = { error: { code: 'other_tab' } }; sale.paused = true`,
		"Paused · opens by itself", "It will resume", "",
	},

	{
		"may come back, no address", back + `; known.delivery = address`,
		"Wait for one", "This page tries for you.", "buy",
	},
	{
		"came back, no address", trying + `'destination' }; known.delivery = address`,
		"Where should we send it?", "Add an address", "",
	},
	{"came back, address", trying + `'destination' }`, "Continue", "You confirm next", "go_on"},
	{"no address", `known.delivery = address`, "Buy now", "Add an address first", ""},
	{"addresses are read", `known.delivery = { ...address, known: false }`, "Buy now", "Loading …", ""},
	{
		"addresses unread", `known.delivery = { ...address, known: false, error: {} }`,
		"Buy now", "can't be read now", "",
	},
	{"no pickup", `known.delivery = { ...address, by: 'pickup' }`, "Buy now", "can't be picked up anywhere", ""},
	{
		"region sold out", `known.delivery = { ...address, gone: true, addresses: [{}, {}] }`,
		"Choose another address", "Other regions still have some.", "address",
	},
	{
		"pickup sold out", `known.delivery = { ...address, by: 'pickup', gone: true }`,
		"None left to pick up", "address.", "",
	},
	{
		"region not served", `known.delivery = { ...address, from: null }`,
		"New address", "Not shipped to", "address",
	},

	{"in line", room + `'line', ahead: 503 }`, "In line · 503 ahead", "See where you stand", "room"},
	{"next in line", room + `'line', ahead: 0 }`, "You are next", "", "room"},
	{"in line, early", soon + `;` + room + `'start' }`, "Wait for the start · 1:58", "", "room"},
	{"in line, stopped", room + `'line', ahead: 3 }; sale.stopped = true`, "All sales are paused", "", "room"},
	{"in line, paused", room + `'paused' }`, "The sale is paused", "", "room"},
	{"turn", room + `'confirm' }`, "It is your turn", "", "room"},
	{"turn, next wave", wave + `;` + room + `'wave' }`, "More units in 1:58", "", "room"},
	{"turn, sold out", room + `'units' }`, "Sold out · some may come back", "", "room"},

	{"path", trying + `'path' }`, "Asking for a place in the sale …", "", ""},
	{"line", trying + `'line', ahead: 1200 }`, "In line · 1,200 ahead", "You wait for your turn", ""},
	{"human check", trying + `'human_check' }`, "Checking that you are human …", "", ""},
	{"early", soon + `;` + waiting + `'not_started' }`, "Wait for the start · 1:58", "You are in line.", ""},
	{
		"no permit", waiting + `'no_permit' }`,
		"Waiting for your turn …", "this page tries for it", "",
	},
	{"paused meanwhile", waiting + `'sale_paused' }`, "The sale is paused", "it goes on by itself", ""},
	{"stopped meanwhile", waiting + `'sales_stopped' }`, "All sales are paused", "No order is taken now.", ""},
	{
		"hoping", back + `;` + waiting + `'sold_out_unpaid_pending' }`,
		"Waiting for an item", "the item is yours", "",
	},
	{
		"waiting for a wave", wave + `;` + waiting + `'sold_out_for_now' }`,
		"More units in 1:58", "You wait for the next", "",
	},
	{"confirm", trying + `'confirm' }`, "Calculating the amounts …", "", ""},
	{"submit", trying + `'submit' }`, "Placing the order …", "", ""},
	{"task", trying + `'task' }`, "The order is placed", "", ""},
	{
		"submit, offline", trying + `'submit' }` + offline,
		"Reconnecting …", "only counts once", "",
	},
	{"line, offline", trying + `'line', ahead: 2 }` + offline, "No connection. This page keeps trying", "", ""},
}

const (
	soon     = `sale.state = 'upcoming'; sale.starts_at = '2030-01-01T00:01:58Z'`
	back     = `Object.assign(sku, { sold_out: true, unpaid_pending: true, back_within_s: 190 })`
	wave     = `Object.assign(sku, { sold_out: true, next_wave_at: '2030-01-01T00:01:58Z' })`
	reserved = `Object.assign(sku, { sold_out: true, reserved: 2 });
		sale.reserved_for = { until: '2030-01-01T00:01:58Z' }`
	offered = `known.offered = true; sku.sold_out = true`
	room    = `known.wait = { stage: `
	trying  = `known.buying = { running: true, step: `
	offline = `; known.online = false`
	waiting = `known.buying = { running: true, step: 'wait', code: `
)

// readButtons asks button.js for all states in a language, as node runs it.
const readButtons = `
	const [language, ...states] = JSON.parse(process.argv[1]);
	globalThis.localStorage = { getItem: () => language };
	const meta = { getAttribute: () => '{"base":""}' };
	globalThis.document = { documentElement: { dataset: {} }, querySelector: () => meta };
	const load = (name) => import(new URL(name, 'file://' + process.cwd() + '/'));
	const { addTexts } = await load('shared/texts.js');
	for (const name of ['shop/text', 'shared/told']) {
		addTexts({ en: (await load(name + '_en.js')).default, zh: (await load(name + '_zh.js')).default });
	}
	const { buttonOf } = await load('shop/button.js');
	const address = { physical: true, ready: false, known: true, by: 'express' };
	console.log(JSON.stringify(states.map((change) => {
		const sku = { sold_out: false };
		const sale = { state: 'running', starts_at: '2030-01-01T00:00:00Z', human_check: 'none', skus: [sku],
			pay_within_s: 900 };
		const known = { sale, sku, now: Date.parse('2030-01-01T00:00:00Z'), online: true, signed: true, buying: {},
			delivery: { physical: false, ready: true } };
		new Function('known', 'sale', 'sku', 'address', change)(known, sale, sku, address);
		return buttonOf(known);
	})));`

func TestTheButtonSaysItsState(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	type button struct {
		Label, Reason, Act string
		Disabled, Busy     bool
	}
	read := func(language string) (all []button) {
		t.Helper()
		asked := []string{language}
		for _, state := range buttonStates {
			asked = append(asked, state.known)
		}
		states, err := json.Marshal(asked)
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), node, "--input-type=module", "--eval", readButtons, string(states))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.NoError(t, json.Unmarshal(out, &all), "%s", out)
		return all
	}
	english, chinese := read("en"), read("zh")
	for i, want := range buttonStates {
		got := english[i]
		assert.Contains(t, got.Label, want.label, want.name)
		assert.Contains(t, got.Reason, want.reason, want.name)
		assert.Equal(t, want.act, got.Act, want.name)
		assert.Equal(t, want.act == "", got.Disabled || got.Busy, want.name)
		assert.False(t, got.Disabled && got.Reason == "", "%s: a grey button says why", want.name)
		for _, text := range []string{chinese[i].Label, chinese[i].Label + chinese[i].Reason} {
			assert.Regexp(t, `\p{Han}`, text, want.name)
			assert.NotRegexp(t, `[a-z]+_|[{}]|undefined`, text+got.Label+got.Reason, want.name)
		}
	}
}
