package operator

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onlyWith is a program of which each token that it gives is valid for two requests.
func onlyWith(t *testing.T) *httptest.Server {
	t.Helper()
	given, left := 0, 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/dev/token":
			given, left = given+1, 2
			_, _ = fmt.Fprintf(w, `{"token":"%d"}`, given)
		case r.Header.Get("Authorization") != fmt.Sprintf("Bearer %d", given) || left == 0:
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprint(w, `{"code":"unauthorized","detail":"The token has expired."}`)
		default:
			left--
			_, _ = fmt.Fprintf(w, `{"given":%d}`, given)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestATokenThatExpiresIsTakenAgain(t *testing.T) {
	t.Parallel()
	c := NewClient("", onlyWith(t).URL)
	for i := range 6 {
		var answer struct {
			Given int `json:"given"`
		}
		require.NoError(t, c.Get(t.Context(), "/", &answer), "request %d", i)
		assert.Equal(t, i/2+1, answer.Given)
	}
}

func TestATokenOfTheCallerIsNotReplaced(t *testing.T) {
	t.Parallel()
	err := NewClient("expired", onlyWith(t).URL).Get(t.Context(), "/", nil)
	assert.ErrorContains(t, err, "401 Unauthorized unauthorized: The token has expired.")
}

func TestAProgramThatGivesNoTokenIsAnsweredWithWhereOneComesFrom(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	err := NewClient("", s.URL).Get(t.Context(), "/", nil)
	assert.ErrorContains(t, err, "onrush token USER --role admin")
}
