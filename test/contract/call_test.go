package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web"
)

// shop is an instance of the program that is called as the file says.
type shop struct {
	*file
	site   *site.Site
	stores *kit.Stores
	client *http.Client

	covered *coverage // counts the calls; nil in tests that are not of a resource
}

func open(t testing.TB, stores *kit.Stores) *shop {
	t.Helper()
	s := &shop{file: read(t), stores: stores}
	s.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}, Timeout: 30 * time.Second}
	s.site = site.Start(t, stores, site.Idle(), site.Configured(func(cfg *server.Config) {
		cfg.EventsAllowPrivate = []string{"true"} // the receivers of a test are on this machine
	}))
	t.Cleanup(s.client.CloseIdleConnections)
	s.raw(t, "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") // it serves: it can be stopped
	return s
}

// person calls with a token; "" is none.
type person struct {
	*shop
	name, token string
}

func (s *shop) person(t testing.TB, name string, role web.Role) *person {
	t.Helper()
	token, err := s.site.Server.Auth.Sign(name, role, time.Hour, "members")
	require.NoError(t, err)
	return &person{shop: s, name: name, token: token}
}

func (s *shop) buyer(t testing.TB, name string) *person {
	t.Helper()
	return s.person(t, name, web.RoleUser)
}

func (s *shop) operator(t testing.TB) *person {
	t.Helper()
	return s.person(t, "operator", web.RoleAdmin)
}

// request is one call of an operation.
type request struct {
	op     *operation
	params map[string]string // of the path
	raw    map[string]string // the same, unescaped; they take precedence
	query  string
	header http.Header
	body   []byte
}

// part is something that a request has.
type part func(*request)

func param(name, value string) part { return func(r *request) { r.params[name] = value } }
func query(q string) part           { return func(r *request) { r.query = q } }
func key(k string) part             { return func(r *request) { r.header.Set("Idempotency-Key", k) } }

// sent is a body, of JSON.
func sent(v any) part {
	return func(r *request) {
		var body bytes.Buffer
		w := json.NewEncoder(&body)
		w.SetEscapeHTML(false)
		if err := w.Encode(v); err != nil {
			panic(err) // a body of a test that can't be written
		}
		r.body = body.Bytes()
		r.header.Set("Content-Type", "application/json")
	}
}

func (s *shop) request(t testing.TB, id string, parts ...part) *request {
	t.Helper()
	op, ok := s.byID[id]
	require.True(t, ok, "the file has no operation %s", id)
	r := &request{op: op, params: map[string]string{}, raw: map[string]string{}, header: http.Header{}}
	for _, p := range parts {
		p(r)
	}
	return r
}

// with returns a copy of the request with other parts.
func (r *request) with(parts ...part) *request {
	c := *r
	c.params, c.raw, c.header = maps.Clone(r.params), maps.Clone(r.raw), r.header.Clone()
	for _, p := range parts {
		p(&c)
	}
	return &c
}

// do sends a request that conforms to the file, and requires the status; the answer must conform too.
func (p *person) do(t testing.TB, want int, id string, parts ...part) site.Answer {
	t.Helper()
	r := p.request(t, id, parts...)
	require.NoError(t, p.fits(r), "the request of %s doesn't fit the file: %s", id, r.body)
	a := p.send(t, r)
	require.Equal(t, want, a.Status, "%s: %s", id, a.Body)
	return a
}

// do is person.do of an answer that is read as a type of package client.
func do[T any](t testing.TB, p *person, want int, id string, parts ...part) T {
	t.Helper()
	return site.Read[T](t, want, p.do(t, want, id, parts...))
}

// fits checks a request against the file.
func (p *person) fits(r *request) error {
	req, err := p.http(context.Background(), r)
	if err != nil {
		return err
	}
	input, schema := p.input(r, req), r.op.body()
	var body any
	if schema == nil || r.header.Get("Content-Type") != "application/json" || json.Unmarshal(r.body, &body) != nil {
		return openapi3filter.ValidateRequest(req.Context(), input)
	}
	input.Options.ExcludeRequestBody = true
	if err := openapi3filter.ValidateRequest(req.Context(), input); err != nil {
		return err
	}
	return p.conforms(schema, body)
}

func (p *person) input(r *request, req *http.Request) *openapi3filter.RequestValidationInput {
	return &openapi3filter.RequestValidationInput{
		Request: req, PathParams: r.params,
		Route: &routers.Route{
			Spec: p.doc, Path: r.op.path, PathItem: r.op.item, Method: r.op.method, Operation: r.op.op,
		},
		Options: &openapi3filter.Options{
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true,
			SkipSettingDefaults: true,
		},
	}
}

func (p *person) http(ctx context.Context, r *request) (*http.Request, error) {
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, r.op.method, p.site.URL, body)
	if err != nil {
		return nil, err
	}
	req.Header = r.header.Clone()
	if p.token != "" && req.Header.Get("Authorization") == "" {
		req.Header.Set("Authorization", "Bearer "+p.token)
	}
	// Opaque is written into the request line unchanged.
	req.URL.Opaque, req.URL.RawQuery = r.op.at(r.params, r.raw), r.query
	return req, nil
}

// send sends any request; its answer must conform to the file.
func (p *person) send(t testing.TB, r *request) site.Answer {
	t.Helper()
	req, err := p.http(context.WithoutCancel(t.Context()), r)
	require.NoError(t, err)
	before := p.changes(t)
	res, err := p.client.Do(req)
	require.NoError(t, err, "%s %s", r.op.id, req.URL.Opaque)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	a := site.Answer{Status: res.StatusCode, Header: res.Header, Body: body}
	if r.op.id == "startCrowd" && a.Status == http.StatusAccepted {
		p.crowdEnds(t)
	}
	p.holds(t, r, a)
	p.records(t, r, a, p.changes(t)-before)
	return a
}

// holds checks an answer against the file, and against the rules in the file for all answers.
func (p *person) holds(t testing.TB, r *request, a site.Answer) {
	t.Helper()
	what := r.op.id + " " + r.op.at(r.params, r.raw) + "?" + r.query + " " + clip(r.body) + " → " + clip(a.Body)
	req, err := p.http(context.WithoutCancel(t.Context()), r)
	require.NoError(t, err)
	isJSON := a.Status != http.StatusNotModified && strings.Contains(a.Header.Get("Content-Type"), "json")
	err = openapi3filter.ValidateResponse(req.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: p.input(r, req), Status: a.Status, Header: a.Header,
		Body:    io.NopCloser(bytes.NewReader(a.Body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, ExcludeResponseBody: isJSON},
	})
	if err == nil && isJSON {
		err = p.fitsJSON(r.op, a)
	}
	if err != nil {
		assert.Fail(t, "the answer doesn't fit the file: "+err.Error(), what)
	}
	assert.NotEmpty(t, a.Header.Get(web.HeaderRequestID), what)
	assert.Less(t, a.Status, 600, what)
	assert.NotEqual(t, http.StatusInternalServerError, a.Status, what)
	switch {
	case a.Status < 300:
		p.covered.answer(r.op, a)
		plainTimes(t, a, what)
	case a.Status >= 400 && (r.op.id != "readyz" || a.Status != http.StatusServiceUnavailable):
		p.isProblem(t, a, what)
		if a.Status == http.StatusUnprocessableEntity {
			r.op.isKnown(t, a.Body, what)
		}
		hasBody := r.body != nil && (r.op.method == http.MethodGet || r.op.method == http.MethodDelete)
		if !anywhere[a.Status] && (!hasBody || a.Status != http.StatusUnprocessableEntity) { // no GET takes a body
			assert.True(t, r.op.declares(a.Status), "the file doesn't say that %s answers %d: %s",
				r.op.id, a.Status, what)
		}
	}
}

// anywhere are statuses that any route may answer; the file has them as "any other error".
var anywhere = map[int]bool{
	http.StatusBadRequest: true, http.StatusMethodNotAllowed: true, http.StatusRequestTimeout: true,
	http.StatusRequestHeaderFieldsTooLarge: true,
}

func clip(b []byte) string {
	const most = 600
	if len(b) > most {
		return string(b[:most]) + "…"
	}
	return string(b)
}
