package gateway

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/test/double"
)

func TestKeysAreReadInEachForm(t *testing.T) {
	t.Parallel()
	key := double.MerchantKey()
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "key.pem")
	require.NoError(t, os.WriteFile(file, []byte(double.PrivatePEM(key)), 0o600))
	for name, text := range map[string]string{
		"PKCS #1": double.PrivatePEM(key),
		"PKCS #8": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})),
		"bare":    base64.StdEncoding.EncodeToString(pkcs8),
		"file":    file,
	} {
		got, err := ReadPrivateKey(text)
		require.NoError(t, err, name)
		require.True(t, key.Equal(got), name)
	}
	for name, text := range map[string]string{
		"PEM":         double.PublicPEM(t, key),
		"bare":        base64.StdEncoding.EncodeToString(public),
		"certificate": double.CertificatePEM(t, key, 7, double.Now),
	} {
		got, _, err := ReadPublicKey(text)
		require.NoError(t, err, name)
		require.True(t, key.PublicKey.Equal(got), name)
	}
}

func TestMalformedKeysAreRefusedWithoutQuotingThem(t *testing.T) {
	t.Parallel()
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	require.NoError(t, err)
	secret := strings.Repeat("c2VjcmV0", 64)
	for _, text := range []string{
		"", "secret-but-no-key", secret, double.PrivatePEM(small), double.PublicPEM(t, double.MerchantKey()),
		t.TempDir(), "\x00",
	} {
		_, err := ReadPrivateKey(text)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "secret")
		require.NotContains(t, err.Error(), "c2Vj")
	}
	for _, text := range []string{"", secret, double.PrivatePEM(double.MerchantKey()), double.PublicPEM(t, small)} {
		_, _, err := ReadPublicKey(text)
		require.Error(t, err)
	}
}
