package alipay

import (
	"crypto/md5" //nolint:gosec // Alipay identifies certificates by it; not used for security
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"onrush/modules/pay/gateway"
)

// certNames are the certificate parameters of requests if the app signs with a certificate; empty
// otherwise. Answers have the name of Alipay's certificate (alipay_cert_sn), which is ignored: Alipay
// renews it with the same key, so checking the signature suffices.
type certNames struct{ app, root string }

// readCertNames reads the app's certificate, which must match the app's key, and Alipay's root
// certificates.
func readCertNames(app, root string, key *rsa.PrivateKey) (certNames, error) {
	if app == "" && root == "" {
		return certNames{}, nil
	}
	theirs, cert, err := gateway.ReadPublicKey(app)
	switch {
	case err != nil:
		return certNames{}, fmt.Errorf("alipay config: app certificate %w", err)
	case cert == nil:
		return certNames{}, errors.New("alipay config: app certificate is a bare key")
	case !theirs.Equal(&key.PublicKey):
		return certNames{}, errors.New("alipay config: app certificate does not match the app's private key")
	}
	names := certNames{}
	if names.app, err = certName(cert); err != nil {
		return certNames{}, fmt.Errorf("alipay config: app certificate: %w", err)
	}
	if names.root, err = rootName(root); err != nil {
		return certNames{}, fmt.Errorf("alipay config: root certificate %w", err)
	}
	return names, nil
}

// certName returns what Alipay calls a certificate's SN: the MD5 of its issuer in the form of RFC 2253
// and its serial number in decimal.
func certName(cert *x509.Certificate) (string, error) {
	var issuer pkix.RDNSequence
	if _, err := asn1.Unmarshal(cert.RawIssuer, &issuer); err != nil {
		return "", fmt.Errorf("read issuer: %w", err)
	}
	sum := md5.Sum([]byte(issuer.String() + cert.SerialNumber.String())) //nolint:gosec // as above
	return hex.EncodeToString(sum[:]), nil
}

// rootName joins the names of the root certificates that are signed with RSA. The others in Alipay's file
// use curves that crypto/x509 can't read.
func rootName(text string) (string, error) {
	content, err := gateway.PEMText(text)
	if err != nil {
		return "", err
	}
	var names []string
	for {
		var block *pem.Block
		if block, content = pem.Decode(content); block == nil {
			break
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil || !signedByRSA(cert) {
			continue
		}
		name, err := certName(cert)
		if err != nil {
			return "", err
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return "", errors.New("has no certificate that is signed with RSA")
	}
	return strings.Join(names, "_"), nil
}

func signedByRSA(cert *x509.Certificate) bool {
	switch cert.SignatureAlgorithm { //nolint:exhaustive // the others are none of RSA
	case x509.MD5WithRSA, x509.SHA1WithRSA, x509.SHA256WithRSA, x509.SHA384WithRSA, x509.SHA512WithRSA,
		x509.SHA256WithRSAPSS, x509.SHA384WithRSAPSS, x509.SHA512WithRSAPSS:
		return true
	}
	return false
}
