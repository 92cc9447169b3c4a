package seckill

import (
	"encoding/base64"
	"encoding/binary"
	"strings"

	"onrush/web/problem"
)

// path is what an order path says: who may order which sku of which activity until when. It is
// checked without any store: base64url of expiry (8 bytes, ms), activity, 0, sku, and a MAC that
// binds it to the user.
type path struct {
	activity, sku string
	expiresMS     int64
}

// maxPath bounds what is decoded.
const maxPath = 200

func (s signer) sealPath(user string, p path) string {
	buf := binary.BigEndian.AppendUint64(make([]byte, 0, 96), uint64(p.expiresMS)) //nolint:gosec // a time after 1970
	buf = append(buf, p.activity...)
	buf = append(buf, 0)
	buf = append(buf, p.sku...)
	sum := s.path.mac(user, string(buf))
	return base64.RawURLEncoding.EncodeToString(append(buf, sum[:]...))
}

// openPath reads a path that was sealed for this user; anything else is path_invalid. Whether it
// has expired is for the caller to look at: a retry of an order that was placed is answered all
// the same.
func (s signer) openPath(user, sealed string) (path, error) {
	invalid := func() (path, error) {
		return path{}, problem.Errorf(CodePathInvalid, "The order path is not valid for this user; ask for one.")
	}
	if len(sealed) > maxPath {
		return invalid()
	}
	buf, err := unseal(sealed)
	if err != nil || len(buf) < 8+macBytes {
		return invalid()
	}
	body := string(buf[:len(buf)-macBytes])
	if !s.path.accepts(buf[len(body):], user, body) {
		return invalid()
	}
	activity, sku, found := strings.Cut(body[8:], "\x00")
	if !found {
		return invalid()
	}
	return path{activity: activity, sku: sku, expiresMS: int64(binary.BigEndian.Uint64(buf))}, nil //nolint:gosec // sealPath wrote it
}
