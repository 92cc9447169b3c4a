package pay

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"regexp"
)

// The doubles of the gateways share no code with the package. What they sign and check is written here
// from the gateways' documents, over the standard library alone, so that an error in the package is not
// made twice.

// doubleSigns is the base64 of an RSA PKCS #1 v1.5 signature over SHA-256.
func doubleSigns(key *rsa.PrivateKey, text string) string {
	digest := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(signature)
}

// doubleBelieves says whether a signature is the key's.
func doubleBelieves(key *rsa.PublicKey, text, signature string) bool {
	raw, err := base64.StdEncoding.DecodeString(signature)
	digest := sha256.Sum256([]byte(text))
	return err == nil && rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], raw) == nil
}

// strictly reads JSON that has no other fields than those of into, and nothing after it.
func strictly(body []byte, into any) error {
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
	wholeYuan  = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})(\.[0-9]{1,2})?$`)
)

// isNotifyURL says whether the gateways of the Mainland would call an address: in full, of a public host,
// without a query. WeChat Pay also wants https on its own port.
func isNotifyURL(text string, wechat bool) bool {
	u, err := url.Parse(text)
	if err != nil || !publicHost.MatchString(u.Hostname()) || u.Path == "" || u.Path == "/" || u.RawQuery != "" || u.Fragment != "" || len(text) > 255 {
		return false
	}
	if wechat {
		return u.Scheme == "https" && u.Port() == ""
	}
	return u.Scheme == "https" || u.Scheme == "http"
}
