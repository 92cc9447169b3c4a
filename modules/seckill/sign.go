package seckill

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
)

// macBytes is how much of an HMAC-SHA256 stands in paths, task ids and confirmations.
const macBytes = 16

// signer signs what the module hands to clients and takes back. Each purpose has its own key, so
// that one thing can't be passed off as another.
type signer struct{ path, task, confirmation []byte }

func newSigner(secret []byte) signer {
	key := func(purpose string) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(purpose))
		return mac.Sum(nil)
	}
	return signer{path: key("path"), task: key("task"), confirmation: key("confirmation")}
}

// mac signs parts; each is preceded by its length, so that they can't run into each other.
func mac(key []byte, parts ...string) []byte {
	h := hmac.New(sha256.New, key)
	var length [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(p)))
		h.Write(length[:])
		h.Write([]byte(p))
	}
	return h.Sum(nil)[:macBytes]
}

// digest is a hash of parts in 16 characters of base64url, or 22 for 16 bytes.
func digest(bytes int, parts ...string) string {
	h := sha256.New()
	var length [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(p)))
		h.Write(length[:])
		h.Write([]byte(p))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:bytes])
}
