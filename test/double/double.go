// Package double has the code that the doubles of the payment gateways share: keys, signatures, and checks
// that the gateways' documents require. It shares no code with the packages that it tests.
package double

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net/url"
	"os"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
)

// The doubles of the gateways share no code with the package. What they sign and check is written here
// from the gateways' documents, over the standard library alone, so that an error in the package is not
// made twice.

// Sign is the base64 of an RSA PKCS #1 v1.5 signature over SHA-256.
func Sign(key *rsa.PrivateKey, text string) string {
	digest := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(signature)
}

// Verify reports whether a signature is valid for the key.
func Verify(key *rsa.PublicKey, text, signature string) bool {
	raw, err := base64.StdEncoding.DecodeString(signature)
	digest := sha256.Sum256([]byte(text))
	return err == nil && rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], raw) == nil
}

// Strictly reads JSON that has no fields that into lacks, and nothing after it.
func Strictly(body []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more")
	}
	return nil
}

var (
	publicHost = regexp.MustCompile(`^[a-z0-9.-]+\.[a-z]+$`)
	// WholeYuan is an amount as Alipay writes it.
	WholeYuan = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})(\.[0-9]{1,2})?$`)
)

// IsNotifyURL reports whether the Chinese gateways would call an address: in full, of a public host, without a
// query. WeChat Pay also wants https on its own port.
func IsNotifyURL(text string, wechat bool) bool {
	u, err := url.Parse(text)
	if err != nil || !publicHost.MatchString(u.Hostname()) || u.Path == "" || u.Path == "/" || u.RawQuery != "" ||
		u.Fragment != "" || len(text) > 255 {
		return false
	}
	if wechat {
		return u.Scheme == "https" && u.Port() == ""
	}
	return u.Scheme == "https" || u.Scheme == "http"
}

// Now is the time of the gateways' tests.
var Now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// Clock returns Now.
func Clock() time.Time { return Now }

// gatewayKeys are made once, since they take long: the merchant's, the gateway's and a stranger's.
var gatewayKeys = sync.OnceValue(func() (keys [3]*rsa.PrivateKey) {
	for i := range keys {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			panic(err)
		}
		keys[i] = key
	}
	return keys
})

// MerchantKey is the key of the merchant.
func MerchantKey() *rsa.PrivateKey { return gatewayKeys()[0] }

// PlatformKey is the key of the gateway.
func PlatformKey() *rsa.PrivateKey {
	return gatewayKeys()[1]
}

// StrangerKey is the key of another party.
func StrangerKey() *rsa.PrivateKey { return gatewayKeys()[2] }

// PrivatePEM is a private key as PEM, in PKCS #1.
func PrivatePEM(key *rsa.PrivateKey) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

// PublicPEM is the public key of a key as PEM.
func PublicPEM(tb testing.TB, key *rsa.PrivateKey) string {
	tb.Helper()
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	require.NoError(tb, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// CertificatePEM is a certificate of a key, signed by itself, that is valid for five years up to end.
func CertificatePEM(tb testing.TB, key *rsa.PrivateKey, serial int64, end time.Time) string {
	tb.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "platform"}, NotBefore: end.AddDate(-5, 0, 0),
		NotAfter: end,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(tb, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// RequireWays requires that what a gateway begins has the part by which the buyer pays, for each of its ways. begin is
// called with what a way needs.
func RequireWays(t *testing.T, g pay.GatewayWithWays, begin func(needs ...string) (pay.Next, error)) {
	t.Helper()
	require.NotEmpty(t, g.Ways())
	for _, way := range g.Ways() {
		next, err := begin(way.Needs...)
		require.NoError(t, err)
		by := next.Params[way.By]
		if way.By == "redirect_url" {
			by = next.RedirectURL
		}
		require.NotEmpty(t, by, "on a %s, by %s", way.Device, way.By)
	}
}

// Begun is a payment that was begun at a gateway.
func Begun(t *testing.T, g pay.Gateway, p *pay.Payment) *pay.Payment {
	t.Helper()
	next, err := g.Begin(t.Context(), p)
	require.NoError(t, err)
	text, err := json.Marshal(next)
	require.NoError(t, err)
	p.NextJSON = string(text)
	return p
}

// YuanPayment is a payment of 12.99 yuan.
func YuanPayment() *pay.Payment {
	return &pay.Payment{
		Number: 123456789, Amount: 1299, Currency: "CNY", CreatedMS: Now.UnixMilli(),
		ExpiresMS: Now.Add(15 * time.Minute).UnixMilli(),
	}
}

// Testdata reads a file of Testdata, whose README names the sources.
func Testdata(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(tb, err)
	return string(text)
}
