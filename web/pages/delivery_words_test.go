package pages

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// failureOf sends a request that fails, and returns why, as deliveries store it.
func failureOf(t *testing.T, target string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, target, http.NoBody)
	require.NoError(t, err)
	client := http.Client{Transport: &http.Transport{}}
	res, err := client.Do(req)
	if err == nil {
		_ = res.Body.Close()
	}
	var outer *url.Error
	require.ErrorAs(t, err, &outer, target)
	return outer.Err.Error()
}

// The errors are those that Go's network makes, and those that package delivery adds.
func TestTheConsoleSaysWhatBecameOfADelivery(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that don't trust it
	secure.StartTLS()
	t.Cleanup(secure.Close)
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(plain.Close)
	closed, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	type answer struct {
		Code  int    `json:"status_code,omitempty"`
		Error string `json:"error,omitempty"`
	}
	cases := []struct {
		answer
		outcome string
	}{
		{answer{Error: failureOf(t, "http://"+closed.Addr().String())}, "refused"},
		{answer{Error: failureOf(t, secure.URL)}, "certificate"},
		{answer{Error: failureOf(t, strings.Replace(plain.URL, "http:", "https:", 1))}, "tls"},
		{answer{Error: failureOf(t, plain.URL)}, "closed"},
		{answer{Error: failureOf(t, "http://onrush.invalid")}, "name"},
		{answer{Error: "no answer in time"}, "late"},
		{answer{Error: "dial tcp 10.0.0.1:443: the address is in a private network"}, "private"},
		{answer{Error: "dial tcp 192.0.2.1:443: connect: no route to host"}, "unreachable"},
		{answer{Error: "the endpoint was deleted"}, "deleted"},
		{answer{Error: "a secret of the endpoint is damaged: illegal base64"}, "settings"},
		{answer{Code: 204}, "taken"},
		{answer{Code: 302}, "moved"},
		{answer{Code: 401}, "unauthorized"},
		{answer{Code: 404}, "not_found"},
		{answer{Code: 410}, "gone"},
		{answer{Code: 422}, "not_taken"},
		{answer{Code: 429}, "slower"},
		{answer{Code: 500, Error: "read the answer: unexpected EOF"}, "broken"},
	}
	of := make([]answer, len(cases))
	for i, c := range cases {
		of[i] = c.answer
	}
	asked, err := json.Marshal(of)
	require.NoError(t, err)
	out := inNode(t, `
		const { pathToFileURL } = await import('node:url');
		const { outcomeOf } = await import(pathToFileURL('console/delivery_words.js'));
		for (const delivery of `+string(asked)+`) console.log(outcomeOf(delivery));
		console.log(outcomeOf({}));`)
	got := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, got, len(cases)+1)
	for i, c := range cases {
		assert.Equal(t, c.outcome, got[i], "%+v", c.answer)
	}
	assert.Equal(t, "undefined", got[len(cases)], "nothing was sent")
}
