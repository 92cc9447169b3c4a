package line

import (
	"bytes"
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

	"onrush/test/kit"
	"onrush/web"
)

// shop serves the routes to ada.
type shop struct {
	app   *fiber.App
	token string
}

func newShop(t *testing.T, s *Service) *shop {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	app, err := web.NewApp(t.Context(), web.Config{RequestDeadline: time.Minute}, log, kit.IDs(2))
	require.NoError(t, err)
	auth, err := web.NewAuth(t.Context(), web.AuthConfig{Secret: strings.Repeat("s", 32)}, log, time.Now)
	require.NoError(t, err)
	line, buyers := NewHTTPBuyer(s), app.Group("/api/v1", auth.Require(web.RoleUser))
	buyers.Post("/seckill/line", line.Join)
	buyers.Get("/seckill/line/:place", line.Place)
	buyers.Get("/seckill/line/:place/events", line.FollowPlace)
	token, err := auth.Sign("ada", web.RoleUser, time.Hour)
	require.NoError(t, err)
	return &shop{app: app, token: token}
}

func (s *shop) call(t *testing.T, method, path, body string) (status int, answer string) {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), method, "/api/v1/seckill/line"+path, bytes.NewBufferString(body))
	req.Header.Set("Authorization", "Bearer "+s.token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := s.app.Test(req, -1)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(data)
}

func TestABuyerJoinsAndFollowsAPlaceOverHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(kit.OnEmbedded(t), 10, -time.Hour)
	s := newShop(t, w.instance(t))
	status, body := s.call(t, http.MethodPost, "", `{"activity_id":"a1"}`)
	require.Equal(t, http.StatusOK, status, body)
	var answer Answer
	require.NoError(t, json.Unmarshal([]byte(body), &answer))
	assert.Equal(t, Waiting, answer.Status)
	status, body = s.call(t, http.MethodGet, "/"+answer.Place, "")
	require.Equal(t, http.StatusOK, status, body)
	assert.Contains(t, body, "starts_at")

	w.start()
	w.clock.Advance(time.Second)
	status, body = s.call(t, http.MethodGet, "/"+answer.Place+"/events", "")
	require.Equal(t, http.StatusOK, status, body)
	assert.True(t, strings.HasPrefix(body, "event: place\ndata: {"), body)
	assert.Equal(t, 1, strings.Count(body, "event:"), "the stream ends once the place is admitted")
	assert.Contains(t, body, `"status":"admitted"`)

	status, body = s.call(t, http.MethodPost, "", `{"activity_id":"a 1"}`)
	assert.Equal(t, http.StatusUnprocessableEntity, status, body)
	for _, path := range []string{"/x", "/x/events", "/" + strings.Repeat("A", 75)} {
		status, body = s.call(t, http.MethodGet, path, "")
		assert.Equal(t, http.StatusForbidden, status, body)
		assert.Contains(t, body, "place_invalid")
	}
	w.clock.Advance(AdmittedFor)
	status, body = s.call(t, http.MethodGet, "/"+answer.Place, "")
	assert.Equal(t, http.StatusConflict, status)
	assert.Contains(t, body, "line_required")
}
