package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/web/client"
)

// mutants is how many bodies each operation gets.
const mutants = 250

func TestMutatedBodiesCauseNoInternalError(t *testing.T) {
	t.Parallel()
	inTurn(t)
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := standing(t, stores)
		seed := uint64(20260101)
		for _, id := range []string{
			"submit", "confirm", "createOrders", "createActivity", "putActivity", "createAddress", "putSKU",
			"putPoint", "changeStock",
		} {
			op := w.byID[id]
			r := rand.New(rand.NewPCG(seed, uint64(len(id))))
			m := mutator{r}
			good, p := w.good(t, op), w.caller(op)
			if strings.HasPrefix(id, "put") {
				// The sale keeps its goods.
				good = good.with(param(op.params("path")[0].Name, "mutant"),
					sent(map[string]object{"putSKU": lampBody, "putPoint": pointBody, "putActivity": saleBody()}[id]))
			}
			taken := 0
			for i := range mutants {
				bad := good.with(key(fmt.Sprintf("%s-%d", id, i)))
				bad.body = m.body(bad.body)
				a := p.send(t, bad)
				assert.Less(t, a.Status, 500, "%s with mutant %d of seed %d: %q → %s", id, i, seed, bad.body, a.Body)
				if a.Status < 300 {
					taken++
				}
			}
			assert.NotZero(t, taken, "some mutants of %s are good", id)
		}
		// What was taken can be stored and shown.
		w.site.Drain(t)
		assert.Empty(t, w.deadBut(t, w.dead))
		assert.True(t, do[client.Audit](t, w.op, 200, "auditActivity", param("activity_id", w.activity)).Ok)
		for before := ""; ; {
			page := w.ada.do(t, 200, "listOrders", query("page_size=100"+before)).JSON(t)
			assert.Equal(t, false, page["partial"])
			next, more := page["next_cursor"].(string)
			if !more {
				break
			}
			before = "&before=" + next
		}
		for _, list := range []string{"listAddresses", "listActivities"} {
			w.ada.do(t, 200, list)
		}
		for _, list := range []string{"listSKUs", "listPoints", "listAdminActivities"} {
			w.op.do(t, 200, list, query("page_size=100"))
		}
	})
}

// deadBut lists the dead entries other than one.
func (w *world) deadBut(t *testing.T, id string) []client.Dead {
	t.Helper()
	items := do[client.DeadList](t, w.op, http.StatusOK, "listDead").Items
	return slices.DeleteFunc(items, func(d client.Dead) bool { return d.DeadID == id })
}

// mutator changes JSON at random.
type mutator struct{ *rand.Rand }

// body returns a changed copy of a body.
func (m mutator) body(good []byte) []byte {
	var v any
	if err := json.Unmarshal(good, &v); err != nil {
		panic(err) // a good body is JSON
	}
	for range 1 + m.IntN(2) {
		v = m.value(v, 0)
	}
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was JSON before
	}
	if m.IntN(4) > 0 {
		return data
	}
	for range 1 + m.IntN(3) { // in bytes
		at := m.IntN(len(data))
		switch m.IntN(3) {
		case 0:
			data[at] = byte(m.IntN(256))
		case 1:
			data = slices.Delete(data, at, min(at+1+m.IntN(8), len(data)))
		default:
			data = slices.Insert(data, at, []byte(strange[m.IntN(len(strange))])...)
		}
		if len(data) == 0 {
			return []byte("{}")
		}
	}
	return data
}

// value changes a value or something in it.
func (m mutator) value(v any, depth int) any {
	if depth > 0 && m.IntN(3) == 0 {
		return m.another()
	}
	switch v := v.(type) {
	case object:
		names := slices.Sorted(maps.Keys(v))
		if len(names) == 0 || m.IntN(12) == 0 {
			v[strange[m.IntN(len(strange))]] = m.another()
			return v
		}
		name := names[m.IntN(len(names))]
		if m.IntN(8) == 0 {
			delete(v, name)
			return v
		}
		v[name] = m.value(v[name], depth+1)
		return v
	case []any:
		if len(v) == 0 || m.IntN(6) == 0 {
			return append(v, m.another())
		}
		if m.IntN(6) == 0 {
			return append(v, v[m.IntN(len(v))])
		}
		at := m.IntN(len(v))
		v[at] = m.value(v[at], depth+1)
		return v
	case string:
		return v[:m.IntN(len(v)+1)] + strange[m.IntN(len(strange))]
	case float64:
		return v * []float64{-1, 0, 2, 10, 1e6, 0.5, 1e12}[m.IntN(7)]
	}
	return m.another()
}

func (m mutator) another() any {
	return []any{
		nil, true, false, 0, -1, 1, 2, 1e18, -1e18, 1.5, 1e-300, "", "0", "1", "lamp",
		[]any{},
		object{},
		[]any{nil},
		object{"": nil},
		json.RawMessage("1e400"),
		json.RawMessage("-0"),
		json.RawMessage("9223372036854775807"),
		json.RawMessage("12345678901234567890123"),
		strange[m.IntN(len(strange))], strings.Repeat(strange[m.IntN(len(strange))], 1+m.IntN(300)),
	}[m.IntN(25)]
}

// strange are texts that may cause errors.
var strange = []string{
	"a", " ", "\t", "\n", "\x00", "\x1b[2J", "\u0085", "\u2028", "\ufeff", "\ufffd", "\u200f", "😀",
	"👩‍👩‍👧", "é", "e\u0301", "ẞ", "İ", "漢", "'", `"`, `\`, "%", "_", "%s%n", "${x}", "{{x}}",
	"<script>", "' OR 1=1 --", "; DROP", "../..", "NaN", "null", "1e9", "-1", ":", "_:_", "{0}", "}", "]", ",", "e:1",
	"__proto__", "\U0010ffff", "𝟙",
}

func TestMutatorMakesGoodAndBadBodies(t *testing.T) {
	t.Parallel()
	m := mutator{rand.New(rand.NewPCG(1, 1))}
	valid := 0
	for range 200 {
		if json.Valid(m.body([]byte(`{"quantity":1,"fields":{"a":"b"},"items":[{"x":1}]}`))) {
			valid++
		}
	}
	require.Greater(t, valid, 100)
	require.Less(t, valid, 200)
}
