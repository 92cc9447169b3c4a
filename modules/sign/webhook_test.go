package sign_test

import (
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/sign"
)

// The document for shops that sign by themselves has an example.
func TestAWebhookIsSignedAsTheDocumentSays(t *testing.T) {
	t.Parallel()
	keys, err := sign.NewWebhookKeys(sign.ParseSecrets("whsec_c2VjcmV0LW9mLWEtc2hvcC1pbi10ZXN0cy0zMi1ieXRl"))
	require.NoError(t, err)
	header, body := http.Header{}, []byte(`{"type":"payment.paid"}`)
	require.NoError(t, keys.Sign(header, "n-1", time.Unix(1767225600, 0), body))
	text, err := os.ReadFile("../../docs/shop/signatures.md")
	require.NoError(t, err)
	assert.Contains(t, string(text), "the signature is `"+header.Get("webhook-signature")+"`")
	assert.True(t, keys.Accepts(header, body))
	assert.False(t, keys.Accepts(header, append(body, ' ')))
}
