package lua

import (
	"context"
	"fmt"
	"slices"
	"strconv"
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
)

func (v Verdict) known() bool {
	return v == VerdictStored || v == VerdictFailed || v == VerdictOverLimit || v == VerdictDead || v == VerdictRepeat
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
	All int64 // in the activity
	SKU int64 // of the sku
}

// Repeat is the stored order that an entry with VerdictRepeat repeats.
type Repeat struct {
	Number string
	// State is the state of its task: VerdictStored or VerdictFailed.
	State Verdict
	// Unpaid says that the order holds units: if Redis has lost its hold, it gets the repeat's. An
	// order that was paid since it was read counts as unpaid too; its hold must be confirmed then.
	Unpaid bool
	// Counts says that its units count as bought. Redis lost these counts as well, so the repeat's stay.
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
		return strconv.FormatInt(a.Bought.All, 10) + ":" + strconv.FormatInt(a.Bought.SKU, 10)
	}
	return a.Of.text()
}

// AckMoved removes entries from the head of a lane's queue, as many as are still there in this
// order, and returns how many. It deletes their records and sets the state of their tasks. The entries
// from the first difference on, or from an entry of an activity that is loading, stay for the next
// move. It notes the position at which SQL has them; if note is outdated, the error is ErrNoted.
func (s *Scripts) AckMoved(ctx context.Context, lane int, acks []Ack, note Note) (acked int, err error) {
	if len(acks) == 0 {
		return 0, nil
	}
	keys, args, err := s.ackInput(lane, acks, note)
	if err != nil {
		return 0, fmt.Errorf("ack %d entries of lane %d: %w", len(acks), lane, err)
	}
	acked, err = ackMoved.Run(ctx, s.Redis, keys, args...).Int()
	if err != nil {
		return 0, fmt.Errorf("ack %d entries of lane %d: %w", len(acks), lane, err)
	}
	if acked == alreadyNoted {
		return 0, ErrNoted
	}
	if acked < 0 || acked > len(acks) {
		return 0, fmt.Errorf("ack %d entries of lane %d: %w", len(acks), lane, unknownCode(int64(acked)))
	}
	return acked, nil
}

func (s *Scripts) ackInput(lane int, acks []Ack, note Note) (keys []string, args []any, err error) {
	keys = []string{s.Keys.LockLog(lane), s.Keys.Dead(lane), s.Keys.Written(lane)}
	activities := map[string]int{"": 0} // → its index among the activities, from 1
	users := map[string]int{"": 0}
	var userKeys, metaKeys []string
	args = make([]any, 2, 4+ackFields*len(acks)+2*len(note.Fields))
	for i := range acks {
		a := &acks[i]
		switch {
		case !a.Verdict.known():
			return nil, nil, fmt.Errorf("entry %q has the unknown verdict %q", a.Entry, a.Verdict)
		case a.Verdict != VerdictDead && (a.Activity == "" || a.User == ""):
			return nil, nil, fmt.Errorf("entry %q has no activity or no user", a.Entry)
		case a.Verdict == VerdictDead && a.DeadID == "":
			return nil, nil, fmt.Errorf("entry %q has no dead id", a.Entry)
		case (a.Verdict == VerdictRepeat) != (a.Of.Number != ""):
			return nil, nil, fmt.Errorf("entry %q: verdict and repeated order don't match", a.Entry)
		}
		if _, known := activities[a.Activity]; !known {
			activities[a.Activity] = len(activities)
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
	args[0], args[1] = len(acks), len(activities)-1
	return slices.Concat(keys, userKeys, metaKeys), note.appendTo(args), nil
}
