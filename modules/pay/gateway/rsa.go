package gateway

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"onrush/modules/pay"
)

// minRSABits is the length of the shortest RSA key that is accepted.
const minRSABits = 2048

// maxKeyFile bounds the size of a key file, in bytes.
const maxKeyFile = 64 << 10

// keyBytes reads a key that is given as PEM, as bare base64 of its DER, or as the path of a file with
// either. kind is the PEM block's type, empty for bare base64. Errors don't quote the text, since it may
// be the key.
func keyBytes(text string) (kind string, der []byte, err error) {
	text = strings.TrimSpace(text)
	if kind, der, ok := decodeKey(text); ok {
		if len(pemBlock.FindAllString(text, 2)) > 1 {
			return "", nil, errors.New("has more than one key")
		}
		return kind, der, nil
	}
	content, err := readKeyFile(text)
	if err != nil {
		return "", nil, err
	}
	kind, der, ok := decodeKey(strings.TrimSpace(string(content)))
	if !ok {
		return "", nil, errors.New("names a file that holds no key")
	}
	return kind, der, nil
}

func readKeyFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxKeyFile {
		return nil, errors.New("is neither a key nor a file that can be read")
	}
	content, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, errors.New("is neither a key nor a file that can be read")
	}
	return content, nil
}

// PEMText returns PEM that is given as text or as the path of a file.
func PEMText(text string) ([]byte, error) {
	if lines := inLines(text); lines != nil {
		return lines, nil
	}
	content, err := readKeyFile(strings.TrimSpace(text))
	if lines := inLines(string(content)); lines != nil {
		return lines, nil
	}
	return content, err
}

// pemBlock is a block of PEM in any number of lines.
var pemBlock = regexp.MustCompile(`(?s)-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END [A-Z0-9 ]+-----`)

// escapedBreaks are line breaks as shells and JSON write them.
var escapedBreaks = strings.NewReplacer(`\r`, "\n", `\n`, "\n")

// inLines returns the blocks of PEM with the line breaks that they must have, of which settings in one line have none,
// spaces, or \n. It returns nil if the text has no block.
func inLines(text string) (blocks []byte) {
	for _, found := range pemBlock.FindAllStringSubmatch(text, -1) {
		body := strings.Join(strings.Fields(escapedBreaks.Replace(found[2])), "\n")
		block := fmt.Appendf(nil, "-----BEGIN %s-----\n%s\n-----END %s-----\n", found[1], body, found[1])
		if parsed, _ := pem.Decode(block); parsed != nil {
			blocks = append(blocks, block...)
		}
	}
	return blocks
}

func decodeKey(text string) (kind string, der []byte, ok bool) {
	if block, _ := pem.Decode(inLines(text)); block != nil {
		return block.Type, block.Bytes, true
	}
	bare := strings.Join(strings.Fields(escapedBreaks.Replace(text)), "")
	der, err := base64.StdEncoding.DecodeString(bare)
	return "", der, err == nil && len(der) >= minRSABits/8
}

// ReadPrivateKey reads an RSA key in PKCS #8 or PKCS #1.
func ReadPrivateKey(text string) (*rsa.PrivateKey, error) {
	_, der, err := keyBytes(text)
	if err != nil {
		return nil, err
	}
	key, err := x509.ParsePKCS1PrivateKey(der)
	if err != nil {
		parsed, err := x509.ParsePKCS8PrivateKey(der)
		if err != nil {
			return nil, errors.New("is no private key in PKCS #8 or PKCS #1")
		}
		var ok bool
		if key, ok = parsed.(*rsa.PrivateKey); !ok {
			return nil, errors.New("is no RSA key")
		}
	}
	if key.N.BitLen() < minRSABits {
		return nil, fmt.Errorf("has fewer than %d bits", minRSABits)
	}
	return key, nil
}

// ReadPublicKey reads an RSA public key, bare or in a certificate; cert is nil for a bare one.
func ReadPublicKey(text string) (key *rsa.PublicKey, cert *x509.Certificate, err error) {
	kind, der, err := keyBytes(text)
	if err != nil {
		return nil, nil, err
	}
	var parsed any
	if kind == "CERTIFICATE" {
		if cert, err = x509.ParseCertificate(der); err == nil {
			parsed = cert.PublicKey
		}
	} else {
		parsed, err = x509.ParsePKIXPublicKey(der)
	}
	if err != nil {
		return nil, nil, errors.New("is neither a certificate nor a public key")
	}
	key, ok := parsed.(*rsa.PublicKey)
	switch {
	case !ok:
		return nil, nil, errors.New("is no RSA key")
	case key.N.BitLen() < minRSABits:
		return nil, nil, fmt.Errorf("has fewer than %d bits", minRSABits)
	}
	return key, cert, nil
}

// SignRSA returns the base64 of a signature of message with RSA PKCS #1 v1.5 and SHA-256.
func SignRSA(key *rsa.PrivateKey, message []byte) (string, error) {
	digest := sha256.Sum256(message)
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	return base64.StdEncoding.EncodeToString(signature), nil
}

// VerifyRSA checks a base64 signature with a public key; if it is wrong, the error wraps
// pay.ErrSignature.
func VerifyRSA(key *rsa.PublicKey, message []byte, signature string) error {
	raw, err := base64.StdEncoding.Strict().DecodeString(signature)
	if err != nil {
		return fmt.Errorf("%w: it is not base64", pay.ErrSignature)
	}
	digest := sha256.Sum256(message)
	if err := rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], raw); err != nil {
		return fmt.Errorf("%w: it was not made with this key", pay.ErrSignature)
	}
	return nil
}
