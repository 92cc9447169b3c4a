package faults

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/doctor"
	"onrush/app/server"
	"onrush/modules/redisdb"
	"onrush/modules/sqldb"
	"onrush/test/kit"
	"onrush/test/site"
)

// certificates makes an authority, and a certificate of it for 127.0.0.1, and returns the folder of ca.pem, cert.pem
// and key.pem.
func certificates(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, kind string, der []byte) {
		text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	issue := func(
		serial int64, name string, parent *x509.Certificate, by *ecdsa.PrivateKey,
	) (*x509.Certificate, *ecdsa.PrivateKey, []byte) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(t, err)
		made := &x509.Certificate{
			SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, IsCA: parent == nil,
			BasicConstraintsValid: true, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
			KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		}
		if parent == nil {
			parent, by = made, key
		}
		der, err := x509.CreateCertificate(rand.Reader, made, parent, &key.PublicKey, by)
		require.NoError(t, err)
		return made, key, der
	}
	ca, caKey, der := issue(1, "authority", nil, nil)
	write("ca.pem", "CERTIFICATE", der)
	_, key, der := issue(2, "both sides", ca, caKey)
	write("cert.pem", "CERTIFICATE", der)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	write("key.pem", "PRIVATE KEY", der)
	return dir
}

// overTLS starts stores that take connections over TLS from who has a certificate of the authority; files are the
// parameters of their settings. SQL has the user shop, who needs TLS.
func overTLS(t *testing.T) (own *kit.Owned, redisURL, dsn string, files url.Values) {
	t.Helper()
	dir := certificates(t)
	file := func(name string) string { return filepath.Join(dir, name) }
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := free.Addr().(*net.TCPAddr).Port
	require.NoError(t, free.Close())
	kit.NotOnVitess(t, kit.NoUsers)
	own = kit.Own(t,
		kit.RedisArgs("--tls-port", strconv.Itoa(port), "--tls-cert-file", file("cert.pem"),
			"--tls-key-file", file("key.pem"), "--tls-ca-cert-file", file("ca.pem"), "--tls-auth-clients", "yes"),
		kit.SQLArgs("--ssl-ca="+file("ca.pem"), "--ssl-cert="+file("cert.pem"), "--ssl-key="+file("key.pem")))
	for _, statement := range []string{
		"CREATE USER shop@'%' IDENTIFIED BY '' REQUIRE X509", "GRANT ALL ON *.* TO shop@'%'",
	} {
		_, err := own.DB.Write.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	files = url.Values{"tls_ca": {file("ca.pem")}, "tls_cert": {file("cert.pem")}, "tls_key": {file("key.pem")}}
	return own, "rediss://127.0.0.1:" + strconv.Itoa(port) + "/0", strings.Replace(own.MySQLDSN, "root@", "shop@", 1),
		files
}

// with returns a setting with parameters.
func with(setting string, query url.Values) string {
	for name := range query {
		setting += map[bool]string{true: "&", false: "?"}[strings.Contains(setting, "?")] + name + "=" +
			url.QueryEscape(query.Get(name))
	}
	return setting
}

func TestStoresAreReachedOverTLSWithAnAuthorityOfOnesOwn(t *testing.T) {
	t.Parallel()
	_, redisURL, dsn, files := overTLS(t)
	ping := func(query url.Values) error {
		rdb, err := redisdb.Connect(with(redisURL, query))
		require.NoError(t, err)
		defer func() { _ = rdb.Close() }()
		return rdb.Ping(t.Context()).Err()
	}
	require.NoError(t, ping(files))
	require.Error(t, ping(nil), "nobody knows the authority")
	require.Error(t, ping(url.Values{"tls_ca": files["tls_ca"]}), "the server asks for a certificate")
	_, err := redisdb.Connect(with("redis://127.0.0.1/0", files))
	require.ErrorContains(t, err, "rediss://")

	open := func(query url.Values) error {
		db, err := sqldb.OpenMySQL(t.Context(), with(dsn, query), 1)
		if err == nil {
			_ = db.Close()
		}
		return err
	}
	require.NoError(t, open(files))
	require.Error(t, open(nil), "the user needs TLS")
	require.Error(t, open(url.Values{"tls_ca": files["tls_ca"]}), "the user needs a certificate")
}

// The certificates are valid for two hours, of which one is left.
func TestDoctorWarnsOfCertificatesThatEndSoon(t *testing.T) {
	t.Parallel()
	_, redisURL, dsn, files := overTLS(t)
	cfg := &server.Config{
		RedisURL: with(redisURL, files), MySQLDSN: with(dsn, files), JWTSecret: site.JWTSecret,
		PathSecret: site.JWTSecret, Lanes: 16, SQLConnections: 32,
	}
	for ahead, want := range map[time.Duration]doctor.Level{
		0: doctor.OK, 50 * time.Minute: doctor.Warning, 2 * time.Hour: doctor.Failure,
	} {
		now := func() time.Time { return time.Now().Add(ahead) }
		findings := doctor.New(cfg, now, http.DefaultClient).Run(t.Context())
		levels := map[string]doctor.Level{}
		for _, f := range findings {
			levels[f.Check] = f.Level
		}
		for _, check := range []string{
			"redis certificate", "redis client certificate", "sql certificate", "sql client certificate",
		} {
			assert.Equal(t, want, levels[check], "%s in %s: %+v", check, ahead, findings)
		}
	}
}
