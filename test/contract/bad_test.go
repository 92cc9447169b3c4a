package contract

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web"
)

// standing returns a shop with at least one resource of each kind.
func standing(t *testing.T, stores *kit.Stores) *world {
	t.Helper()
	w := open(t, stores).offer(t)
	w.makesOneOfEach(t)
	return w
}

func TestEveryRouteRequiresATokenOfItsRole(t *testing.T) {
	t.Parallel()
	inTurn(t)
	w := standing(t, kit.OnEmbedded(t))
	tokens := map[string]string{
		"none": "", "no scheme": "x", "another scheme": "Basic eDp5", "no token": "Bearer ", "garbage": "Bearer x.y.z",
		"too long": "Bearer " + strings.Repeat("x", 9000), "of nobody": "Bearer " + forged(t, ""),
		"of a name that ends in a space": "Bearer " + forged(t, "ada "),
		"of another secret":              "Bearer " + forged(t, "ada"),
		"of no algorithm": "Bearer eyJhbGciOiJub25lIn0." +
			"eyJzdWIiOiJhZGEiLCJyb2xlIjoiYWRtaW4iLCJleHAiOjk5OTk5OTk5OTl9.",
	}
	for _, op := range w.operations {
		if op.role() == "" {
			continue
		}
		good := w.good(t, op)
		for name, header := range tokens {
			a := (&person{shop: w.shop}).send(t, good.with(func(r *request) {
				if header != "" {
					r.header.Set("Authorization", header)
				}
			}))
			if name == "none" && op.isPublic() {
				assert.Equal(t, http.StatusOK, a.Status, "%s without a token: %s", op.id, a.Body)
				continue
			}
			assert.Equal(t, http.StatusUnauthorized, a.Status, "%s with token %s: %s", op.id, name, a.Body)
		}
		if op.role() == web.RoleAdmin {
			assert.Equal(t, http.StatusForbidden, w.ada.send(t, good).Status, op.id)
		}
	}
}

// forged returns a token that is valid except for its signature.
func forged(t testing.TB, user string) string {
	t.Helper()
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"sub": user, "role": "admin", "exp": time.Now().Add(time.Hour).Unix(),
	}).SignedString([]byte("another secret of more than thirty-two bytes"))
	require.NoError(t, err)
	return text
}

func TestEveryBodyMustBePlainJSONOfABoundedSize(t *testing.T) {
	t.Parallel()
	inTurn(t)
	w := standing(t, kit.OnEmbedded(t))
	for _, op := range w.operations {
		if op.body() == nil {
			continue
		}
		good, p := w.good(t, op), w.caller(op)
		for _, kind := range []string{
			"", "text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
			"application/json; charset=latin1", "application/jsonp", "json",
		} {
			a := p.send(t, good.with(func(r *request) { r.header.Set("Content-Type", kind) }))
			assert.Equal(t, http.StatusUnsupportedMediaType, a.Status, "%s with type %q: %s", op.id, kind, a.Body)
		}
		for _, encoding := range []string{"gzip", "br", "deflate", "x"} {
			a := p.send(t, good.with(func(r *request) {
				r.header.Set("Content-Encoding", encoding)
				r.body = zipped(t, r.body)
			}))
			assert.Equal(t, http.StatusUnsupportedMediaType, a.Status, "%s with encoding %s: %s",
				op.id, encoding, a.Body)
		}
		head := op.method + " " + op.at(good.params, nil) +
			" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nIdempotency-Key: k\r\n" +
			"Authorization: Bearer " + p.token + "\r\n"
		length := 64<<10 + 1
		if op.role() == web.RoleAdmin {
			length = 16<<20 + 1
		}
		a := w.raw(t, fmt.Sprintf("%sContent-Length: %d\r\n\r\n", head, length)) // the length is enough
		assert.Equal(t, http.StatusRequestEntityTooLarge, a.Status, op.id)
		p.holds(t, good, a)
		a = w.raw(t, head+"X-Long: "+strings.Repeat("x", 20000)+"\r\n\r\n")
		assert.Equal(t, http.StatusRequestHeaderFieldsTooLarge, a.Status, op.id)
		p.holds(t, good, a)
		bad := maps.Clone(malformed)
		if !op.op.RequestBody.Value.Required {
			delete(bad, "nothing")
		}
		p.refused(t, good, bad)
	}
}

// malformed are bodies that are not a JSON object, or an ambiguous one.
var malformed = map[string]string{
	"nothing": "", "a space": " ", "an open object": "{", "an open string": `{"quantity":1,"x":"`, "a list": "[]",
	"an open list": "[", "null": "null", "a number": "1",
	"a string": `"x"`, "two objects": "{}{}", "a rest": "{} x",
	"a trailing comma": `{"quantity":1,}`, "single quotes": `{'quantity':1}`,
	"a comment": `{/* */}`, "NaN": `{"quantity":NaN}`, "no value": `{"quantity":}`, "a byte order mark": "\ufeff{}",
	"UTF-16":   "\xff\xfe{\x00}\x00",
	"no UTF-8": "{\"remark\":\"\xff\xfe\"}", "half a surrogate": `{"remark":"\ud800"}`,
	"an overlong NUL": "{\"remark\":\"\xc0\x80\"}", "a raw NUL": "{\"remark\":\"\x00\"}",
	"a NUL behind": "{}\x00", "deep lists": `{"items":` + strings.Repeat("[", 20000),
	"deep objects":    strings.Repeat(`{"items":`, 5000),
	"deep and closed": `{"items":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}",
	"a huge number":   `{"quantity":1e400}`,
	"many digits":     `{"quantity":` + strings.Repeat("9", 5000) + "}",
	"a field twice": `{"quantity":1,"quantity":1,"title":"a","title":"b","user_id":"a","user_id":"b",` +
		`"receiver":"a","receiver":"b"}`,
	"a long name": `{"` + strings.Repeat("n", 30000) + `":1}`, "an empty name": `{"":1}`,
	"a name of control characters": `{"\u0000\u001b[31m":1}`, "a field of another case": `{"QUANTITY":1}`,
	"its prototype": `{"__proto__":{"quantity":1}}`,
}

// refused sends bodies instead of the valid one; all must be invalid_request.
func (p *person) refused(t *testing.T, good *request, bodies map[string]string) {
	t.Helper()
	for name, body := range bodies {
		a := p.send(t, good.with(func(r *request) { r.body = []byte(body) }))
		assert.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s with %s: %s", good.op.id, name, a.Body)
		assert.Equal(t, "invalid_request", a.Code(), "%s with %s: %s", good.op.id, name, a.Body)
	}
}

func zipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	_, err := zip.Write(data)
	require.NoError(t, err)
	require.NoError(t, zip.Close())
	return out.Bytes()
}

// A version comes from the ETag of an answer; a change that was made from another one is refused.
func TestVersionsOfWhatOperatorsEditAreReadFromTheHeader(t *testing.T) {
	t.Parallel()
	inTurn(t)
	w := standing(t, kit.OnEmbedded(t))
	asked := 0
	for _, op := range w.operations {
		if !op.takes("If-Match") {
			continue
		}
		asked++
		good, p := w.good(t, op), w.caller(op)
		from := func(version string) site.Answer {
			return p.send(t, good.with(func(r *request) { r.header.Set("If-Match", version) }))
		}
		for _, version := range []string{
			"1", `"`, `""`, `"0"`, `"-1"`, `"1.5"`, `"x"`, `"1", "2"`, `w/"1"`, "*", `"9e3"`,
		} {
			a := from(version)
			assert.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s from %s: %s", op.id, version, a.Body)
			assert.Contains(t, string(a.Body), `"field":"If-Match"`, op.id)
		}
		for _, version := range []string{`"9007199254740990"`, `W/"9007199254740990"`} {
			a := from(version)
			if op.id == "publishActivity" { // it is published: a request that is repeated changes nothing
				assert.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
				continue
			}
			assert.Equal(t, http.StatusConflict, a.Status, "%s from %s: %s", op.id, version, a.Body)
			if op.id != "deletePoint" { // the sale has stock there
				assert.Equal(t, "stale_version", a.Code(), op.id)
			}
		}
		if op.takes("If-None-Match") {
			a := p.send(t, good.with(func(r *request) { r.header.Set("If-None-Match", "*") }))
			assert.Equal(t, "stale_version", a.Code(), "%s where there is one: %s", op.id, a.Body)
			assert.Contains(t, string(a.Body), `"changes":[{"change_id":`, "%s says who made it", op.id)
			a = p.send(t, good.with(func(r *request) { r.header.Set("If-None-Match", `"1"`) }))
			assert.Contains(t, string(a.Body), `"field":"If-None-Match"`, op.id)
		}
	}
	assert.Equal(t, 17, asked)
}

func TestIdempotencyKeysAreVisibleASCII(t *testing.T) {
	t.Parallel()
	inTurn(t)
	w := standing(t, kit.OnEmbedded(t))
	asked := 0
	for _, op := range w.operations {
		if !op.takesKey() {
			continue
		}
		asked++
		good, p := w.good(t, op), w.caller(op)
		if op.needsKey() {
			missing := p.send(t, good.with(func(r *request) { r.header.Del("Idempotency-Key") }))
			assert.Equal(t, http.StatusUnprocessableEntity, missing.Status, op.id)
			assert.Equal(t, "idempotency_key_required", missing.Code(), op.id)
		}
		for _, k := range []string{
			strings.Repeat("k", 129), strings.Repeat("k", 5000), "a b", "a\tb", "käse", "\xff", "鍵", "😀",
		} {
			r := good.with()
			r.header["Idempotency-Key"] = []string{k}
			a := p.send(t, r)
			assert.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s with key %q: %s", op.id, k, a.Body)
			assert.Equal(t, "invalid_request", a.Code(), "%s with key %q", op.id, k)
		}
		for _, second := range []string{"good-" + op.id, "another"} {
			r := good.with()
			r.header["Idempotency-Key"] = []string{"good-" + op.id, second}
			a := p.send(t, r)
			assert.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s with two keys: %s", op.id, a.Body)
			assert.Contains(t, string(a.Body), `"field":"Idempotency-Key"`, op.id)
		}
		if op.needsKey() { // TestEveryPostIsSafeToRepeat has the others
			a := p.send(t, good.with(key(strings.Repeat("~", 128))))
			assert.Less(t, a.Status, 300, "%s with the longest key: %s", op.id, a.Body)
		}
	}
	assert.Equal(t, 54, asked)
}
