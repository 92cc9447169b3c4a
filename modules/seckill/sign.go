package seckill

import (
	"encoding/base64"
	"encoding/binary"
	"strings"

	"onrush/modules/ids"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sign"
)

// signer signs texts for clients and verifies them when clients send them back.
type signer struct{ path, task, confirmation sign.Keys }

func newSigner(s sign.Secrets) signer {
	return signer{
		path:         sign.NewKeys("path", s),
		task:         sign.NewKeys("task", s),
		confirmation: sign.NewKeys("confirmation", s),
	}
}

// path is the content of an order path: its user may order this sku of this activity until expiresMS. It is
// verified without a store. Its form is base64url of the expiry (8 bytes, ms), the activity and the sku as
// ids.Join joins them, and a MAC that binds it to the user.
type path struct {
	activity, sku string
	expiresMS     int64
}

// expired returns the refusal of an expired path, or nil.
func (p path) expired(nowMS int64) *problem.Error {
	if nowMS >= p.expiresMS {
		return problem.Errorf(CodePathExpired, "The order path has expired; request a new one.")
	}
	return nil
}

// maxPath is the maximum length of a path, in bytes, before base64url makes 4 of 3.
const maxPath = 8 + ids.Max + len(ids.Separator) + ids.Max + sign.Size

func (s signer) sealPath(user string, p path) string {
	buf := make([]byte, 0, maxPath)
	buf = binary.BigEndian.AppendUint64(buf, uint64(p.expiresMS)) //nolint:gosec // a time after 1970
	buf = append(buf, ids.Join(p.activity, p.sku)...)
	sum := s.path.Sign(user, string(buf))
	return base64.RawURLEncoding.EncodeToString(append(buf, sum[:]...))
}

// openPath verifies a path that was sealed for this user; for any other text the error is path_invalid. The
// caller must check whether it has expired: a retry of a placed order is answered even then.
func (s signer) openPath(user, sealed string) (path, error) {
	invalid := func() (path, error) {
		return path{}, problem.Errorf(CodePathInvalid, "The order path is not valid for this user; request a new one.")
	}
	if len(sealed) > base64.RawURLEncoding.EncodedLen(maxPath) {
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
	activity, sku, found := strings.Cut(body[8:], ids.Separator)
	if !found {
		return invalid()
	}
	//nolint:gosec // sealPath wrote it
	return path{activity: activity, sku: sku, expiresMS: int64(binary.BigEndian.Uint64(buf))}, nil
}

// newTaskID returns the id of a submit. It is known before the order is placed, and verified without a store.
func newTaskID(lane int, activity, user, sku, key string) order.TaskID {
	return order.TaskID{Lane: lane, Activity: activity, Hash: sign.Digest(16, user, sku, key)}
}

// sealTask returns a task id as its buyer gets it: `<lane>~<activity>~<hash>~<mac>`.
func (s signer) sealTask(user, task string) string {
	sum := s.task.Sign(user, task)
	return ids.Join(task, base64.RawURLEncoding.EncodeToString(sum[:]))
}

// maxTaskID is the longest task id that is read, in bytes.
const maxTaskID = 128

// openTask verifies the id of one of the user's tasks; for any other text the error is task_not_found.
func (s signer) openTask(user, sealed string) (order.TaskID, error) {
	notFound := problem.Errorf(CodeTaskNotFound, "There is no such task.")
	if len(sealed) > maxTaskID {
		return order.TaskID{}, notFound
	}
	end := max(strings.LastIndex(sealed, ids.Separator), 0)
	task, mac := sealed[:end], strings.TrimPrefix(sealed[end:], ids.Separator)
	t, ok := order.ParseTaskID(task)
	if !ok {
		return order.TaskID{}, notFound
	}
	given, err := sign.Decode(mac)
	if err != nil || !s.task.Accepts(given, user, task) {
		return order.TaskID{}, notFound
	}
	return t, nil
}
