package alipay

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/md5"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/test/double"
)

// issued makes a certificate of a key by an issuer of the same name as Alipay's.
func issued(tb testing.TB, serial int64, public, by any) string {
	tb.Helper()
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: double.Now.AddDate(-1, 0, 0),
		NotAfter: double.Now.AddDate(1, 0, 0), Subject: pkix.Name{
			Country: []string{"CN"}, Organization: []string{"Ant, Inc"}, OrganizationalUnit: []string{"CA"},
			CommonName: "Class 2",
		},
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, public, by)
	require.NoError(tb, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func sum(text string) string {
	sum := md5.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// certConfig has certificates instead of keys; one of the roots is of a curve, another can't be
// read.
func certConfig(t *testing.T, base string) Config {
	t.Helper()
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	ours, platform := double.MerchantKey(), double.PlatformKey()
	roots := issued(t, 3, &platform.PublicKey, platform) + issued(t, 4, &curve.PublicKey, curve) +
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("?")})) +
		issued(t, 5, &platform.PublicKey, platform)
	file := filepath.Join(t.TempDir(), "root.crt")
	require.NoError(t, os.WriteFile(file, []byte(roots), 0o600))
	cfg := config(t, base)
	cfg.AppCert, cfg.AlipayKey, cfg.RootCert = issued(t, 1234567890123, &ours.PublicKey, platform),
		issued(t, 2, &platform.PublicKey, platform), file
	return cfg
}

func TestAlipayNamesItsCertificates(t *testing.T) {
	t.Parallel()
	_, fake := newAlipay(t)
	a, err := New(certConfig(t, fake.url), double.Clock)
	require.NoError(t, err)
	const issuer = `CN=Class 2,OU=CA,O=Ant\, Inc,C=CN`
	app, root := sum(issuer+"1234567890123"), sum(issuer+"3")+"_"+sum(issuer+"5")

	next, err := a.Begin(t.Context(), double.YuanPayment())
	require.NoError(t, err)
	page, err := url.Parse(next.RedirectURL)
	require.NoError(t, err)
	q := page.Query()
	require.Equal(t, app, q.Get("app_cert_sn"))
	require.Equal(t, root, q.Get("alipay_root_cert_sn"))
	require.True(t, double.Verify(&double.MerchantKey().PublicKey, double.AlipayText(q, "sign"), q.Get("sign")))

	fake.trade("123456789", "TRADE_SUCCESS", true)
	found, err := a.Query(t.Context(), double.YuanPayment())
	require.NoError(t, err)
	require.True(t, found.Paid)
	require.Equal(t, app, fake.form.Get("app_cert_sn"))
	_, err = a.Verify(nil, double.AlipaySigned(double.PlatformKey(), alipayForm(double.Now)))
	require.NoError(t, err)
	_, err = a.Verify(nil, double.AlipaySigned(double.StrangerKey(), alipayForm(double.Now)))
	require.ErrorIs(t, err, pay.ErrSignature)
}

func TestAlipayRefusesCertificatesThatDoNotFit(t *testing.T) {
	t.Parallel()
	for says, change := range map[string]func(cfg *Config){
		"app certificate is neither":  func(cfg *Config) { cfg.AppCert = "" },
		"root certificate is neither": func(cfg *Config) { cfg.RootCert = "" },
		"is a bare key": func(cfg *Config) {
			cfg.AppCert = double.PublicPEM(t, double.MerchantKey())
		},
		"does not match the app's private key": func(cfg *Config) { cfg.AppCert = cfg.AlipayKey },
		"no certificate that is signed with RSA": func(cfg *Config) {
			cfg.RootCert = double.PublicPEM(t, double.MerchantKey())
		},
		"Alipay's key is neither": func(cfg *Config) { cfg.AlipayKey = "/nowhere/alipay.crt" },
	} {
		cfg := certConfig(t, "")
		change(&cfg)
		_, err := New(cfg, double.Clock)
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "BEGIN")
	}
}
