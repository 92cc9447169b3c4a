package line

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
)

// place is the content of a sealed place: its position in the line of an activity, or early. It is verified
// without a store. Its form is base64url of the position plus one (8 bytes), the activity, and a MAC that binds
// both to the user.
type place struct {
	activity string
	position int64
}

// early is the position of a place that was taken before the start of the sale, as long as it is not known.
const early = -1

const (
	// macBytes is how many bytes of an HMAC-SHA256 a place contains.
	macBytes = 16
	// maxPlace is the maximum length of a place that is decoded, in bytes. An activity has at most 32.
	maxPlace = 75
)

// sealer signs places with keys that it derives from the secrets of paths.
type sealer struct {
	keys  [][]byte // the first signs, the signatures of all are accepted
	score []byte
}

// newSealer returns a sealer that signs with secret, and also accepts signatures of previous, which may be
// empty.
func newSealer(secret, previous []byte) sealer {
	s := sealer{keys: [][]byte{digest(secret, "place")}, score: digest(secret, "early place")}
	if len(previous) > 0 {
		s.keys = append(s.keys, digest(previous, "place"))
	}
	return s
}

func (s sealer) seal(user string, p place) string {
	body := binary.BigEndian.AppendUint64(make([]byte, 0, 64), uint64(p.position+1)) //nolint:gosec // at least early
	body = append(body, p.activity...)
	sealed := append(body, mac(s.keys[0], body, user)...)
	return base64.RawURLEncoding.EncodeToString(sealed)
}

// open returns the content of a place that was sealed for this user, and false for any other text.
func (s sealer) open(user, sealed string) (place, bool) {
	// Go's decoder skips line breaks, but a place must have only one form.
	if len(sealed) > maxPlace || strings.ContainsAny(sealed, "\r\n") {
		return place{}, false
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil || len(data) < 8+macBytes {
		return place{}, false
	}
	body, signature := data[:len(data)-macBytes], data[len(data)-macBytes:]
	for _, key := range s.keys {
		if hmac.Equal(signature, mac(key, body, user)) {
			position := int64(binary.BigEndian.Uint64(body)) - 1 //nolint:gosec // seal wrote it
			return place{activity: string(body[8:]), position: position}, true
		}
	}
	return place{}, false
}

// draw returns the random numbers of a user: the score of an early place, 52 bits that nobody can choose or
// guess, and a fraction from 0 to 1 that spreads the user's polls. They are the same each time.
func (s sealer) draw(activity, user string) (score int64, spread float64) {
	sum := digest(s.score, activity+"\x00"+user)      // neither has a control character
	score = int64(binary.BigEndian.Uint64(sum) >> 12) // 52 bits
	return score, float64(binary.BigEndian.Uint32(sum[8:])) / (1 << 32)
}

// mac signs body for a user; the length of body keeps both apart.
func mac(key, body []byte, user string) []byte {
	text := binary.BigEndian.AppendUint64(make([]byte, 0, 128), uint64(len(body)))
	text = append(text, body...)
	return digest(key, string(append(text, user...)))[:macBytes]
}

func digest(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
