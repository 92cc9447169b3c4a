package lua

import "strconv"

// Keys builds the name of every Redis key. The lane's number is the hash tag, so that all keys
// of a lane live on one node of a cluster and one script can touch them.
type Keys struct {
	// Prefix starts every key. Default "onrush"; tests give each its own.
	Prefix string
}

// DefaultPrefix is what keys start with unless the configuration says otherwise.
const DefaultPrefix = "onrush"

func (k Keys) lane(lane int) string { return k.Prefix + ":{" + strconv.Itoa(lane) + "}:" }

func (k Keys) activity(lane int, activity, what string) string {
	return k.lane(lane) + activity + ":" + what
}

// LockLog is the queue of a lane: a list of `<order_number>_<placed_ms>_<activity>_<user>`.
func (k Keys) LockLog(lane int) string { return k.lane(lane) + "lock_log" }

// Orders is a user's cached orders in a lane: a hash of OrderField → record.
func (k Keys) Orders(lane int, user string) string { return k.lane(lane) + "orders:" + user }

// OrderField is the field of one order in an Orders hash.
func OrderField(number string) string { return "info:" + number }

// Dead is a lane's queue entries that can't be stored: a hash of dead_id → DeadEntry in JSON.
func (k Keys) Dead(lane int) string { return k.lane(lane) + "dead" }

// Seq counts the order number sequence that was leased out in a lane.
func (k Keys) Seq(lane int) string { return k.lane(lane) + "seq" }

// MoveLock is the lock that saves two movers from doing the same lane's work.
func (k Keys) MoveLock(lane int) string { return k.lane(lane) + "lock:move" }

// OrderLock is the lock of one order for pay and cancel.
func (k Keys) OrderLock(lane int, number string) string { return k.lane(lane) + "lock:order:" + number }

// Sale is the copy of an activity, found by its id alone: JSON.
func (k Keys) Sale(activity string) string { return k.Prefix + ":sale:" + activity }

// Sales lists the activities that have a copy: a sorted set of activity → end in ms.
func (k Keys) Sales() string { return k.Prefix + ":sales" }

// JobLock is the lock of one scheduled job.
func (k Keys) JobLock(job string) string { return k.Prefix + ":lock:job:" + job }

// JobDue marks that a due run of a job was taken; slot numbers its due moment.
func (k Keys) JobDue(job string, slot int64) string {
	return k.JobLock(job) + ":due:" + strconv.FormatInt(slot, 10)
}

// Meta is an activity's state (loading, open, closed), window, limits and epoch: a hash.
func (k Keys) Meta(lane int, activity string) string { return k.activity(lane, activity, "meta") }

// Stock is what an activity has left: a hash of `<sku>` and `<sku>:<point>` → units.
func (k Keys) Stock(lane int, activity string) string { return k.activity(lane, activity, "stock") }

// Paid counts what was paid: a hash of `<sku>:<point>` → units.
func (k Keys) Paid(lane int, activity string) string { return k.activity(lane, activity, "paid") }

// Bought counts what users bought where a limit is set: `a:<user>` and `s:<sku>:<user>` → units.
func (k Keys) Bought(lane int, activity string) string { return k.activity(lane, activity, "bought") }

// Held keeps the tokens of orders neither paid nor returned: `<order_number>` →
// `<sku>:<point>:<quantity>:<user>`.
func (k Keys) Held(lane int, activity string) string { return k.activity(lane, activity, "held") }

// Tasks is what became of submits: `<task hash>` → `<order_number>:<state>:<digest>[:<reason>]`.
func (k Keys) Tasks(lane int, activity string) string { return k.activity(lane, activity, "tasks") }

// Changes are the stock changes that were tried: `<change id>` → delta, or ChangeRefused.
func (k Keys) Changes(lane int, activity string) string { return k.activity(lane, activity, "changes") }

// Answers counts the answers that buyers got, by code.
func (k Keys) Answers(lane int, activity string) string { return k.activity(lane, activity, "answers") }

// Rate counts the orders placed in one second.
func (k Keys) Rate(lane int, activity string, second int64) string {
	return k.activity(lane, activity, "rate:"+strconv.FormatInt(second, 10))
}

// Permits are the order permits of a sku that are out: a sorted set of user → expiry in ms.
func (k Keys) Permits(lane int, activity, sku string) string {
	return k.activity(lane, activity, "permits:"+sku)
}
