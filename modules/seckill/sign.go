package seckill

import (
	"encoding/base64"
	"encoding/binary"
	"strings"

	"onrush/lua"
	"onrush/modules/ids"
	"onrush/modules/order"
	"onrush/modules/order/limitkey"
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

// path is the content of an order path: its user may order this sku of this activity until expiresMS. Of a basket, sku
// has all of them, by id, with skuSeparator between. A path is
// verified without a store. Its form is base64url of the expiry (8 bytes, ms), the activity and the sku as
// ids.Join joins them, and a MAC that binds it to the user. A path with early or limitKey has both behind the sku, and
// a path with reserved has all three.
type path struct {
	activity, sku string
	expiresMS     int64

	early    bool   // the user may order before the start, if the sale still lets some
	limitKey string // under which the user's purchases are counted; "": the user
	reserved bool   // the user may take units that are reserved

	point string // of units that an operator has set aside, not in the text of a path; else ""
}

// What stands for early and for reserved in a path.
const earlyPart, reservedPart = "early", "reserved"

// earlyMS is how much before the start of its sale a path is valid.
func (p path) earlyMS(a *Activity) int64 {
	if p.early {
		return a.Eligible.EarlyMS()
	}
	return 0
}

// fits returns the refusal of a path without a limit key in a sale whose limits count by limit keys: an instance of an
// older version has given it. A published sale never changes by what its limits count.
func (p path) fits(a *Activity) error {
	if (p.limitKey == "") != (a.LimitKey == "") {
		return problem.Errorf(CodePathInvalid, "The order path doesn't fit the sale; request a new one.")
	}
	return nil
}

// expired returns the refusal of an expired path, or nil.
func (p path) expired(nowMS int64) *problem.Error {
	if nowMS >= p.expiresMS {
		return problem.Errorf(CodePathExpired, "The order path has expired; request a new one.")
	}
	return nil
}

// maxPath is the maximum length of a path, in bytes, before base64url makes 4 of 3.
const maxPath = 8 + ids.Max + len(ids.Separator) + lua.MaxTakes*(ids.Max+len(skuSeparator)) + sign.Size +
	len(ids.Separator) + len(earlyPart) + len(ids.Separator) + limitkey.Length + len(ids.Separator) + len(reservedPart)

func (s signer) sealPath(user string, p path) string {
	buf := make([]byte, 0, maxPath)
	buf = binary.BigEndian.AppendUint64(buf, uint64(p.expiresMS)) //nolint:gosec // a time after 1970
	buf = append(buf, ids.Join(p.activity, p.sku)...)
	if p.early || p.limitKey != "" || p.reserved {
		early := ""
		if p.early {
			early = earlyPart
		}
		buf = append(buf, ids.Separator+ids.Join(early, p.limitKey)...)
		if p.reserved {
			buf = append(buf, ids.Separator+reservedPart...)
		}
	}
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
	sku, more, _ := strings.Cut(sku, ids.Separator)
	early, more, _ := strings.Cut(more, ids.Separator)
	limitKey, reserved, _ := strings.Cut(more, ids.Separator)
	return path{
		activity: activity, sku: sku, early: early == earlyPart, limitKey: limitKey, reserved: reserved == reservedPart,
		expiresMS: int64(binary.BigEndian.Uint64(buf)), //nolint:gosec // sealPath wrote it
	}, nil
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
