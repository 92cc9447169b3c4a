package web

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
)

func TestWithoutSecretsNoTokenIsAccepted(t *testing.T) {
	t.Parallel()
	a, err := NewAuth(t.Context(), AuthConfig{
		Host: func(context.Context, http.Header) (Identity, error) { return Identity{}, ErrNoCaller },
	}, slog.New(slog.DiscardHandler), time.Now)
	require.NoError(t, err)
	claims := jwt.MapClaims{"sub": "ada", "role": "user", "exp": time.Now().Add(time.Hour).Unix()}
	unsigned, err := jwt.NewWithClaims(jwt.SigningMethodNone, claims).SignedString(jwt.UnsafeAllowNoneSignatureType)
	require.NoError(t, err)
	signed, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(""))
	require.NoError(t, err)
	for _, token := range []string{unsigned, signed} {
		_, err = a.verify(t.Context(), []byte(token))
		require.Equal(t, problem.CodeUnauthorized, problem.CodeOf(err))
		_, err = a.parse(t.Context(), token)
		require.Error(t, err)
	}
	_, err = NewAuth(t.Context(), AuthConfig{}, slog.New(slog.DiscardHandler), time.Now)
	require.Error(t, err)
}
