package delivery_test

import (
	"context"
	"encoding/binary"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/events/delivery"
	"onrush/modules/problem"
	"onrush/test/kit"
)

// names starts a DNS server that answers each question with the address that is set, and returns a resolver that asks
// it. Package net has no other way to say what a name is.
func names(t *testing.T, address *atomic.Value) *net.Resolver {
	t.Helper()
	conn, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buf := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = conn.WriteTo(dnsAnswer(buf[:n], net.ParseIP(address.Load().(string)).To4()), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// dnsAnswer answers a question of one name (RFC 1035, section 4): the A record of ip, or nothing for other records.
func dnsAnswer(question []byte, ip net.IP) []byte {
	end := 12
	for question[end] != 0 {
		end += int(question[end]) + 1
	}
	end += 5 // the last label, type and class
	kind := binary.BigEndian.Uint16(question[end-4:])
	answer := append([]byte(nil), question[:end]...)
	copy(answer[2:], []byte{0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0})
	if kind == 1 {
		answer[7] = 1
		answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		answer = append(answer, ip...)
	}
	return answer
}

func TestPrivateTargetsAreRefusedAtRegistration(t *testing.T) {
	t.Parallel()
	w := open(t, kit.OnEmbedded(t), delivery.Config{})
	var address atomic.Value
	address.Store("10.1.2.3")
	deps := w.deps("operators", nil)
	deps.Resolver = names(t, &address)
	strict := delivery.NewService(delivery.Config{}, deps)
	for _, url := range []string{
		"http://93.184.215.14/", "https://127.0.0.1/", "https://127.1.2.3:8443/", "https://localhost/",
		"https://LOCALHOST./", "https://a.localhost/", "https://[::1]/", "https://10.0.0.1/", "https://172.16.0.1/",
		"https://192.168.1.1/", "https://169.254.169.254/latest/meta-data", "https://[fe80::1]/",
		"https://[fe80::1%25eth0]/", "https://[fd00:ec2::254]/", "https://100.64.0.1/", "https://100.100.100.200/",
		"https://0.0.0.0/", "https://0.1.2.3/", "https://[::]/", "https://224.0.0.1/", "https://[ff02::1]/",
		"https://255.255.255.255/", "https://240.0.0.1/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:a00:1]/",
		"https://[::127.0.0.1]/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/", "https://192.0.2.1/",
		"https://[::ffff:0:127.0.0.1]/", "https://[::ffff:0:a00:1]/", "https://[64:ff9b:1::7f00:1]/",
		"https://[64:ff9b:1:ffff::a00:1]/", "https://[2001:0:7f00:1::1]/", "https://[2001:0:53aa:64c::80ff:fffe]/",
		"https://[2606:2800:21f:cb07:0:5efe:7f00:1]/", "https://[2606:2800:21f:cb07:200:5efe:a00:1]/",
		"https://[100::1]/", "https://[5f00::1]/", "https://[fec0::1]/", "https://[4000::1]/",
		"https://198.18.0.1/", "https://168.63.129.16/", "https://192.0.0.192/", "https://intern.example/",
		"https://2130706433/", "https://0x7f000001/", "ftp://93.184.215.14/", "https://", "https:///x", "//x", "x",
		"https:93.184.215.14", "https://user@93.184.215.14/", "https://user:pass@93.184.215.14/",
		"https://93.184.215.14/#x", "https://93.184.215.14/#", "https://93.184.215.14/ x", "https://ex ample/",
		"https://93.184.215.14/\x00", "javascript:alert(1)", "file:///etc/passwd", "gopher://93.184.215.14/",
	} {
		_, _, err := strict.Put(t.Context(), "erp", delivery.Settings{URL: url, Enabled: true})
		require.Error(t, err, url)
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err), "%s: %v", url, err)
		assert.Contains(t, err.Error(), "url: ", url)
	}
	address.Store("93.184.215.14")
	for _, url := range []string{
		"https://93.184.215.14/", "https://93.184.215.14:8443/a?b=c", "https://[2606:2800:21f:cb07::1]/",
		"https://[2606:2800:21f:cb07:1:5efe:7f00:1]/",
		"https://shop.example/events",
	} {
		_, _, err := strict.Put(t.Context(), "erp", delivery.Settings{URL: url, Enabled: true})
		require.NoError(t, err, url)
	}
}

// The names of a public server may stand for any address when it is called, also for one that contains a private one.
func TestAddressesThatContainIPv4AreRefusedAtEachConnection(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"::ffff:127.0.0.1", "::ffff:0:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1",
		"2002:7f00:1::",
		"2001:0:7f00:1::", "2606:2800:21f:cb07:0:5efe:7f00:1", "2606:2800:21f:cb07:200:5efe:7f00:1",
		"2606:2800:21f:cb07:200:5efe:5db8:d70e",
	} {
		assert.Equal(t, "the address is in a private network", delivery.RefusalOf(net.JoinHostPort(text, "443")), text)
	}
	for _, text := range []string{"93.184.215.14", "2606:2800:21f:cb07::1", "::ffff:93.184.215.14"} {
		assert.Empty(t, delivery.RefusalOf(net.JoinHostPort(text, "443")), text)
	}
}

// A name may be public when it is registered and private when it is used.
func TestPrivateTargetsAreRefusedAtEachConnection(t *testing.T) {
	t.Parallel()
	w := open(t, kit.OnEmbedded(t), delivery.Config{})
	var reached atomic.Int64
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	var address atomic.Value
	address.Store("93.184.215.14")
	deps := w.deps("a", nil)
	deps.Resolver = names(t, &address)
	_, _, err = delivery.NewService(delivery.Config{}, deps).Put(t.Context(), "erp",
		delivery.Settings{URL: "https://shop.example:" + port + "/", Enabled: true})
	require.NoError(t, err)
	address.Store("127.0.0.1")
	w.happens(t, 1, "1")
	works(t, delivery.NewDeliverer(delivery.Config{}, deps))
	line := w.deliveries(t, "erp", "waiting")
	require.Len(t, line, 1)
	assert.Contains(t, line[0].Error, "the address is in a private network")
	assert.NotContains(t, line[0].Error, "shop.example:")
	assert.Zero(t, reached.Load())

	// With the setting, the connection is made; the certificate is another matter.
	w.clock.Advance(time.Hour)
	works(t, delivery.NewDeliverer(delivery.Config{Private: delivery.Private{All: true}}, deps))
	line = w.deliveries(t, "erp", "waiting")
	assert.Contains(t, line[0].Error, "certificate")
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	w, r := open(t, kit.OnEmbedded(t), delivery.Config{}), receive(t)
	w.registers(t, "erp", r)
	r.always(http.StatusTemporaryRedirect)
	w.happens(t, 1, "1")
	assert.Equal(t, 1, works(t, w.instance("a", nil)))
	line := w.deliveries(t, "erp", "waiting")
	require.Len(t, line, 1)
	assert.EqualValues(t, http.StatusTemporaryRedirect, line[0].StatusCode)
	assert.Equal(t, 1, r.asked())
}

// A receiver that answers without end takes neither memory nor the time of others.
func TestEndlessAnswersAreCut(t *testing.T) {
	t.Parallel()
	w := open(t, kit.OnEmbedded(t), delivery.Config{})
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 4096)); err != nil {
				return
			}
		}
	}))
	t.Cleanup(endless.Close)
	_, _, err := w.service.Put(t.Context(), "erp", delivery.Settings{URL: endless.URL, Enabled: true})
	require.NoError(t, err)
	w.happens(t, 3, "1")
	assert.Equal(t, 3, works(t, w.instance("a", nil)))
	for _, line := range w.deliveries(t, "erp", "delivered") {
		assert.Len(t, line.Answer, 498, "NUL is replaced by a character of three bytes")
	}
}
