package seckill

import (
	"encoding/base64"
	"strings"

	"onrush/modules/ids"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sign"
)

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
