package seckill

import (
	"encoding/base64"

	"onrush/modules/ids"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sign"
)

// newTaskID returns the id of a submit. It is known before the order is placed, and verified without a store.
func newTaskID(lane int, activity, user, sku, key string) order.TaskID {
	return order.TaskID{Lane: lane, Activity: activity, Hash: sign.Digest(16, user, sku, key)}
}

func (s signer) sealTask(user string, t order.TaskID) string {
	body := t.String()
	sum := s.task.Sign(user, body)
	return ids.Join(body, base64.RawURLEncoding.EncodeToString(sum[:]))
}

// maxTaskID is the longest task id that is read, in bytes.
const maxTaskID = 128

// openTask verifies the id of one of the user's tasks; for any other text the error is task_not_found.
func (s signer) openTask(user, sealed string) (order.TaskID, error) {
	notFound := problem.Errorf(CodeTaskNotFound, "There is no such task.")
	if len(sealed) > maxTaskID {
		return order.TaskID{}, notFound
	}
	t, mac, ok := order.ParseTaskID(sealed)
	if !ok {
		return order.TaskID{}, notFound
	}
	given, err := sign.Decode(mac)
	if err != nil || !s.task.Accepts(given, user, t.String()) {
		return order.TaskID{}, notFound
	}
	return t, nil
}
