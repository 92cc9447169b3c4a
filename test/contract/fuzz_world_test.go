package contract

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/web/client"
)

// fuzzed is a world for a fuzz target. It is replaced after worldLasts inputs, so that the stores do not grow.
type fuzzed struct {
	*world
	tb *lasting

	orderPath string            // an order path for the lamp
	unpaid    string            // a payment that was begun
	callers   []string          // their tokens
	names     *strings.Replacer // from $names, as inputs have them, to what the world has
	inputs    int
	last      *conclusion
	gone      syscall.RawConn
}

// worldLasts is how many inputs a world takes.
const worldLasts = 5000

// conclusion is what the log of a world said last.
type conclusion struct {
	mu   sync.Mutex
	text string
}

// lasting is the testing.TB of a world, which outlives the input that made it.
type lasting struct {
	testing.TB

	log  *conclusion
	ends []func()
}

func (*lasting) Helper()                  {}
func (*lasting) Name() string             { return "fuzzed" }
func (*lasting) Context() context.Context { return context.Background() }
func (l *lasting) Cleanup(end func())     { l.ends = append(l.ends, end) }

func (*lasting) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (*lasting) FailNow()                          { panic("a world can't be made") }

func (l *lasting) Logf(format string, args ...any) { l.Log(fmt.Sprintf(format, args...)) }

func (l *lasting) Log(args ...any) {
	l.log.mu.Lock()
	defer l.log.mu.Unlock()
	l.log.text = fmt.Sprint(args...)
}

// newFuzzed makes the first world of a target.
func newFuzzed(f *testing.F) *fuzzed {
	f.Helper()
	z := &fuzzed{}
	z.renew()
	f.Cleanup(z.close)
	return z
}

func (z *fuzzed) close() {
	for _, end := range slices.Backward(z.tb.ends) {
		end()
	}
}

// next counts an input, and makes a new world if the old one has had enough of them.
func (z *fuzzed) next() {
	if z.inputs++; z.inputs%worldLasts == 0 {
		z.close()
		z.renew()
	}
}

// renew makes a world.
func (z *fuzzed) renew() { patiently(z.build, z.close) }

// patiently builds something, again if a busy machine has answered one of its requests too late.
func patiently(build, undo func()) {
	late := func() (why any) {
		defer func() { why = recover() }()
		build()
		return nil
	}
	for range 4 {
		if late() == nil {
			return
		}
		undo()
	}
	build()
}

// build makes a world with one of each resource. Its sale needs no permits, its buyer has an unpaid order and a paid
// one, and its callers are all kinds of callers.
func (z *fuzzed) build() {
	z.last, z.gone = &conclusion{}, nil
	z.tb = &lasting{log: z.last}
	t := z.tb
	z.world = open(t, kit.OnEmbedded(t)).offer(t)
	z.makesOneOfEach(t)
	z.orderPath = z.path(t, z.ada)
	begun := do[client.Payment](t, z.ada, 201, "beginPayment", key("unpaid"),
		sent(object{"order_numbers": []any{z.number}, "channel": "sandbox"}))
	z.unpaid = begun.PayNumber
	page, err := url.Parse(begun.Next.RedirectURL)
	require.NoError(t, err)
	keyed := do[client.Key](t, z.op, 201, "createKey", key("read"), sent(object{"name": "r", "scope": "read"}))
	z.callers = []string{
		"", z.ada.token, z.op.token, z.buyer(t, "eve").token, keyed.Secret, forged(t, "ada"),
	}
	names := z.known()
	names = append(names, "$token", page.Query().Get("t"))
	z.names = strings.NewReplacer(names...)
}

// known are the names by which inputs call the values that differ in each world, each with its value.
func (z *fuzzed) known() []string {
	t := z.tb
	spare := do[client.Address](t, z.ada, 201, "createAddress", sent(addressBody)).AddressID
	return []string{
		"$activity", z.activity, "$draft", z.draft, "$coming", z.comingSale(t), "$place", z.place(t), "$room", z.room,
		"$address", z.address, "$spare", spare, "$order", z.number, "$task", z.task, "$dead", z.dead,
		"$paid", z.money.order, "$payment", z.money.payment, "$refund", z.money.refund, "$many", z.many.order,
		"$voucher", z.voucher, "$delivery", z.delivery, "$key", z.key, "$unpaid", z.unpaid, "$path", z.orderPath,
		"$version", z.version(t),
	}
}

// expand puts what the world has in place of its names; $once is different in each input.
func (z *fuzzed) expand(text string) string {
	if !strings.Contains(text, "$") {
		return text
	}
	return strings.ReplaceAll(z.names.Replace(text), "$once", strconv.Itoa(z.inputs))
}

// seed is a request with names in place of the values that differ in each world.
type seed struct{ id, params, query, header, body string }

// seeds returns a valid request for each operation.
func (z *fuzzed) seeds(f *testing.F) []seed {
	f.Helper()
	known := z.known()
	pairs := make([]string, 0, len(known))
	for i := 0; i < len(known); i += 2 {
		if known[i+1] != "" {
			pairs = append(pairs, known[i+1], known[i])
		}
	}
	named := strings.NewReplacer(pairs...)
	var all []seed
	for _, op := range z.operations {
		if op.id == "startCrowd" {
			continue // a crowd buys for seconds
		}
		r := z.good(z.tb, op)
		s := seed{id: op.id, query: named.Replace(r.query), body: named.Replace(string(r.body))}
		var params, lines []string
		for _, p := range op.params("path") {
			params = append(params, named.Replace(url.PathEscape(r.params[p.Name])))
		}
		for name := range r.header {
			lines = append(lines, name+": "+r.header.Get(name))
		}
		if op.takesKey() {
			lines = append(lines, "Idempotency-Key: $once")
		}
		s.params, s.header = strings.Join(params, "/"), strings.Join(lines, "\n")
		all = append(all, s)
	}
	for id, name := range map[string]string{
		"deleteAddress": "$spare", "deleteActivity": "$draft", "takeActivityOffline": "$coming",
		"pauseActivity": "$room",
	} {
		i := slices.IndexFunc(all, func(s seed) bool { return s.id == id })
		all[i].params = name
	}
	const json = "Content-Type: application/json"
	return append(all,
		seed{id: "notifyPayment", params: "sandbox", header: json, body: `{"type":"payment.succeeded","data":{}}`},
		seed{id: "getSandboxPage", params: "$unpaid", query: "t=$token"},
		seed{id: "getSandboxState", params: "$unpaid", query: "t=$token"},
		seed{id: "watchMyEvents", query: "after=1", header: "Last-Event-ID: 2"},
		seed{id: "getSandboxAsset", params: "sandbox.js"},
		seed{id: "actOnSandbox", params: "$unpaid/pay", query: "t=$token"},
		seed{id: "actOnSandbox", params: "$unpaid/pay-late", query: "t=$token", header: json, body: `{"after_s":30}`},
	)
}

// undo takes back what would make all further requests fail alike.
func (z *fuzzed) undo(method, target string, a int) {
	if a >= http.StatusMultipleChoices {
		return
	}
	path, _, _ := strings.Cut(target, "?")
	switch {
	case method == http.MethodPatch && strings.HasSuffix(path, "/settings"):
		z.op.do(z.tb, 200, "changeSettings", sent(object{
			"limits": nil, "limit_user": nil, "limit_address": nil, "limit_network": nil, "limit_strangers": nil,
			"limit_instance": nil, "limit_routes": nil, "image_hosts": nil,
			"log": nil, "degrade": nil, "sales_stopped": nil,
		}))
	case method == http.MethodPut && strings.Contains(path, "/blocked/"),
		method == http.MethodPut && strings.Contains(path, "/endpoints/") && !strings.HasSuffix(path, "/erp"):
		_, _ = z.ask(z.op.token, http.MethodDelete, path, "", nil) // what was refused is not there
	case method == http.MethodPut && strings.HasSuffix(path, "/endpoints/erp"):
		z.op.do(z.tb, 200, "putEndpoint", param("endpoint_id", "erp"), sent(object{"url": "http://127.0.0.1:1"}))
	}
}

// unpaidAt begins a payment and gives it to another channel.
func (z *fuzzed) unpaidAt(channel, currency string) order.Number {
	t := z.tb
	placed := z.places(t, "for-"+channel)
	z.site.Drain(t)
	begun := do[client.Payment](t, z.ada, 201, "beginPayment", key("for-"+channel),
		sent(object{"order_numbers": []any{placed.OrderNumber}, "channel": "sandbox"}))
	n, err := order.ParseNumber(begun.PayNumber)
	require.NoError(t, err)
	_, err = z.stores.DB.Write.ExecContext(t.Context(),
		`UPDATE payments SET channel = ?, currency = ? WHERE pay_number = ?`, channel, currency, n)
	require.NoError(t, err)
	return n
}
