package lua

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// Verdict is the result of moving a queue entry to SQL.
type Verdict string

// The verdicts on an entry.
const (
	VerdictStored Verdict = "S" // SQL has the order
	VerdictFailed Verdict = "F" // SQL has it as failed: its counts are given back, but not its stock
	// VerdictOverLimit: SQL has it as failed because its buyer has reached a limit. Its units are
	// given back, and its counts are lowered to what SQL has counted.
	VerdictOverLimit Verdict = "L"
	VerdictDead      Verdict = "D" // it can't be stored; record, hold and task stay for an operator
	// VerdictRepeat: SQL has its task with another order number, since Redis had lost the task and
	// the buyer sent it again. The task is set to that order again, and this one is dropped.
	VerdictRepeat Verdict = "R"
	// VerdictWait: it can't be stored yet; it stays in the queue.
	VerdictWait Verdict = "W"
)

func (v Verdict) known() bool {
	switch v {
	case VerdictStored, VerdictFailed, VerdictOverLimit, VerdictDead, VerdictRepeat, VerdictWait:
		return true
	default:
		return false
	}
}

// ackFields is the number of arguments per ack.
const ackFields = 10

// Ack is the verdict on one queue entry.
type Ack struct {
	Entry    string // exactly as in the queue
	Number   string
	Activity string // "" if the entry of a dead one can't be read
	User     string // "" if the entry of a dead one can't be read
	Task     string // the hash part of the task id; "" if unknown
	Verdict  Verdict
	Reason   string // of a failed one
	DeadID   string // with VerdictDead: the field in the dead hash
	Dead     string // with VerdictDead: its value, JSON
	Of       Repeat // with VerdictRepeat
	Bought   Bought // with VerdictOverLimit
}

// Bought is what SQL has counted for a buyer, in units; 0 where there is no limit.
type Bought struct {
	All  int64   // in the activity
	SKUs []int64 // of each sku of the order
}

// Repeat is the stored order that an entry with VerdictRepeat repeats.
type Repeat struct {
	Number string
	// State is the state of its task: VerdictStored or VerdictFailed.
	State Verdict
	// Unpaid says that the order holds units: if Redis has lost its hold, it gets the repeat's. An
	// order that was paid since it was read counts as unpaid too; its hold must be confirmed then.
	Unpaid bool
	// Counts says that the units of the stored order count as bought. Redis lost the counts of that order as well, so
	// the counts of the repeat stay in their place.
	Counts bool
}

// text is the script's form of the repeat; "" if there is none.
func (r Repeat) text() string {
	if r.Number == "" {
		return ""
	}
	flag := map[bool]string{true: "1", false: "0"}
	return r.Number + ":" + string(r.State) + ":" + flag[r.Unpaid] + ":" + flag[r.Counts]
}

// more is the last argument of an ack, which depends on the verdict; "" if there is none.
func (a *Ack) more() string {
	if a.Verdict == VerdictOverLimit {
		text := strconv.FormatInt(a.Bought.All, 10) + ":"
		for i, units := range a.Bought.SKUs {
			if i > 0 {
				text += ","
			}
			text += strconv.FormatInt(units, 10)
		}
		return text
	}
	return a.Of.text()
}

// Acked is what AckMoved did with the first entries.
type Acked struct {
	Seen    int   // entries that were where they were expected
	Removed int   // of these, the ones that left the queue, from its head
	Waits   []int // indexes of those that wait in the queue; the rest is settled
	// Broken are activities with keys that can't be read, of which only the readable ones were changed.
	Broken []string
}

// AckMoved settles entries that a lane's queue has from an index on, as many as are still there in this order: it
// deletes their records and sets the states of their tasks. Entries leave the queue only from its head. An entry waits
// if its verdict says so or its activity is loading. Behind it, entries with VerdictStored are settled but stay in the
// queue, and all others wait. It notes the position at which SQL has them; if note is outdated, the error is ErrNoted.
func (s *Scripts) AckMoved(
	ctx context.Context, lane, from int, acks []Ack, note Note,
) (acked Acked, err error) {
	if len(acks) == 0 {
		return Acked{}, nil
	}
	keys, args, activities, err := s.ackInput(lane, from, acks, note)
	if err == nil {
		acked, err = readAcked(ackMoved.Run(ctx, s.Redis, keys, args...), len(acks), activities)
	}
	if errors.Is(err, ErrNoted) {
		return Acked{}, err
	}
	if err != nil {
		return Acked{}, fmt.Errorf("ack %d entries of lane %d: %w", len(acks), lane, err)
	}
	return acked, nil
}

// readAcked reads the reply of the script to acks of n entries of activities.
func readAcked(reply *redis.Cmd, n int, activities []string) (acked Acked, err error) {
	if code, err := reply.Int(); err == nil && code == alreadyNoted {
		return Acked{}, ErrNoted
	}
	parts, err := reply.Slice()
	if err != nil {
		return Acked{}, err
	}
	unexpected := fmt.Errorf("script returned %v", parts)
	if len(parts) != 4 {
		return Acked{}, unexpected
	}
	seen, isSeen := parts[0].(int64)
	removed, isRemoved := parts[1].(int64)
	waits, isWaits := parts[2].([]any)
	broken, isBroken := parts[3].([]any)
	if !isSeen || !isRemoved || !isWaits || !isBroken || removed < 0 || removed > seen || seen > int64(n) {
		return Acked{}, unexpected
	}
	acked = Acked{Seen: int(seen), Removed: int(removed)}
	for _, index := range waits {
		at, ok := index.(int64)
		if !ok || at <= removed || at > seen {
			return Acked{}, unexpected
		}
		acked.Waits = append(acked.Waits, int(at)-1)
	}
	for _, index := range broken {
		at, ok := index.(int64)
		if !ok || at < 1 || at > int64(len(activities)) {
			return Acked{}, unexpected
		}
		acked.Broken = append(acked.Broken, activities[at-1])
	}
	return acked, nil
}

// ackInput returns the keys and arguments of the script, and the activities in the script's order.
func (s *Scripts) ackInput(
	lane, from int, acks []Ack, note Note,
) (keys []string, args []any, order []string, err error) {
	keys = []string{s.Keys.Queue(lane), s.Keys.Dead(lane), s.Keys.Written(lane), s.Keys.Numbers(lane)}
	activities := map[string]int{"": 0} // → its index in order, from 1
	users := map[string]int{"": 0}
	var userKeys, metaKeys []string
	args = make([]any, 3, 5+ackFields*len(acks)+2*len(note.Fields))
	for i := range acks {
		a := &acks[i]
		switch {
		case !a.Verdict.known():
			return nil, nil, nil, fmt.Errorf("entry %q has the unknown verdict %q", a.Entry, a.Verdict)
		case a.Verdict != VerdictDead && a.Verdict != VerdictWait && (a.Activity == "" || a.User == ""):
			return nil, nil, nil, fmt.Errorf("entry %q has no activity or no user", a.Entry)
		case a.Verdict == VerdictDead && a.DeadID == "":
			return nil, nil, nil, fmt.Errorf("entry %q has no dead id", a.Entry)
		case (a.Verdict == VerdictRepeat) != (a.Of.Number != ""):
			return nil, nil, nil, fmt.Errorf("entry %q: verdict and repeated order don't match", a.Entry)
		}
		if _, known := activities[a.Activity]; !known {
			activities[a.Activity] = len(activities)
			order = append(order, a.Activity)
			keys = append(keys, s.Keys.Tasks(lane, a.Activity), s.Keys.Held(lane, a.Activity),
				s.Keys.Bought(lane, a.Activity), s.Keys.Stock(lane, a.Activity))
			metaKeys = append(metaKeys, s.Keys.Meta(lane, a.Activity))
		}
		if _, known := users[a.User]; !known {
			users[a.User] = len(users)
			userKeys = append(userKeys, s.Keys.Orders(lane, a.User))
		}
		// A pointer to a string is stored in an any without an allocation; the string itself is not.
		args = append(args, &a.Entry, &a.Number, activities[a.Activity], users[a.User], &a.Task,
			string(a.Verdict), &a.Reason, &a.DeadID, &a.Dead, a.more())
	}
	args[0], args[1], args[2] = len(acks), len(order), from
	return slices.Concat(keys, userKeys, metaKeys), note.appendTo(args), order, nil
}
