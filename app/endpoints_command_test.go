package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
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

func TestEndpointsAreEnabledAndGetEventsAgain(t *testing.T) {
	t.Parallel()
	c := newConsole(t, kit.OnEmbedded(t), site.Configured(func(cfg *server.Config) {
		cfg.EventsAllowPrivate = []string{"true"}
	}))
	ids := make(chan string, 100)
	target := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		ids <- r.Header.Get("Webhook-Id")
	}))
	t.Cleanup(target.Close)
	c.must(t, "", "endpoints", "create", "erp", target.URL, "--types=activity.published")
	off := c.op.Call(t, http.MethodPut, "/admin/api/v1/endpoints/erp", "", map[string]any{
		"url": target.URL, "types": []string{"activity.published"}, "enabled": false,
	})
	require.Equal(t, http.StatusOK, off.Status, "%s", off.Body)
	c.site.Open(t, site.Sale{})
	assert.Equal(t, "erp is enabled.\n", c.must(t, "", "endpoints", "enable", "erp"))
	first := <-ids
	assert.Regexp(t, `(?m)^erp +true .*\["activity.published"\] +`+target.URL+`$`, c.must(t, "", "endpoints"))

	var deliveries []client.EventDelivery
	require.Eventually(t, func() bool {
		out := c.must(t, "", "endpoints", "deliveries", "erp", "--status=delivered", "-o", "json")
		require.NoError(t, json.Unmarshal([]byte(out), &deliveries))
		return len(deliveries) == 1
	}, 30*time.Second, 50*time.Millisecond)
	id := deliveries[0].DeliveryID
	assert.Regexp(t, `(?m)^`+id+` +activity.published +delivered +1 `, c.must(t, "", "endpoints", "deliveries", "erp"))
	assert.JSONEq(t, `"activity.published"`, jsonField(t, c.must(t, "", "endpoints", "deliveries", "erp", id), "type"))
	assert.Contains(t, c.refused(t, "", "endpoints", "deliveries", "erp", "--status=lost"), "status must be one of")

	resend := []string{"endpoints", "resend", "erp"}
	assert.Equal(t, id+" is being sent to erp.\n", c.must(t, "", append(resend, id, "--key=k")...))
	assert.Equal(t, first, <-ids)
	c.must(t, "", append(resend, id, "--key=k")...)
	assert.Equal(t, "The events are being sent to erp.\n",
		c.must(t, "", append(resend, "--from=2020-01-01T00:00:00Z")...))
	assert.Equal(t, first, <-ids, "once for each key")
	assert.Contains(t, c.refused(t, "", append(resend, id, "--after=1")...), "not both")
	assert.Contains(t, c.refused(t, "", resend...), "422")
	assert.Contains(t, c.refused(t, "", "endpoints", "enable", "lost"), "404 Not Found not_found")
}
