package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/kit"
	"onrush/test/site"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }

// TestTheBackendOfTheGuideSellsAndHearsOfAPaidOrder runs the guide's steps against the program: publish, sign in, buy,
// pay, and receive the event.
func TestTheBackendOfTheGuideSellsAndHearsOfAPaidOrder(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Configured(func(cfg *server.Config) {
		cfg.EventsAllowPrivate = []string{"true"}
	}))
	b := newBackend(s.URL, site.JWTSecret, s.Operator(t).Token())
	events := httptest.NewServer(http.HandlerFunc(b.receive))
	t.Cleanup(events.Close)
	require.NoError(t, b.subscribe(t.Context(), events.URL))
	activity, err := b.publish(t.Context())
	require.NoError(t, err)

	signedIn := httptest.NewRecorder()
	request := httptest.NewRequest(http.MethodPost, "/login", strings.NewReader(url.Values{"user": {"ann"}}.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	b.login(signedIn, request)
	var answer struct{ Token string }
	require.NoError(t, json.Unmarshal(signedIn.Body.Bytes(), &answer))
	ann := s.Holder(answer.Token)
	number := ann.Buy(t, activity, "lamp", "k").Placed(t).OrderNumber
	payment := ann.BeginPayment(t, "pay", number)
	paid, err := s.Notify(t.Context(), site.Payment{
		Number: payment.PayNumber, Transaction: "tx", Amount: payment.Amount, Currency: payment.Currency,
	})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, paid.Status, string(paid.Body))
	require.Eventually(t, func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.paid[number] == "ann"
	}, time.Minute, 20*time.Millisecond)

	forged, err := http.NewRequestWithContext(t.Context(), http.MethodPost, events.URL, strings.NewReader("{}"))
	require.NoError(t, err)
	refused, err := http.DefaultClient.Do(forged)
	require.NoError(t, err)
	require.NoError(t, refused.Body.Close())
	assert.Equal(t, http.StatusUnauthorized, refused.StatusCode)
}
