package human

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
)

// keys sign challenges: the first signs, the signatures of all are accepted.
type keys [][]byte

// newKeys derives the keys from secret and from previous, which may be empty. They differ from those that sign
// other things with the same secret.
func newKeys(secret, previous []byte) (ks keys) {
	for _, s := range [][]byte{secret, previous} {
		if len(s) > 0 {
			mac := hmac.New(sha256.New, s)
			mac.Write([]byte("human_check"))
			ks = append(ks, mac.Sum(nil))
		}
	}
	return ks
}

func (ks keys) sign(s Subject, salt, challenge string) []byte { return sign(ks[0], s, salt, challenge) }

// accepts reports whether one of the keys signed a challenge for the subject.
func (ks keys) accepts(signature []byte, s Subject, salt, challenge string) bool {
	for _, key := range ks {
		if hmac.Equal(signature, sign(key, s, salt, challenge)) {
			return true
		}
	}
	return false
}

// sign binds a challenge to its subject and, since the salt contains it, to its expiry. Each part is signed
// with its length, so that no part can be moved into the next one.
func sign(key []byte, s Subject, salt, challenge string) []byte {
	mac := hmac.New(sha256.New, key)
	buf := make([]byte, 0, 256)
	for _, part := range []string{s.Activity, s.User, salt, challenge} {
		buf = binary.AppendUvarint(buf, uint64(len(part)))
		buf = append(buf, part...)
	}
	mac.Write(buf)
	return mac.Sum(buf[:0])
}
