package seckill

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash"
	"strings"
	"sync"
)

// macBytes is how much of an HMAC-SHA256 stands in paths, task ids and confirmations.
const macBytes = 16

// signer signs what the module hands to clients and takes back. Each purpose has its own key, so
// that one thing can't be passed off as another.
type signer struct{ path, task, confirmation keys }

// newSigner makes a signer of the secret that also accepts what the previous one signed; that one
// may be empty.
func newSigner(secret, previous []byte) signer {
	purpose := func(name string) (made keys) {
		for _, s := range [][]byte{secret, previous} {
			if len(s) > 0 {
				mac := hmac.New(sha256.New, s)
				mac.Write([]byte(name))
				made = append(made, newKey(mac.Sum(nil)))
			}
		}
		return made
	}
	return signer{path: purpose("path"), task: purpose("task"), confirmation: purpose("confirmation")}
}

// keys are the keys of one purpose: the first signs, all are accepted.
type keys []*key

func (ks keys) mac(parts ...string) [macBytes]byte { return ks[0].mac(parts...) }

// accepts reports whether one of the keys has signed parts.
func (ks keys) accepts(signature []byte, parts ...string) bool {
	for _, k := range ks {
		if sum := k.mac(parts...); hmac.Equal(signature, sum[:]) {
			return true
		}
	}
	return false
}

// key signs for one purpose. It keeps states that were set up once, since that costs more than a
// signature. It is safe for concurrent use.
type key struct{ states sync.Pool }

// state is an HMAC and the room it works in.
type state struct {
	mac     hash.Hash
	in, sum []byte
}

func newKey(secret []byte) *key {
	return &key{states: sync.Pool{New: func() any { return &state{mac: hmac.New(sha256.New, secret)} }}}
}

// mac signs parts.
func (k *key) mac(parts ...string) (sum [macBytes]byte) {
	s := k.states.Get().(*state)
	defer k.states.Put(s)
	s.in = appendParts(s.in[:0], parts)
	s.mac.Reset()
	s.mac.Write(s.in)
	s.sum = s.mac.Sum(s.sum[:0])
	copy(sum[:], s.sum)
	return sum
}

// unseal reads base64url as it was written: Go's decoder skips line breaks, and a sealed text must
// have one form only.
func unseal(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, errors.New("a line break in base64url")
	}
	return base64.RawURLEncoding.Strict().DecodeString(text)
}

// digest is a hash of parts in 16 characters of base64url, or 22 for 16 bytes.
func digest(bytes int, parts ...string) string {
	sum := sha256.Sum256(appendParts(make([]byte, 0, 512), parts))
	return base64.RawURLEncoding.EncodeToString(sum[:bytes])
}

// appendParts writes parts, each preceded by its length, so that they can't run into each other.
func appendParts(to []byte, parts []string) []byte {
	for _, p := range parts {
		to = binary.BigEndian.AppendUint64(to, uint64(len(p)))
		to = append(to, p...)
	}
	return to
}
