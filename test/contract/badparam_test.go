package contract

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
)

// odd are values that no path parameter may have, escaped as in the request line.
var odd = []string{
	"%20", "%00", "a%00b", "%0d%0aX-Injected:%201", "%2f", "a%2fb", "..%2f..%2fetc%2fpasswd", "%2e%2e", "%5c",
	"%27%20OR%20%271%27=%271", "1;DROP%20TABLE%20orders", "%25%25%25", "%", "%zz", "%ff", "%c0%af", "%ed%a0%80",
	"%F0%9F%98%80", "%D9%A1%D9%A2", "ä", "*", "%3F", "%23", "+", "-", "+1", "0x10", "1e3", "0", "-1", "00", "1.0",
	"9223372036854775807", "9223372036854775808", "18446744073709551616", "null", "undefined", "%7B%7D", "%5B%5D", "{}",
	"onrush:%7B1%7D:lock_log", "1-", "1-x", "-x", "99-x", "1~a~b~c", "1...", "....", "nothing",
}

func TestInvalidPathParametersAreRefused(t *testing.T) {
	t.Parallel()
	inTurn(t)
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := standing(t, stores)
		for _, op := range w.operations {
			for _, p := range op.params("path") {
				w.oddOnes(t, op, p)
			}
		}
	})
}

func (w *world) oddOnes(t *testing.T, op *operation, p *openapi3.Parameter) {
	t.Helper()
	good := w.good(t, op)
	if op.id == "replaceAddress" {
		sent(addressBody)(good) // without an id, which would have to be the path's
	}
	value := good.params[p.Name]
	values := append([]string{
		strings.Repeat("x", 33), strings.Repeat("x", 600), strings.Repeat("%F0%9F%98%80", 300),
		url.PathEscape(strings.Repeat("1", 40)),
		// Nearly a stored value: SQL must not take it for the same.
		value + "%20", value + "%00", value + "%0a", value + "%09", "%20" + value, value + "%E2%80%8B", value + "x",
		value[:len(value)-1] + "_", strings.ToUpper(value[:1]) + value[1:] + "%20", value + "'--", value + "%25",
	}, odd...)
	creates := slices.Contains([]string{
		"putSKU", "putPoint", "putActivity", "putActivityFile", "putBlocked", "putEndpoint",
	}, op.id)
	for _, v := range values {
		if plain, err := url.PathUnescape(v); creates && err == nil && p.Schema.Value.VisitJSON(plain) == nil {
			continue // that makes another one
		}
		a := w.caller(op).send(t, good.with(func(r *request) { r.raw[p.Name] = v }))
		want := []int{http.StatusNotFound}
		switch {
		case v == "%2e%2e", strings.HasPrefix(v, "..%2f"):
			want = []int{http.StatusBadRequest} // no path may have the segment ..
		case p.Name == "path", p.Name == "place":
			want = []int{http.StatusForbidden}
		case op.id == "deletePoint" && v == "0":
			want = []int{http.StatusConflict} // it exists, and the sale has stock there
		case creates:
			want = []int{http.StatusUnprocessableEntity}
		case op.id == "exportUser" || op.id == "getUserTrail": // any user may have been one of the platform's
			want = []int{http.StatusNotFound, http.StatusOK}
		case op.id == "eraseUser": // the body names another one
			want = []int{http.StatusNotFound, http.StatusUnprocessableEntity}
		}
		assert.Contains(t, want, a.Status, "%s with %s=%s: %s", op.id, p.Name, v, a.Body)
		assert.Empty(t, a.Header.Get("X-Injected"))
	}
}

func TestInvalidQueriesAreRefused(t *testing.T) {
	t.Parallel()
	inTurn(t)
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := standing(t, stores)
		for _, op := range w.operations {
			queries := op.params("query")
			if len(queries) == 0 {
				continue
			}
			good, p := w.good(t, op), w.caller(op)
			wrong := []string{
				"colour=red", "Page=1", "page[]=1", "%00=1", "%ff=1", strings.Repeat("q", 3000) + "=1", "x=1&y=2&z=3",
			}
			for _, q := range queries {
				wrong = append(wrong, wrongQueries(q)...)
			}
			for _, q := range wrong {
				a := p.send(t, good.with(query(q)))
				assert.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s?%s: %s", op.id, q, a.Body)
				assert.Equal(t, "invalid_request", a.Code(), "%s?%s", op.id, q)
			}
		}
		a := w.ada.send(t, w.request(t, "listOrders", query("page=1&before=5")))
		assert.Equal(t, http.StatusUnprocessableEntity, a.Status)
		for _, q := range []string{
			"name=%25", "name=_", "name='", "name=%F0%9F%98%80", "name=%5C", "status=", "name=&shop_id=&order_number=",
		} {
			assert.Equal(t, http.StatusOK, w.ada.send(t, w.request(t, "listOrders", query(q))).Status, q)
		}
	})
}

// free are parameters that take any line of text.
var free = regexp.MustCompile(`^(name|user_id|actor|on|q|room_id|share_code|share_source|inviter_id|value)$`)

// isAnyLine reports whether a parameter is the cursor of a list of texts.
func isAnyLine(q *openapi3.Parameter) bool { return q.Name == "after" && q.Schema.Value.Pattern == "" }

// wrongQueries are queries with a value that the file doesn't let the parameter have.
func wrongQueries(q *openapi3.Parameter) []string {
	if q.Name == "ticket" {
		return nil // it stands for a token, and is refused as one
	}
	values := []string{
		"%00", "a%00", "%0a", "%ff", "%ed%a0%80", "%1b", strings.Repeat("9", 201), strings.Repeat("%F0%9F%98%80", 201),
	}
	if q.Name == "client_reference" {
		values = append(values, "%20", "a%20b", "%7f", "%C3%A4", strings.Repeat("r", 65))
	} else if !free.MatchString(q.Name) && !isAnyLine(q) {
		values = append(values, "%20", "a%20b", "%27", "%F0%9F%98%80", "!", "a,b", "null%20")
		if q.Schema.Value.VisitJSON("1.5") != nil { // it is an id
			values = append(values, "1.5")
		}
	}
	s := q.Schema.Value
	if s.Type.Is("integer") {
		values = append(values, "", "0", "01", "+1", "1e1", "%201", "x", "1000001", "99999999999999999999")
	}
	if len(s.Enum) > 0 {
		values = append(values, "other", "NULL")
		if upper := strings.ToUpper(s.Enum[0].(string)); upper != s.Enum[0] {
			values = append(values, upper)
		}
	}
	if q.Schema.Ref == "#/components/schemas/OrderNumber" {
		values = append(values, "0", "01", "+1", "x", "9223372036854775808")
	}
	var queries []string
	for _, v := range values {
		queries = append(queries, q.Name+"="+v)
	}
	if q.Name == "user_id" {
		queries = append(queries, "user_id=ada%20", "user_id=ada+", "user_id="+strings.Repeat("u", 65))
	}
	return append(queries, q.Name+"=1&"+q.Name+"=1")
}
