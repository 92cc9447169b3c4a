package order

import (
	"strconv"
	"strings"

	"onrush/modules/ids"
)

// TaskID identifies a submit; the order of the submit has the id before it is placed. The id must stay unique, so it
// depends on no secret, since secrets change. Only the form that buyers get has a MAC, which binds the id to the buyer.
type TaskID struct {
	Lane     int
	Activity string
	Hash     string // of user, sku and Idempotency-Key; the field of the tasks hash in Redis
}

// String returns `<lane>~<activity>~<hash>`.
func (t TaskID) String() string { return ids.Join(strconv.Itoa(t.Lane), t.Activity, t.Hash) }

// ParseTaskID returns the parts of a task id `<lane>~<activity>~<hash>`, and false for any other text.
func ParseTaskID(text string) (t TaskID, ok bool) {
	parts := strings.Split(text, ids.Separator)
	if len(parts) != 3 {
		return TaskID{}, false
	}
	lane, err := strconv.Atoi(parts[0])
	if err != nil || lane < 1 || lane > MaxLane || strconv.Itoa(lane) != parts[0] {
		return TaskID{}, false
	}
	return TaskID{Lane: lane, Activity: parts[1], Hash: parts[2]}, true
}

// TaskHash returns the hash in a task id, or "" for any other text.
func TaskHash(text string) string {
	t, _ := ParseTaskID(text)
	return t.Hash
}
