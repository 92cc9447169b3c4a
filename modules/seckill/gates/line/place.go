package line

import (
	"encoding/base64"
	"encoding/binary"

	"onrush/modules/ids"
	"onrush/modules/sign"
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

// maxPlace is the maximum length of a place that is decoded, in bytes: base64url makes 4 of 3.
const maxPlace = ((8+ids.Max+sign.Size)*4 + 2) / 3

// sealer signs places with keys that it derives from the secrets of paths.
type sealer struct{ places, scores sign.Keys }

func newSealer(s sign.Secrets) sealer {
	return sealer{places: sign.NewKeys("place", s), scores: sign.NewKeys("early place", s)}
}

func (s sealer) seal(user string, p place) string {
	body := make([]byte, 0, 8+ids.Max+sign.Size)
	body = binary.BigEndian.AppendUint64(body, uint64(p.position+1)) //nolint:gosec // at least early
	body = append(body, p.activity...)
	signature := s.places.Sign(string(body), user)
	return base64.RawURLEncoding.EncodeToString(append(body, signature[:]...))
}

// open returns the content of a place that was signed for this user, and false for any other text.
func (s sealer) open(user, sealed string) (place, bool) {
	if len(sealed) > maxPlace {
		return place{}, false
	}
	data, err := sign.Decode(sealed)
	if err != nil || len(data) < 8+sign.Size {
		return place{}, false
	}
	body, signature := string(data[:len(data)-sign.Size]), data[len(data)-sign.Size:]
	if !s.places.Accepts(signature, body, user) {
		return place{}, false
	}
	position := int64(binary.BigEndian.Uint64(data)) - 1 //nolint:gosec // seal wrote it
	return place{activity: body[8:], position: position}, true
}
