package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/kit"
	"onrush/test/site"
)

func TestEndpointsAreMadeTestedAndDeleted(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t), site.Configured(func(cfg *server.Config) {
		cfg.EventsAllowPrivate = []string{"true"}
	}))
	var status atomic.Int64
	status.Store(http.StatusNoContent)
	requests := make(chan http.Header, 10)
	bodies := make(chan []byte, 10)
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests <- r.Header
		bodies <- body
		w.WriteHeader(int(status.Load()))
	}))
	t.Cleanup(target.Close)

	made := c.must(t, "", "endpoints", "create", "erp", target.URL, "--types=order.paid,refund.done")
	secret := strings.TrimSpace(made)
	require.Regexp(t, `^whsec_\S+$`, secret)
	assert.Contains(t, c.refused(t, "", "endpoints", "create", "erp", target.URL), "It exists already")
	assert.Contains(t, c.refused(t, "", "endpoints", "create", "crm", target.URL, "--types=order.lost"), "types[0]")
	assert.Contains(t, c.refused(t, "", "endpoints", "create", "crm", "nonsense"), "url")
	assert.Regexp(t, `(?m)^erp +true +0 .*\["order.paid","refund.done"\] +`+target.URL+`$`, c.must(t, "", "endpoints"))
	assert.NotContains(t, c.must(t, "", "endpoints", "list", "-o", "json"), secret)
	assert.JSONEq(t, `"erp"`, jsonField(t, c.must(t, "", "endpoints", "show", "erp"), "endpoint_id"))

	assert.Contains(t, c.must(t, "", "endpoints", "test", "erp"), " was answered 204 in ")
	verifies := func(secret string) {
		t.Helper()
		key, err := webhooks.NewWebhook(secret)
		require.NoError(t, err)
		require.NoError(t, key.Verify(<-bodies, <-requests))
	}
	verifies(secret)
	status.Store(http.StatusTeapot)
	said := c.refused(t, "", "endpoints", "test", "erp")
	assert.Contains(t, said, " was answered 418 in ")
	assert.Contains(t, said, "the endpoint doesn't accept events")
	assert.Contains(t, c.refused(t, "", "endpoints", "test", "erp", "-o", "json"), `"accepted": false`)
	verifies(secret)
	verifies(secret)

	fresh := strings.TrimSpace(c.must(t, "", "endpoints", "rotate", "erp"))
	assert.NotEqual(t, secret, fresh)
	status.Store(http.StatusOK)
	c.must(t, "", "endpoints", "test", "erp")
	verifies(fresh)
	target.Close()
	assert.Contains(t, c.refused(t, "", "endpoints", "test", "erp"), " was not answered: ")
	assert.Contains(t, c.refused(t, "n\n", "endpoints", "delete", "erp"), "nothing was changed")
	assert.Equal(t, "erp is deleted.\n", c.must(t, "", "endpoints", "delete", "erp", "--yes"))
	for _, args := range [][]string{{"show"}, {"test"}, {"rotate"}, {"delete", "-y"}} {
		assert.Contains(t, c.refused(t, "", append(append([]string{"endpoints"}, args...), "erp")...),
			"404 Not Found not_found", args[0])
	}
}
