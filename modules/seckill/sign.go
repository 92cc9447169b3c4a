package seckill

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"hash"
	"strings"
	"sync"

	"onrush/modules/order"
)

// macBytes is how many bytes of an HMAC-SHA256 paths, task ids and confirmations contain.
const macBytes = 16

// signer signs texts for clients and verifies them when clients send them back. Each purpose has its own key,
// so that a text of one purpose is not accepted for another.
type signer struct{ path, task, confirmation keys }

// newSigner returns a signer that signs with secret, and also accepts signatures of previous, which may be
// empty.
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

// keys are the keys of one purpose: the first signs, the signatures of all are accepted.
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

// key signs for one purpose. It reuses HMAC states, since setting up a state costs more than a signature.
// It is safe for concurrent use.
type key struct{ states sync.Pool }

// state is an HMAC and its buffers.
type state struct {
	mac     hash.Hash
	in, sum []byte
}

func newKey(secret []byte) *key {
	return &key{states: sync.Pool{New: func() any { return &state{mac: hmac.New(sha256.New, secret)} }}}
}

func (k *key) mac(parts ...string) (sum [macBytes]byte) {
	s := k.states.Get().(*state)
	defer k.states.Put(s)
	s.in = order.AppendParts(s.in[:0], parts...)
	s.mac.Reset()
	s.mac.Write(s.in)
	s.sum = s.mac.Sum(s.sum[:0])
	copy(sum[:], s.sum)
	return sum
}

// unseal decodes base64url. It rejects line breaks, which Go's decoder skips, since a sealed text must have
// only one form.
func unseal(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, errors.New("a line break in base64url")
	}
	return base64.RawURLEncoding.Strict().DecodeString(text)
}
