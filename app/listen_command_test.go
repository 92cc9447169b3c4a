package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/operator"
	"onrush/modules/journal"
	"onrush/test/kit"
	"onrush/test/site"
)

// printed waits until the command has printed a text.
func printed(t *testing.T, o *kit.Output, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(o.String(), text) }, 30*time.Second, time.Millisecond,
		"%s is missing", text)
}

// flags writes an event and numbers it.
func flags(t *testing.T, s *site.Site, subject string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	require.NoError(t, s.Stores.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		return journal.Write(ctx, tx, journal.Event{
			Type: journal.PaymentFlagged, Subject: subject, AtMS: time.Now().UnixMilli(),
			Data: `{"subject":"` + subject + `"}`,
		})
	}))
	_, err := s.Server.Sequencer.RunOnce(ctx)
	require.NoError(t, err)
}

// doorTo starts a server between the command and the program, which doesn't answer while away has a key.
func doorTo(t *testing.T, s *site.Site, away *sync.Map) *httptest.Server {
	t.Helper()
	program, err := url.Parse(s.URL)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(program)
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, is := away.Load("away"); is {
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(door.Close)
	return door
}

func TestListenPrintsAndForwardsTheEventsFromNowOn(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	s := site.Start(t, stores, site.Idle())
	for range 20 {
		flags(t, s, "before")
	}
	type request struct {
		header http.Header
		body   []byte
	}
	came := make(chan request, 100)
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		came <- request{r.Header, body}
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(target.Close)
	var away sync.Map
	door := doorTo(t, s, &away)

	var out kit.Output
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	l := &listener{
		program: operator.NewClient("", door.URL), client: http.DefaultClient, target: target.URL + "/hook",
		secret: secret, out: &out, every: time.Millisecond, types: []string{journal.PaymentFlagged},
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.run(ctx, -1) }()
	printed(t, &out, "Waiting for events after ")
	flags(t, s, "first")
	got := <-came
	away.Store("away", true)
	printed(t, &out, "doesn't answer")
	flags(t, s, "second")
	away.Delete("away")
	second := <-came
	printed(t, &out, "answers again")
	stop()
	require.NoError(t, <-ended)
	assert.Empty(t, came)

	key, err := webhooks.NewWebhook(secret)
	require.NoError(t, err)
	require.NoError(t, key.Verify(got.body, got.header))
	require.NoError(t, key.Verify(second.body, second.header))
	var event struct {
		ID   string            `json:"event_id"`
		Type string            `json:"type"`
		Data map[string]string `json:"data"`
	}
	require.NoError(t, json.Unmarshal(second.body, &event))
	assert.Equal(t, "second", event.Data["subject"])
	assert.Equal(t, "evt_"+event.ID, second.header.Get(webhooks.HeaderWebhookID))
	assert.Contains(t, out.String(), secret)
	assert.Contains(t, out.String(), " "+event.ID+" payment.flagged → 202 Accepted\n")
}

func TestListenEndsWhenTheProgramRefuses(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle())
	buyer, err := s.Server.Auth.Sign("ada", "user", time.Hour)
	require.NoError(t, err)
	for _, token := range []string{"nonsense", buyer} {
		out, logged, code := run(t, []string{}, "listen", "--forward-to=http://127.0.0.1:1", "--addr="+s.URL,
			"--token="+token)
		assert.NotZero(t, code)
		assert.Contains(t, logged, "the program refuses")
		assert.NotContains(t, out+logged, token)
	}
	_, logged, code := run(t, []string{}, "listen", "--forward-to=nothing")
	assert.NotZero(t, code)
	assert.Contains(t, logged, "--forward-to must be a URL")
}
