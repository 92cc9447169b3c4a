package sandbox

import (
	"context"
	"encoding/base64"
	"log/slog"
	"net/http"
	"strconv"
	"testing"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	sandboxBody = `{"type":"payment.succeeded","data":{"pay_number":"12345","transaction_id":"txn_1","amount":1900,` +
		`"currency":"EUR"}}`
	evtID = "evt_1"
)

var (
	testSecret  = "whsec_" + base64.StdEncoding.EncodeToString([]byte("a secret of thirty-two bytes .."))
	otherSecret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("another secret of many bytes ..."))
	testTime    = time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
)

// readingSandbox is a sandbox that only reads notifications, at testTime.
func readingSandbox(t testing.TB) *Gateway {
	t.Helper()
	return sandboxOf(t, Config{Secret: testSecret})
}

func sandboxOf(t testing.TB, cfg Config) *Gateway {
	t.Helper()
	cfg.BaseURL = "http://127.0.0.1:8080"
	deps := Deps{Now: func() time.Time { return testTime }, Log: slog.New(slog.DiscardHandler)}
	s, err := New(context.Background(), cfg, deps)
	require.NoError(t, err)
	return s
}

// Each of two instances accepts the notifications and the links of the other one in each step of a change.
func TestSandboxAcceptsAllSecretsAndSignsWithTheFirst(t *testing.T) {
	t.Parallel()
	body := []byte(sandboxBody)
	for name, step := range map[string]struct {
		signer, reader Config
		right          bool
	}{
		"told by one that changed": {
			Config{Secret: otherSecret + ";" + testSecret}, Config{Secret: testSecret + "; " + otherSecret}, true,
		},
		"changed by one told": {
			Config{Secret: testSecret + ";" + otherSecret}, Config{Secret: otherSecret + ";" + testSecret}, true,
		},
		"not told by one that changed": {
			Config{Secret: otherSecret + ";" + testSecret}, Config{Secret: testSecret}, false,
		},
	} {
		signer, reader := sandboxOf(t, step.signer), sandboxOf(t, step.reader)
		_, err := reader.Verify(Sign(step.signer.Secret, evtID, testTime, body), body)
		assert.Equal(t, step.right, err == nil, "%s: %v", name, err)
		assert.Equal(t, step.right, reader.isLink(77, signer.linkToken(77)), name)
		assert.False(t, reader.isLink(78, signer.linkToken(77)), name)
	}
	_, err := New(t.Context(), Config{Secret: testSecret + ";short", BaseURL: "http://127.0.0.1:8080"}, Deps{})
	require.Error(t, err)
}

// The library of the standard is the other side, both ways.
func TestSandboxSignsAsTheStandardSays(t *testing.T) {
	t.Parallel()
	standard, err := webhooks.NewWebhook(testSecret)
	require.NoError(t, err)
	header := Sign(testSecret, evtID, testTime, []byte(sandboxBody))
	require.NoError(t, standard.VerifyIgnoringTimestamp([]byte(sandboxBody), header))

	signature, err := standard.Sign(evtID, testTime, []byte(sandboxBody))
	require.NoError(t, err)
	theirs := http.Header{}
	theirs.Set(webhooks.HeaderWebhookID, evtID)
	theirs.Set(webhooks.HeaderWebhookTimestamp, strconv.FormatInt(testTime.Unix(), 10))
	theirs.Set(webhooks.HeaderWebhookSignature, signature)
	_, err = readingSandbox(t).Verify(theirs, []byte(sandboxBody))
	require.NoError(t, err)
}
