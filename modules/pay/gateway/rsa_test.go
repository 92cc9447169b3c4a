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
	bare := base64.StdEncoding.EncodeToString(pkcs8)
	file := filepath.Join(t.TempDir(), "key.pem")
	require.NoError(t, os.WriteFile(file, []byte(double.PrivatePEM(key)), 0o600))
	for name, text := range map[string]string{
		"PKCS #1": double.PrivatePEM(key),
		"PKCS #8": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})),
		"bare":    bare,
		"file":    file,

		"one line":              strings.ReplaceAll(double.PrivatePEM(key), "\n", " "),
		"without line breaks":   strings.ReplaceAll(double.PrivatePEM(key), "\n", ""),
		`\n`:                    strings.ReplaceAll(double.PrivatePEM(key), "\n", `\n`),
		`\r\n`:                  strings.ReplaceAll(double.PrivatePEM(key), "\n", `\r\n`),
		"lines of Windows":      "\r\n " + strings.ReplaceAll(double.PrivatePEM(key), "\n", "\r\n"),
		"bare, several lines":   bare[:64] + "\n" + bare[64:] + "\n",
		`bare, lines with \n`:   bare[:64] + `\n` + bare[64:] + `\n`,
		"a path with a break":   file + "\n",
		"after words of a tool": "Bag Attributes\n    friendlyName: key\n" + double.PrivatePEM(key),
	} {
		got, err := ReadPrivateKey(text)
		require.NoError(t, err, name)
		require.True(t, key.Equal(got), name)
	}
	for name, text := range map[string]string{
		"PEM":         double.PublicPEM(t, key),
		"bare":        base64.StdEncoding.EncodeToString(public),
		"certificate": double.CertificatePEM(t, key, 7, double.Now),
		"one line":    strings.ReplaceAll(double.CertificatePEM(t, key, 7, double.Now), "\n", " "),
	} {
		got, _, err := ReadPublicKey(text)
		require.NoError(t, err, name)
		require.True(t, key.PublicKey.Equal(got), name)
	}
}

func TestBlocksOfPEMInOneLineAreAllRead(t *testing.T) {
	t.Parallel()
	two := double.CertificatePEM(t, double.MerchantKey(), 7, double.Now) +
		double.CertificatePEM(t, double.MerchantKey(), 8, double.Now)
	for _, text := range []string{two, strings.ReplaceAll(two, "\n", ""), strings.ReplaceAll(two, "\n", `\n`)} {
		lines, err := PEMText(text)
		require.NoError(t, err)
		first, rest := pem.Decode(lines)
		require.NotNil(t, first)
		second, _ := pem.Decode(rest)
		require.NotNil(t, second)
		require.NotEqual(t, first.Bytes, second.Bytes)
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
