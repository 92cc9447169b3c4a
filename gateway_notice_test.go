package onrush_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush"
	"onrush/onrushtest"
)

// forgetful is a gateway whose notifications lack the transaction.
type forgetful struct{ onrush.Gateway }

func (forgetful) Name() string { return "acme" }

func (forgetful) Parse(http.Header, []byte) (onrush.Notification, error) {
	return onrush.Notification{Kind: onrush.Paid, ID: "n1", Payment: "123456789", Amount: 1, Currency: "CNY"}, nil
}

// Whoever writes a gateway sees its mistakes: an acknowledged notification would never come again.
func TestAGatewayThatLacksAFieldIsToldSo(t *testing.T) {
	t.Parallel()
	p := onrushtest.New(t, onrush.Config{Gateways: []onrush.Gateway{forgetful{}}})
	notice := strings.NewReader("{}")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+"/webhooks/pay/acme", notice)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, http.StatusUnprocessableEntity, res.StatusCode)
	assert.Contains(t, string(text), "a notification of the kind paid that lacks a field")
}
