package seckill

import (
	"encoding/base64"
	"strconv"
	"strings"

	"onrush/modules/order"
	"onrush/modules/sign"
	"onrush/web/problem"
)

// taskID identifies a submit: `<lane>.<activity>.<hash>.<mac>`. The hash is of user, sku and
// Idempotency-Key, and the MAC binds the id to the user. So the id is known before the order is placed, and
// is verified without a store.
type taskID struct {
	lane     int
	activity string
	hash     string
}

func newTaskID(lane int, activity, user, sku, key string) taskID {
	return taskID{lane: lane, activity: activity, hash: sign.Digest(16, user, sku, key)}
}

func (t taskID) body() string { return strconv.Itoa(t.lane) + "." + t.activity + "." + t.hash }

func (s signer) sealTask(user string, t taskID) string {
	body := t.body()
	sum := s.task.Sign(user, body)
	return body + "." + base64.RawURLEncoding.EncodeToString(sum[:])
}

// openTask verifies the id of one of the user's tasks; for any other text the error is task_not_found.
func (s signer) openTask(user, sealed string) (taskID, error) {
	notFound := problem.Errorf(CodeTaskNotFound, "There is no such task.")
	parts := strings.Split(sealed, ".")
	if len(sealed) > 120 || len(parts) != 4 {
		return taskID{}, notFound
	}
	lane, err := strconv.Atoi(parts[0])
	if err != nil || lane < 1 || lane > order.MaxLane || strconv.Itoa(lane) != parts[0] {
		return taskID{}, notFound
	}
	t := taskID{lane: lane, activity: parts[1], hash: parts[2]}
	given, err := sign.Decode(parts[3])
	if err != nil || !s.task.Accepts(given, user, t.body()) {
		return taskID{}, notFound
	}
	return t, nil
}
