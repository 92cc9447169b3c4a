package delivery_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/events/delivery"
	"onrush/modules/problem"
	"onrush/test/kit"
)

func TestPrivateTargetsAreHostsAddressesAndNetworks(t *testing.T) {
	t.Parallel()
	prefix := netip.MustParsePrefix
	for _, c := range []struct {
		texts []string
		want  delivery.Private
	}{
		{nil, delivery.Private{}},
		{[]string{"false"}, delivery.Private{}},
		{[]string{"true"}, delivery.Private{All: true}},
		{[]string{"ERP.internal.", " localhost"}, delivery.Private{Hosts: []string{"erp.internal", "localhost"}}},
		{[]string{"10.1.2.3/16", "::1", "[fd00::2]", "::ffff:10.9.9.9"}, delivery.Private{Networks: []netip.Prefix{
			prefix("10.1.0.0/16"), prefix("::1/128"), prefix("fd00::2/128"), prefix("10.9.9.9/32"),
		}}},
	} {
		got, err := delivery.ParsePrivate(c.texts)
		require.NoError(t, err, "%q", c.texts)
		assert.Equal(t, c.want, got, "%q", c.texts)
	}
	for _, texts := range [][]string{
		{"true", "erp.internal"},
		{"erp.internal", "false"},
		{"https://erp.internal"},
		{"erp.internal:8443"},
		{"10.1.0.0/33"},
		{"*.internal"},
		{"0x7f.1"},
		{"127.1"},
		{"fe80::1%eth0"},
		{"-x"},
		{"a..b"},
		{"ä.example"},
	} {
		_, err := delivery.ParsePrivate(texts)
		require.Error(t, err, "%q", texts)
	}
}

func TestOnlyTheNamedPrivateTargetsAreRegistered(t *testing.T) {
	t.Parallel()
	w := open(t, kit.OnEmbedded(t), delivery.Config{})
	var address atomic.Value
	deps := w.deps("operators", nil)
	deps.Resolver = names(t, &address)
	private, err := delivery.ParsePrivate([]string{"erp.internal", "10.1.0.0/16"})
	require.NoError(t, err)
	service := delivery.NewService(delivery.Config{Private: private}, deps)
	for _, c := range []struct {
		url, resolved string
		taken         bool
	}{
		{"https://erp.internal/", "192.168.7.7", true},
		{"http://ERP.internal.:8080/", "192.168.7.7", true},
		{"https://other.internal/", "192.168.7.7", false},
		{"https://erp.internal.example/", "192.168.7.7", false},
		{"https://shop.example/", "10.1.2.3", true}, // whatever the name of an address in the network
		{"https://shop.example/", "10.2.2.3", false},
		{"https://shop.example/", "93.184.215.14", true},
		{"http://shop.example/", "10.1.2.3", false}, // the name may lead to another address later
		{"https://10.1.2.3/", "", true},
		{"http://10.1.2.3/", "", true},
		{"https://[::ffff:10.1.2.3]/", "", true},
		{"https://10.2.0.1/", "", false},
		{"http://93.184.215.14/", "", false},
		{"https://127.0.0.1/", "", false},
		{"https://169.254.169.254/", "", false},
	} {
		address.Store("0.0.0.0")
		if c.resolved != "" {
			address.Store(c.resolved)
		}
		_, _, err := service.Put(t.Context(), "erp", delivery.Settings{URL: c.url, Enabled: true})
		if c.taken {
			require.NoError(t, err, "%s at %s", c.url, c.resolved)
			continue
		}
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err), "%s at %s: %v", c.url, c.resolved, err)
	}
}

// The names of the test stand for this machine. One is allowed; it redirects to the other.
func TestOnlyTheNamedPrivateTargetsAreConnectedTo(t *testing.T) {
	t.Parallel()
	w := open(t, kit.OnEmbedded(t), delivery.Config{})
	var reached, other atomic.Int64
	behind := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { other.Add(1) }))
	t.Cleanup(behind.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if reached.Add(1) == 1 {
			http.Redirect(w, r, behind.URL, http.StatusTemporaryRedirect)
		}
	}))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	var address atomic.Value
	address.Store("127.0.0.1")
	deps := w.deps("a", nil)
	deps.Resolver = names(t, &address)
	allow := func(texts ...string) delivery.Config {
		private, err := delivery.ParsePrivate(texts)
		require.NoError(t, err)
		return delivery.Config{Private: private}
	}
	_, _, err = delivery.NewService(allow("erp.internal"), deps).Put(t.Context(), "erp",
		delivery.Settings{URL: "http://erp.internal:" + port + "/", Enabled: true})
	require.NoError(t, err)
	w.happens(t, 1, "1")
	for _, c := range []struct {
		allowed []string
		reached int64
		waits   string // why the event waits, "" if it is delivered
	}{
		{nil, 0, "the address is in a private network"},
		{[]string{"other.internal", "10.0.0.0/8"}, 0, "the address is in a private network"},
		{[]string{"erp.internal"}, 1, ""}, // the redirect is its answer
		{[]string{"127.0.0.0/8"}, 2, "delivered"},
	} {
		works(t, delivery.NewDeliverer(allow(c.allowed...), deps))
		assert.Equal(t, c.reached, reached.Load(), "%q", c.allowed)
		line := w.deliveries(t, "erp", "waiting")
		if c.waits == "delivered" {
			assert.Empty(t, line)
			continue
		}
		require.Len(t, line, 1)
		assert.Contains(t, line[0].Error, c.waits)
		if c.waits == "" {
			assert.EqualValues(t, http.StatusTemporaryRedirect, line[0].StatusCode)
		}
		w.clock.Advance(time.Hour)
	}
	assert.Zero(t, other.Load(), "no redirect is followed")
}
