package contract

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

func TestRoutesAndFileAreTheSame(t *testing.T) {
	t.Parallel()
	s := open(t, kit.OnEmbedded(t))
	routed := map[string]bool{}
	for _, r := range s.site.Server.App.GetRoutes(true) { // without middleware
		if r.Method == http.MethodHead {
			continue // each GET has it
		}
		parts := strings.Split(strings.ReplaceAll(r.Path, `\:`, ":"), "/")
		for i, p := range parts {
			if name, ok := strings.CutPrefix(p, ":"); ok {
				parts[i] = "{" + name + "}"
			}
		}
		routed[r.Method+" "+strings.Join(parts, "/")] = true
	}
	for _, op := range s.elsewhere { // described; some are there only where their channel is set up
		delete(routed, op.method+" "+op.path)
	}
	described := map[string]bool{}
	for _, op := range s.operations {
		described[op.method+" "+op.path] = true
		assert.True(t, routed[op.method+" "+op.path], "the program has no %s %s", op.method, op.path)
	}
	for route := range routed {
		assert.True(t, described[route], "the file has no %s", route)
	}
	assert.Len(t, routed, len(s.operations))
}

func TestOtherMethodsAreRefusedAndNamed(t *testing.T) {
	t.Parallel()
	s := open(t, kit.OnEmbedded(t))
	admin := s.operator(t)
	for _, op := range s.operations {
		known := s.methodsAt(op.path)
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"} {
			if slices.Contains(known, method) {
				continue
			}
			path := strings.NewReplacer("{file}", "docs.js", "{", "", "}", "").Replace(op.path)
			a := s.raw(t, method+" "+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer "+
				admin.token+"\r\n\r\n")
			what := method + " " + path
			require.Equal(t, http.StatusMethodNotAllowed, a.Status, "%s: %s", what, a.Body)
			allowed := strings.Split(a.Header.Get("Allow"), ", ")
			slices.Sort(allowed)
			slices.Sort(known)
			assert.Equal(t, known, allowed, what)
			if method != http.MethodHead {
				s.isProblem(t, a, what)
			}
		}
	}
}

// methodsAt returns the methods that a path has, by all paths of the file that it fits: /orders/confirm also is an
// /orders/{order_number}.
func (s *shop) methodsAt(path string) []string {
	known := []string{}
	for _, op := range s.operations {
		if fitsPath(op.path, path) && !slices.Contains(known, op.method) {
			known = append(known, op.method)
		}
	}
	if slices.Contains(known, http.MethodGet) {
		known = append(known, http.MethodHead)
	}
	return known
}

// fitsPath reports whether a path matches a template, both of them as in the file.
func fitsPath(template, path string) bool {
	parts, segments := strings.Split(template, "/"), strings.Split(path, "/")
	return slices.EqualFunc(parts, segments, func(part, segment string) bool {
		return part == segment || strings.HasPrefix(part, "{")
	})
}

func TestHeadAnswersLikeGetWithoutABody(t *testing.T) {
	t.Parallel()
	s := open(t, kit.OnEmbedded(t))
	w := s.offer(t)
	w.makesOneOfEach(t)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.site.URL, "http://"))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	reader := bufio.NewReader(conn)
	for _, op := range s.operations {
		if op.method != http.MethodGet {
			continue
		}
		// All on one connection: a byte too many in one answer would break the next.
		path := op.at(w.good(t, op).params, nil)
		if op.id == "listPayments" {
			path += "?order_number=" + w.money.order
		}
		if op.id == "search" {
			path += "?q=ada"
		}
		if op.id == "getChallenge" || op.id == "listTasks" {
			path += "?activity_id=" + w.activity
		}
		_, err := io.WriteString(conn,
			"HEAD "+path+" HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+w.caller(op).token+"\r\n\r\n")
		require.NoError(t, err)
		res, err := http.ReadResponse(reader, &http.Request{Method: http.MethodHead})
		require.NoError(t, err, op.id)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, http.StatusOK, res.StatusCode, op.id)
		assert.NotEmpty(t, res.Header.Get("Content-Type"), op.id)
	}
	_, err = io.WriteString(conn, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
	require.NoError(t, err)
	res, err := http.ReadResponse(reader, nil)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, http.StatusOK, res.StatusCode)
}

func TestUnknownRoutesAreNotFound(t *testing.T) {
	t.Parallel()
	s := open(t, kit.OnEmbedded(t))
	admin := s.operator(t)
	for _, path := range []string{
		"/nothing", "/api", "/api/v1", "/api/v1/", "/api/v2/orders", "/api/v1/orders/", "/api/v1/orders//cancel",
		"//", "/API/v1/orders", "/api/v1/Orders", "/admin/api", "/admin/api/v1/", "/admin/api/v1/activities/",
		"/api/v1/seckill", "/api/v1/seckill/x", "/docs//", "/docs/assets", "/docs/assets/", "/livez/", "/dev",
		"/dev/token/", "/%00", "/%zz", "/%", "/api/v1/nothing", "/admin/api/v1/nothing",
	} {
		for _, method := range []string{"GET", "POST", "HEAD"} {
			a := s.raw(t, method+" "+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer "+
				admin.token+"\r\n\r\n")
			assert.Equal(t, http.StatusNotFound, a.Status, "%s %s: %s", method, path, a.Body)
			if method != "HEAD" {
				s.isProblem(t, a, method+" "+path)
			}
		}
	}
}
