package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/test/site"
	"onrush/web"
)

// FuzzRequests sends requests to the whole program on embedded stores, over a connection in memory. No request may
// cause a panic or an error of the server, and each refusal is a problem as the file describes it.
func FuzzRequests(f *testing.F) {
	z := newFuzzed(f)
	for _, s := range z.seeds(f) {
		for who := range uint8(4) {
			f.Add(s.id, who, "", s.params, s.query, s.header, []byte(s.body))
		}
	}
	f.Fuzz(func(t *testing.T, id string, who uint8, method, params, query, header string, body []byte) {
		z.next()
		op := z.operation(id)
		if method == "" {
			method = op.method
		}
		method = oneLine.Replace(method)
		body = []byte(z.expand(string(body)))
		if who < asSent {
			params, query = visible(params), visible(query)
		}
		target := z.target(op, z.expand(params), z.expand(query))
		if dials(method, target, body) {
			return
		}
		caller := z.caller(op).token
		if who %= uint8(len(z.callers) + 1); who > 0 {
			caller = z.callers[who-1]
		}
		z.holdsFor(t, caller, method, target, z.expand(header), body)
	})
}

// asSent is how who says that bytes are sent as they are, which the HTTP server refuses before any route gets them.
const asSent = 0x80

// visible escapes a part of a target as clients do.
func visible(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c > '~' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// oneLine keeps a part of a request's head in its line.
var oneLine = strings.NewReplacer("\r", "", "\n", "")

// operation finds an operation by its id; any other text stands for one of them.
func (z *fuzzed) operation(id string) *operation {
	if op := z.byID[id]; op != nil {
		return op
	}
	all := len(z.operations) + len(z.elsewhere)
	h := fnv.New32a()
	_, _ = io.WriteString(h, id)
	i := int(h.Sum32()) % all
	if i < len(z.operations) {
		return z.operations[i]
	}
	return z.elsewhere[i-len(z.operations)]
}

// target returns the target of a request line. The parameters of the path are separated by slashes.
func (z *fuzzed) target(op *operation, params, query string) string {
	path, names := op.path, op.params("path")
	values := strings.SplitN(params, "/", max(len(names), 1))
	for i, p := range names {
		value := ""
		if i < len(values) {
			value = values[i]
		}
		path = strings.ReplaceAll(path, "{"+p.Name+"}", value)
	}
	if query != "" {
		path += "?" + query
	}
	return oneLine.Replace(path)
}

// dials reports whether a request makes the program do more than answer it: let a crowd buy, or look up the name of a
// host.
func dials(method, target string, body []byte) bool {
	if strings.Contains(target, "/dev/crowd") {
		return method == http.MethodPost
	}
	if method != http.MethodPut || !strings.Contains(target, "/endpoints/") {
		return false
	}
	var fields map[string]any
	if json.Unmarshal(body, &fields) != nil {
		return false
	}
	for name, value := range fields {
		text, _ := value.(string)
		u, err := url.Parse(text)
		if !strings.EqualFold(name, "url") || err != nil || u.Hostname() == "" {
			continue
		}
		if _, err := netip.ParseAddr(u.Hostname()); err != nil {
			return true
		}
	}
	return false
}

// ask sends a request with a token, and returns its answer; io.EOF is none. header has lines.
func (z *fuzzed) ask(token, method, target, header string, body []byte) (site.Answer, error) {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n", method, target)
	framed := false
	for line := range strings.SplitSeq(header, "\n") {
		if line = oneLine.Replace(line); line != "" {
			text.WriteString(line + "\r\n")
			lower := strings.ToLower(line)
			framed = framed || strings.HasPrefix(lower, "content-length") ||
				strings.HasPrefix(lower, "transfer-encoding")
		}
	}
	if token != "" {
		text.WriteString("Authorization: Bearer " + token + "\r\n")
	}
	if len(body) > 0 && !framed {
		text.WriteString("Content-Length: " + strconv.Itoa(len(body)) + "\r\n")
	}
	text.WriteString("\r\n")
	text.Write(body)
	if z.gone == nil {
		z.gone = closedByPeer(z.tb)
	}
	conn := &memoryConn{in: bytes.NewReader(text.Bytes()), gone: z.gone}
	_ = z.site.Server.App.Server().ServeConn(conn) // it returns what it answers, too
	return conn.answer(method)
}

// patience is how often a request is sent that a busy server could not answer in time.
const patience = 20

// holdsFor sends a request and requires that its answer is one that the file allows. A server that is busy may answer
// that a store is unavailable: the same request is then sent again.
func (z *fuzzed) holdsFor(t *testing.T, token, method, target, header string, body []byte) site.Answer {
	t.Helper()
	var a site.Answer
	var err error
	for range patience {
		a, err = z.ask(token, method, target, header, body)
		if a.Status != http.StatusServiceUnavailable || z.excused(target, a) {
			break
		}
	}
	if errors.Is(err, io.EOF) {
		return a // the request broke off
	}
	what := fmt.Sprintf("%s %s\n%s\n%.2000q\n→ %d %.2000s\nlog: %s", method, target, header, body, a.Status, a.Body,
		z.said())
	require.NoError(t, err, what)
	z.undo(method, target, a.Status)
	if a.Status < http.StatusBadRequest {
		return a
	}
	require.True(t, a.Status < http.StatusInternalServerError || z.excused(target, a), what)
	if method != http.MethodHead {
		z.refusedAsSaid(t, a, what)
	}
	return a
}

// excused reports whether an error of the server is one that the file describes: a notification that is signed and
// can't be read, which the gateway shall send again, and a route that an operator has turned off.
func (z *fuzzed) excused(target string, a site.Answer) bool {
	if a.Status != http.StatusServiceUnavailable {
		return false
	}
	return a.Code() == "unavailable" && strings.HasPrefix(target, "/webhooks/") || a.Code() == "degraded"
}

// refusedAsSaid requires that an answer is a problem as the file describes it.
func (z *fuzzed) refusedAsSaid(t *testing.T, a site.Answer, what string) {
	t.Helper()
	require.Equal(t, web.ProblemType, a.Header.Get("Content-Type"), what)
	var problem map[string]any
	require.NoError(t, json.Unmarshal(a.Body, &problem), what)
	require.NoError(t, z.conforms(z.doc.Components.Schemas["Problem"].Value, problem), what)
	require.EqualValues(t, a.Status, problem["status"], what)
	code, _ := problem["code"].(string)
	require.Equal(t, "urn:onrush:problem:"+code, problem["type"], what)
}

// said is what the log of the world said last.
func (z *fuzzed) said() string {
	z.last.mu.Lock()
	defer z.last.mu.Unlock()
	return z.last.text
}
