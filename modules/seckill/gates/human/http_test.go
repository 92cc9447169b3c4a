package human

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
	"onrush/test/kit"
	"onrush/web"
)

// sales are activities by id.
type sales map[string]Kind

func (s sales) HumanCheck(_ context.Context, id string) (int, Kind, error) {
	kind, ok := s[id]
	if !ok {
		return 0, "", problem.NotFound("activity")
	}
	return alice.Lane, kind, nil
}

func newApp(t *testing.T, checks Checks) (app *fiber.App, token string) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	app, err := web.NewApp(t.Context(), web.Config{RequestDeadline: time.Minute}, log, kit.IDs(2))
	require.NoError(t, err)
	auth, err := web.NewAuth(t.Context(), web.AuthConfig{Secret: strings.Repeat("s", 32)}, log, time.Now)
	require.NoError(t, err)
	require.NoError(t, RegisterAssets(app))
	buyers := app.Group("/api/v1", auth.Require(web.RoleUser))
	challenges := NewHTTPBuyer(checks, sales{"sale": ProofOfWork, "plain": None, "hosted": Captcha})
	buyers.Get("/seckill/challenge", challenges.Challenge)
	token, err = auth.Sign("alice", web.RoleUser, time.Hour)
	require.NoError(t, err)
	return app, token
}

func get(t *testing.T, app *fiber.App, path string, header http.Header) (int, http.Header, string) {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	req.Header = header
	res, err := app.Test(req, -1)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, res.Header, string(body)
}

func TestBuyerGetsTheChallengeOfTheActivity(t *testing.T) {
	t.Parallel()
	p := newPow(t, PowConfig{}, &nonceSet{}, kit.NewClock(start))
	app, token := newApp(t, Checks{ProofOfWork: p})
	header := http.Header{"Authorization": {"Bearer " + token}}
	const route = "/api/v1/seckill/challenge"

	status, answered, body := get(t, app, route+"?activity_id=sale", header)
	require.Equal(t, http.StatusOK, status, body)
	assert.Equal(t, "no-store", answered.Get("Cache-Control"))
	var c Challenge
	require.NoError(t, json.Unmarshal([]byte(body), &c))
	assert.Equal(t, ProofOfWork, c.Kind)
	require.NoError(t, p.Verify(t.Context(), alice, encode(c, solve(t, c), nil)), "it is for this buyer and sale")

	status, _, body = get(t, app, route+"?activity_id=plain", header)
	require.Equal(t, http.StatusOK, status, body)
	assert.JSONEq(t, `{"human_check":"none"}`, body)
	for query, want := range map[string]int{
		"?activity_id=hosted": http.StatusServiceUnavailable, "?activity_id=unknown": http.StatusNotFound,
		"": http.StatusUnprocessableEntity, "?activity_id=a%20b": http.StatusUnprocessableEntity,
		"?activity_id=sale&x=1": http.StatusUnprocessableEntity,
	} {
		status, _, body = get(t, app, route+query, header)
		assert.Equal(t, want, status, "%s: %s", query, body)
	}
	status, _, _ = get(t, app, route+"?activity_id=sale", nil)
	assert.Equal(t, http.StatusUnauthorized, status)
}

func TestScriptsAreServedToBrowsers(t *testing.T) {
	t.Parallel()
	app, _ := newApp(t, nil)
	for _, name := range []string{"human.js", "human_worker.js"} {
		status, header, body := get(t, app, "/assets/"+name, nil)
		require.Equal(t, http.StatusOK, status)
		assert.Equal(t, "text/javascript; charset=utf-8", header.Get("Content-Type"))
		assert.Equal(t, "nosniff", header.Get("X-Content-Type-Options"))
		assert.Equal(t, "no-cache", header.Get("Cache-Control"))
		assert.Equal(t, asset(t, name), body)
		for _, banned := range []string{"eval(", "new Function", "Blob", "importScripts"} {
			assert.NotContains(t, body, banned, "a strict policy forbids it")
		}
		status, _, body = get(t, app, "/assets/"+name, http.Header{"If-None-Match": {header.Get("ETag")}})
		assert.Equal(t, http.StatusNotModified, status)
		assert.Empty(t, body)
	}
}
