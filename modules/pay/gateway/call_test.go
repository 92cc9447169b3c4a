package gateway

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
)

func TestJSONWithAKeyTwiceIsRefused(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{}`, `[]`, `{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}`, `{"a":"a","b":"a"}`, `[["a","a"],"a"]`,
		`{"a":["a","a"],"b":null}`,
	} {
		var into any
		require.NoError(t, ReadJSON([]byte(body), &into), body)
	}
	for _, body := range []string{
		`{"a":1,"a":1}`, `{"a":{"b":1,"b":2}}`, `{"a":[1],"b":2,"a":3}`, `[{"a":{},"a":{}}]`, "{\"a\":1,\"\\u0061\":2}",
		``, `{`, `{"a"`, `}`, `{"a":1}}`, `{} {}`, strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
	} {
		var into any
		require.Error(t, ReadJSON([]byte(body), &into), body)
	}
}

func FuzzReadJSON(f *testing.F) {
	for _, seed := range []string{`{"a":1,"a":1}`, `[{"a":[{}]}]`, `}`, `{"a":{"b":1},"b":"c"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var into any
		if ReadJSON(body, &into) == nil {
			require.NoError(t, CheckJSON(body))
		}
	})
}

func TestGatewayThatDecidesNothingIsUnavailable(t *testing.T) {
	t.Parallel()
	status := http.StatusServiceUnavailable
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
	}))
	defer server.Close()
	call := func() (answered int, err error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		require.NoError(t, err)
		answered, _, _, err = Send(server.Client(), req)
		return answered, err
	}
	for status = range map[int]bool{500: true, 503: true, 429: true} {
		answered, err := call()
		require.NoError(t, err)
		require.True(t, InTrouble(answered), status)
	}
	for status = range map[int]bool{200: true, 400: true, 403: true, 404: true} {
		answered, err := call()
		require.NoError(t, err)
		require.False(t, InTrouble(answered), status)
	}
	server.Close()
	_, err := call()
	require.ErrorIs(t, err, pay.ErrUnavailable)
}
