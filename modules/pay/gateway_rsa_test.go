package pay

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
)

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
