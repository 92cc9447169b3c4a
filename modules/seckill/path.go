package seckill

import (
	"encoding/base64"
	"encoding/binary"
	"strings"

	"onrush/modules/problem"
	"onrush/modules/sign"
)

// path is the content of an order path: its user may order this sku of this activity until expiresMS. It is
// verified without a store. Its form is base64url of the expiry (8 bytes, ms), the activity, a zero byte, the
// sku, and a MAC that binds it to the user.
type path struct {
	activity, sku string
	expiresMS     int64
}

// maxPath is the maximum length of a path that is decoded, in bytes.
const maxPath = 200

func (s signer) sealPath(user string, p path) string {
	buf := binary.BigEndian.AppendUint64(make([]byte, 0, 96), uint64(p.expiresMS)) //nolint:gosec // a time after 1970
	buf = append(buf, p.activity...)
	buf = append(buf, 0)
	buf = append(buf, p.sku...)
	sum := s.path.Sign(user, string(buf))
	return base64.RawURLEncoding.EncodeToString(append(buf, sum[:]...))
}

// openPath verifies a path that was sealed for this user; for any other text the error is path_invalid. The
// caller must check whether it has expired: a retry of a placed order is answered even then.
func (s signer) openPath(user, sealed string) (path, error) {
	invalid := func() (path, error) {
		return path{}, problem.Errorf(CodePathInvalid, "The order path is not valid for this user; request a new one.")
	}
	if len(sealed) > maxPath {
		return invalid()
	}
	buf, err := sign.Decode(sealed)
	if err != nil || len(buf) < 8+sign.Size {
		return invalid()
	}
	body := string(buf[:len(buf)-sign.Size])
	if !s.path.Accepts(buf[len(body):], user, body) {
		return invalid()
	}
	activity, sku, found := strings.Cut(body[8:], "\x00")
	if !found {
		return invalid()
	}
	//nolint:gosec // sealPath wrote it
	return path{activity: activity, sku: sku, expiresMS: int64(binary.BigEndian.Uint64(buf))}, nil
}
