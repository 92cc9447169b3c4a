package sandbox

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
)

// The secret, message and signature of standard-webhooks/standard-webhooks libraries/csharp
// StandardWebhooks.Tests/WebhookTest.cs.
func TestSandboxSignsAsThePublishedVectorSays(t *testing.T) {
	t.Parallel()
	const (
		secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
		id     = "msg_p5jXN8AQM9LWM0D4loKWxJek"
		want   = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
		other  = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc="
	)
	at, body := time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`)
	require.Equal(t, want, Sign(secret, id, at, body).Get("webhook-signature"))

	key, err := parseSecret(secret)
	require.NoError(t, err)
	now := at
	s := &Gateway{keys: [][]byte{key}, now: func() time.Time { return now }}
	check := func(signature, timestamp string) error {
		header := http.Header{}
		header.Set("webhook-id", id)
		header.Set("webhook-timestamp", timestamp)
		header.Set("webhook-signature", signature)
		_, err := s.checkSignature(header, body)
		return err
	}
	require.NoError(t, check(want, "1614265330"))
	require.NoError(t, check(other+" v2,"+other[3:]+" "+want+" "+other, "1614265330"), "one of several")
	require.ErrorIs(t, check("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLawdd", "1614265330"), pay.ErrSignature)
	require.ErrorIs(t, check(want, "1614265331"), pay.ErrSignature)
	now = at.Add(5*time.Minute + time.Second)
	require.ErrorIs(t, check(want, "1614265330"), pay.ErrSignature, "old")
	now = at.Add(-5*time.Minute - time.Second)
	require.ErrorIs(t, check(want, "1614265330"), pay.ErrSignature, "of a time to come")
}
