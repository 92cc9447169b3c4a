package contract

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/test/kit"
	"onrush/test/site"
)

// cursorOf returns the name of the parameter that continues a list, "" if the operation has none.
func (o *operation) cursorOf() string {
	for _, p := range o.params("query") {
		if p.Name == "after" || p.Name == "before" {
			return p.Name
		}
	}
	return ""
}

// lists are the operations that take a cursor, with a valid request of each.
func (w *world) lists(t testing.TB) map[string]*request {
	t.Helper()
	found := map[string]*request{}
	for _, op := range w.operations {
		if op.cursorOf() != "" {
			found[op.id] = w.good(t, op)
		}
	}
	return found
}

// cursor makes a cursor of what may be in one.
func cursor(form uint8, first, second string) string {
	switch form % 4 {
	case 1:
		return api.FormatCursor(first)
	case 2:
		return api.FormatCursor(first, second)
	case 3:
		return api.FormatCursor("page", first)
	}
	return first
}

// cursors are what a cursor may be made of.
var cursors = []struct {
	form          uint8
	first, second string
}{
	{0, "0", ""},
	{0, "1", ""},
	{0, "9223372036854775807", ""},
	{0, "-1", ""},
	{0, "x", ""},
	{0, "\xff", ""},
	{1, "lamp", ""},
	{1, "", ""},
	{1, "\xff", ""},
	{1, "a\x00b", ""},
	{1, "\ufeff😀", ""},
	{2, "1795170245195", "lamp"},
	{2, "9223372036854775808", "a"},
	{2, "1", "4711-1"},
	{2, "1x", "\xff"},
	{2, "user", "mallory"},
	{2, "user", "\xff\xfe"},
	{2, "\xff", "mallory"},
	{2, "address", "\xed\xa0\x80"},
	{3, "2", ""},
	{3, "1000000", ""},
	{3, "1000001", ""},
	{3, "02", ""},
	{3, "\n2", ""},
}

// refusesCursor requires that the answer to a cursor is a page, or names the cursor.
func refusesCursor(t *testing.T, name string, a site.Answer, what string) {
	t.Helper()
	if a.Status == http.StatusOK {
		return
	}
	require.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s: %s", what, a.Body)
	var p struct {
		Errors []struct{ Field string }
	}
	require.NoError(t, json.Unmarshal(a.Body, &p), what)
	require.Len(t, p.Errors, 1, "%s: %s", what, a.Body)
	require.Equal(t, name, p.Errors[0].Field, "%s: %s", what, a.Body)
}

// FuzzCursorsOfLists sends cursors to all lists, also those that have the form of the program's own.
func FuzzCursorsOfLists(f *testing.F) {
	z := newFuzzed(f)
	ids := make([]string, 0, 40)
	for id := range z.lists(z.tb) {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for i := range ids {
		for _, c := range cursors {
			f.Add(uint8(i), c.form, c.first, c.second)
		}
	}
	good := z.lists(z.tb)
	f.Fuzz(func(t *testing.T, list, form uint8, first, second string) {
		z.next()
		if z.inputs%worldLasts == 0 {
			good = z.lists(z.tb)
		}
		r := good[ids[int(list)%len(ids)]]
		name := r.op.cursorOf()
		target := r.op.at(r.params, r.raw) + "?" + name + "=" + url.QueryEscape(cursor(form, first, second))
		if r.query != "" {
			target += "&" + r.query
		}
		a := z.holdsFor(t, z.caller(r.op).token, http.MethodGet, target, "", nil)
		refusesCursor(t, name, a, target)
	})
}

// A server checks texts that SQLite takes as they are.
func TestCursorsAreCheckedBeforeAStoreGetsThem(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := standing(t, stores)
		for id, good := range w.lists(t) {
			name := good.op.cursorOf()
			for _, c := range cursors {
				text := name + "=" + url.QueryEscape(cursor(c.form, c.first, c.second))
				if good.query != "" {
					text += "&" + good.query
				}
				refusesCursor(t, name, w.caller(good.op).send(t, good.with(query(text))), id+" "+text)
			}
		}
		assert.NotEmpty(t, w.lists(t))
	})
}
