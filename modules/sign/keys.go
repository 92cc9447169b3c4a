package sign

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"hash"
	"strings"
	"sync"
)

// Size is the length of a signature in bytes: the first half of an HMAC-SHA256.
const Size = 16

// Keys are the keys of one purpose: the first signs, the signatures of all are accepted. They are safe for
// concurrent use.
type Keys []*key

// NewKeys derives the keys of a purpose from secrets. Each purpose has its own keys, so that a text that was signed for
// one purpose is not accepted for another.
func NewKeys(purpose string, secrets Secrets) (ks Keys) {
	for _, s := range secrets {
		mac := hmac.New(sha256.New, []byte(s))
		mac.Write([]byte(purpose))
		ks = append(ks, newKey(mac.Sum(nil)))
	}
	return ks
}

// Sign returns the signature of parts. It covers their lengths, so that no part can be moved into the next.
func (ks Keys) Sign(parts ...string) [Size]byte { return ks[0].sign(parts...) }

// Accepts reports whether one of the keys has signed parts.
func (ks Keys) Accepts(signature []byte, parts ...string) bool {
	for _, k := range ks {
		if sum := k.sign(parts...); hmac.Equal(signature, sum[:]) {
			return true
		}
	}
	return false
}

// key reuses HMAC states, since setting up a state costs more than a signature.
type key struct{ states sync.Pool }

// state is an HMAC and its buffers.
type state struct {
	mac     hash.Hash
	in, sum []byte
}

func newKey(secret []byte) *key {
	return &key{states: sync.Pool{New: func() any { return &state{mac: hmac.New(sha256.New, secret)} }}}
}

func (k *key) sign(parts ...string) (sum [Size]byte) {
	s := k.states.Get().(*state)
	defer k.states.Put(s)
	s.in = appendParts(s.in[:0], parts...)
	s.mac.Reset()
	s.mac.Write(s.in)
	s.sum = s.mac.Sum(s.sum[:0])
	copy(sum[:], s.sum)
	return sum
}

// Decode decodes base64url. It rejects line breaks, which Go's decoder skips, since a signed text must have
// only one form.
func Decode(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, errors.New("a line break in base64url")
	}
	return base64.RawURLEncoding.Strict().DecodeString(text)
}
