// Package tlsfiles reads the certificates with which connections to stores are made.
package tlsfiles

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// Files are paths of PEM files. Without CA the authorities of the system are trusted; Cert and Key, both or none, show
// the server who connects.
type Files struct{ CA, Cert, Key string }

// None reports whether no file is named.
func (f Files) None() bool { return f == Files{} }

// Into reads the files into a configuration.
func (f Files) Into(cfg *tls.Config) error {
	if f.CA != "" {
		text, err := os.ReadFile(f.CA)
		if err != nil {
			return fmt.Errorf("read the certificate of the authority: %w", err)
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(text) {
			return fmt.Errorf("read the certificate of the authority: %s has none", f.CA)
		}
	}
	if (f.Cert == "") != (f.Key == "") {
		return errors.New("a client certificate needs a key, and a key a certificate")
	}
	if f.Cert == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return fmt.Errorf("read the client certificate: %w", err)
	}
	cfg.Certificates = []tls.Certificate{pair}
	return nil
}
