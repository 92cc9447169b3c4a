package pay

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// gatewayKeys are made once, since they take long: the merchant's, the gateway's and a stranger's.
var gatewayKeys = sync.OnceValue(func() (keys [3]*rsa.PrivateKey) {
	for i := range keys {
		key, err := rsa.GenerateKey(rand.Reader, minRSABits)
		if err != nil {
			panic(err)
		}
		keys[i] = key
	}
	return keys
})

func merchantKey() *rsa.PrivateKey { return gatewayKeys()[0] }
func platformTestKey() *rsa.PrivateKey {
	return gatewayKeys()[1]
}
func strangerKey() *rsa.PrivateKey { return gatewayKeys()[2] }

func privatePEM(key *rsa.PrivateKey) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

func publicPEM(tb testing.TB, key *rsa.PrivateKey) string {
	tb.Helper()
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	require.NoError(tb, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

func certificatePEM(tb testing.TB, key *rsa.PrivateKey, serial int64, end time.Time) string {
	tb.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "platform"}, NotBefore: end.AddDate(-5, 0, 0), NotAfter: end,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(tb, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func TestKeysAreReadInEachForm(t *testing.T) {
	t.Parallel()
	key := merchantKey()
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "key.pem")
	require.NoError(t, os.WriteFile(file, []byte(privatePEM(key)), 0o600))
	for name, text := range map[string]string{
		"PKCS #1": privatePEM(key),
		"PKCS #8": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})),
		"bare":    base64.StdEncoding.EncodeToString(pkcs8),
		"file":    file,
	} {
		got, err := readPrivateKey(text)
		require.NoError(t, err, name)
		require.True(t, key.Equal(got), name)
	}
	for name, text := range map[string]string{
		"PEM":         publicPEM(t, key),
		"bare":        base64.StdEncoding.EncodeToString(public),
		"certificate": certificatePEM(t, key, 7, gatewayNow),
	} {
		got, _, err := readPublicKey(text)
		require.NoError(t, err, name)
		require.True(t, key.PublicKey.Equal(got), name)
	}
}

func TestKeysThatAreNoneAreRefusedWithoutQuotingThem(t *testing.T) {
	t.Parallel()
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	require.NoError(t, err)
	secret := strings.Repeat("c2VjcmV0", 64)
	for _, text := range []string{"", "secret-but-no-key", secret, privatePEM(small), publicPEM(t, merchantKey()), t.TempDir(), "\x00"} {
		_, err := readPrivateKey(text)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "secret")
		require.NotContains(t, err.Error(), "c2Vj")
	}
	for _, text := range []string{"", secret, privatePEM(merchantKey()), publicPEM(t, small)} {
		_, _, err := readPublicKey(text)
		require.Error(t, err)
	}
}
