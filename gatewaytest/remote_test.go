package gatewaytest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush"
	"onrush/gatewaytest"
	"onrush/onrushtest"
	"onrush/test/kit"
)

const remoteSecret = "whsec_c2VjcmV0LW9mLWEtc2hvcC1pbi10ZXN0cy0zMi1ieXRl"

// remoteBank is test/double/gateway.py in a process of its own.
type remoteBank struct{ url string }

func newRemoteBank(t *testing.T) *remoteBank {
	t.Helper()
	program := exec.CommandContext(t.Context(), kit.Tool(t, "python3"), "../test/double/gateway.py")
	program.Env = append(program.Environ(), "GATEWAY_SECRET="+remoteSecret)
	program.Stderr = t.Output()
	said, err := program.StdoutPipe()
	require.NoError(t, err)
	_, err = program.StdinPipe() // its end ends the program
	require.NoError(t, err)
	require.NoError(t, program.Start())
	t.Cleanup(func() { _ = program.Wait() }) // the end of the test's context kills it
	port, err := bufio.NewReader(said).ReadString('\n')
	require.NoError(t, err)
	return &remoteBank{"http://127.0.0.1:" + strings.TrimSpace(port)}
}

func (b *remoteBank) call(t testing.TB, path string, body, into any) {
	t.Helper()
	text, err := json.Marshal(body)
	require.NoError(t, err)
	res, err := http.Post(b.url+path, "application/json", bytes.NewReader(text))
	require.NoError(t, err)
	defer func() { require.NoError(t, res.Body.Close()) }()
	require.NoError(t, json.NewDecoder(res.Body).Decode(into))
}

func (b *remoteBank) Pay(
	t testing.TB, p onrushtest.Payment, amount int64, at time.Time,
) (n gatewaytest.Notice, taken bool) {
	t.Helper()
	var paid struct {
		Taken   bool              `json:"taken"`
		Body    string            `json:"body"`
		Headers map[string]string `json:"headers"`
	}
	b.call(t, "/test/pay", map[string]any{"pay_number": p.Number, "amount": amount, "now": at.Unix()}, &paid)
	n = gatewaytest.Notice{Header: http.Header{}, Body: []byte(paid.Body)}
	for name, value := range paid.Headers {
		n.Header.Set(name, value)
	}
	return n, paid.Taken
}

func (b *remoteBank) Returned(t testing.TB, payNumber string) int64 {
	t.Helper()
	var returned struct {
		Amount int64 `json:"amount"`
	}
	b.call(t, "/test/returned", map[string]any{"pay_number": payNumber}, &returned)
	return returned.Amount
}

func (b *remoteBank) Silence(on bool) {
	res, err := http.Post(b.url+"/test/silence", "application/json",
		strings.NewReader(`{"on":`+map[bool]string{true: "true", false: "false"}[on]+`}`))
	if err == nil {
		_ = res.Body.Close()
	}
}

func TestAGatewayInAnotherLanguage(t *testing.T) {
	t.Parallel()
	gatewaytest.Run(t, func(t *testing.T) gatewaytest.Subject {
		b := newRemoteBank(t)
		return gatewaytest.Subject{
			Config: onrush.Config{Settings: map[string]string{
				"ONRUSH_GATEWAYS": "acme=" + b.url + " " + remoteSecret,
			}},
			Channel: "acme", Bank: b,
		}
	})
}

func TestGatewaysThatCantBeChannelsAreRefused(t *testing.T) {
	t.Parallel()
	const shop = "https://shop.example "
	for settings, want := range map[string]string{
		"acme=http://shop.example " + remoteSecret:                               "https://",
		"acme=https://shop.example":                                              "its secrets",
		"acme=" + shop + "whsec_c2hvcnQ=":                                        "24 to 64 bytes",
		"acme=" + shop + remoteSecret + " live":                                  "perhaps a space and test",
		"Acme=" + shop + remoteSecret:                                            "1 to 16 of a-z",
		"outside=" + shop + remoteSecret:                                         "has a channel of this name",
		"acme=" + shop + remoteSecret + ",beta=" + shop + remoteSecret + " test": "test mode",
	} {
		_, err := onrush.New(t.Context(), onrush.Config{
			Dir: t.TempDir(), BaseURL: "https://shop.example", Settings: map[string]string{"ONRUSH_GATEWAYS": settings},
		})
		if assert.Error(t, err, settings) {
			assert.Contains(t, err.Error(), want)
			assert.NotContains(t, err.Error(), remoteSecret)
		}
	}
	for _, gateways := range [][]onrush.Gateway{{nil}, {newBank(), newBank()}} {
		_, err := onrush.New(t.Context(), onrush.Config{
			Dir: t.TempDir(), BaseURL: "https://shop.example", Gateways: gateways,
		})
		require.Error(t, err)
	}
}
