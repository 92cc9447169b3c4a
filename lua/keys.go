package lua

import (
	"strconv"

	"onrush/modules/ids"
)

// Keys builds the name of every Redis key. The lane's number is the hash tag, so that all keys of a
// lane are on one node of a cluster and one script can use them.
//
// Two different keys never have the same name, whatever the ids of users, activities and skus are: a name is a word
// that only one kind of key has, ':', and then the ids as ids.Join joins them.
type Keys struct {
	// Prefix starts every key. Default "onrush"; tests give each its own.
	Prefix string
}

// DefaultPrefix is the prefix of keys if none is configured.
const DefaultPrefix = "onrush"

func (k Keys) lane(lane int) string { return k.Prefix + ":{" + strconv.Itoa(lane) + "}:" }

// ofActivity returns the name of an activity's key; what names the kind of key.
func (k Keys) ofActivity(lane int, what, activity string) string {
	return k.lane(lane) + what + ":" + activity
}

// Queue is the queue of a lane: a list of `<order_number>~<placed_ms>~<activity>~<user>`.
func (k Keys) Queue(lane int) string { return k.lane(lane) + "lock_log" }

// Orders is a user's cached orders in a lane: a hash of OrderField → record.
func (k Keys) Orders(lane int, user string) string { return k.lane(lane) + "orders:" + user }

// OrderField is the field of one order in an Orders hash.
func OrderField(number string) string { return "info:" + number }

// Written has how far a replica of SQL must have come to be read for a user: a hash, as package logpositions says.
func (k Keys) Written(lane int) string { return k.lane(lane) + "written" }

// Dead keeps a lane's queue entries that can't be stored: a hash of dead_id → DeadEntry in JSON.
func (k Keys) Dead(lane int) string { return k.lane(lane) + "dead" }

// Leases is how much of a lane's sequence of order numbers has been leased, and by which master: a hash, as
// lease_numbers.lua says.
func (k Keys) Leases(lane int) string { return k.lane(lane) + "leases" }

// Numbers are the order numbers of a lane's queue and dead entries: a set.
func (k Keys) Numbers(lane int) string { return k.lane(lane) + "numbers" }

// MoveLock is the lock that keeps two movers from working on the same lane.
func (k Keys) MoveLock(lane int) string { return k.lane(lane) + "lock:move" }

// OrderLock is the lock of one order for pay and cancel.
func (k Keys) OrderLock(lane int, number string) string { return k.lane(lane) + "lock:order:" + number }

// Sale is the copy of an activity, found by its id alone: JSON.
func (k Keys) Sale(activity string) string { return k.Prefix + ":sale:" + activity }

// Sales lists the activities that have a copy: a sorted set of activity → end in ms.
func (k Keys) Sales() string { return k.Prefix + ":sales" }

// Settings are the operators' settings: the copy of the row in SQL, and the changes that SQL doesn't have yet, in JSON.
func (k Keys) Settings() string { return k.Prefix + ":settings" }

// Site is the copy of the row in SQL that all instances share: JSON.
func (k Keys) Site() string { return k.Prefix + ":site" }

// JobLock is the lock of one scheduled job.
func (k Keys) JobLock(job string) string { return k.Prefix + ":lock:job:" + job }

// JobDue marks that an instance has started a scheduled run of a job; slot is the number of the run.
func (k Keys) JobDue(job string, slot int64) string {
	return k.Prefix + ":due:" + ids.Join(job, strconv.FormatInt(slot, 10))
}

// Meta is an activity's state (loading, open, closed), window, limits and epoch: a hash.
func (k Keys) Meta(lane int, activity string) string { return k.ofActivity(lane, "meta", activity) }

// Loaded are the keys of an activity that a load fills, all hashes: meta first, and then in the order of LoadField.
func (k Keys) Loaded(lane int, activity string) []string {
	return []string{
		k.Meta(lane, activity), k.Stock(lane, activity), k.Paid(lane, activity), k.Bought(lane, activity),
		k.Held(lane, activity), k.Tasks(lane, activity), k.Changes(lane, activity),
		k.Waitlist(lane, activity),
	}
}

// Stock is how many units of an activity are left: a hash of `<sku>` and `<sku>~<point>` → units.
func (k Keys) Stock(lane int, activity string) string { return k.ofActivity(lane, "stock", activity) }

// Paid counts paid units: a hash of `<sku>~<point>` → units.
func (k Keys) Paid(lane int, activity string) string { return k.ofActivity(lane, "paid", activity) }

// Bought counts the units that buyers bought, where a limit is set: `a:<buyer>` and `s:<sku>~<buyer>` → units.
// A buyer is a user, or a limit key.
func (k Keys) Bought(lane int, activity string) string { return k.ofActivity(lane, "bought", activity) }

// Held keeps the holds of orders that are neither paid nor returned: `<order_number>` →
// `<sku>~<point>~<quantity>[:<limit key>]~<user>`.
func (k Keys) Held(lane int, activity string) string { return k.ofActivity(lane, "held", activity) }

// Tasks keeps the results of submits: `<task hash>` → `<order_number>:<state>:<digest>[:<reason>]`.
func (k Keys) Tasks(lane int, activity string) string { return k.ofActivity(lane, "tasks", activity) }

// Changes keeps the stock changes that were tried: `<change id>` → delta, or ChangeRefused.
func (k Keys) Changes(lane int, activity string) string {
	return k.ofActivity(lane, "changes", activity)
}

// Waitlist is what the waiting list of an activity keeps: a hash, as waitlist.lua says.
func (k Keys) Waitlist(lane int, activity string) string {
	return k.ofActivity(lane, "waitlist", activity)
}

// Answers counts the answers that buyers got, by code.
func (k Keys) Answers(lane int, activity string) string {
	return k.ofActivity(lane, "answers", activity)
}

// Rate counts the orders placed in one second.
func (k Keys) Rate(lane int, activity string, second int64) string {
	return k.ofActivity(lane, "rate", ids.Join(activity, strconv.FormatInt(second, 10)))
}

// Peak is the second in which the most orders were placed, of all instances: a sorted set of one second (since 1970) →
// orders.
func (k Keys) Peak(lane int, activity string) string { return k.ofActivity(lane, "peak", activity) }

// Permits keeps the issued order permits of a sku: a sorted set of user → expiry in ms.
func (k Keys) Permits(lane int, activity, sku string) string {
	return k.ofActivity(lane, "permits", ids.Join(activity, sku))
}

// Window counts the orders of a sku that were placed, for the item limit: the list of rate_window.lua.
func (k Keys) Window(lane int, activity, sku string) string {
	return k.ofActivity(lane, "window", ids.Join(activity, sku))
}

// Buyers is the list of the buyers of an activity that is for some only: the set of fill_buyers.lua.
func (k Keys) Buyers(lane int, activity string) string { return k.ofActivity(lane, "buyers", activity) }

// LineEarly keeps the places that were taken in the waiting room before the sale started: a sorted set of
// user → random score.
func (k Keys) LineEarly(lane int, activity string) string {
	return k.ofActivity(lane, "line_early", activity)
}

// LineLate keeps the places that were taken after the start: a sorted set of user → position.
func (k Keys) LineLate(lane int, activity string) string {
	return k.ofActivity(lane, "line_late", activity)
}

// Instances lists the instances of the program: a sorted set of name → when it was last seen, in ms.
func (k Keys) Instances() string { return k.Prefix + ":instances" }

// Instance is what an instance last said of itself: JSON, which expires.
func (k Keys) Instance(name string) string { return k.Prefix + ":instance:" + name }

// TrailQuestions is the channel of what an instance asks all others about the requests that they refused.
func (k Keys) TrailQuestions() string { return k.Prefix + ":trail:questions" }

// TrailAnswers is the channel of the answers to an instance.
func (k Keys) TrailAnswers(instance string) string { return k.Prefix + ":trail:answers:" + instance }

// Refusals counts the requests that all instances refused in a minute (since 1970): a hash of code → requests.
func (k Keys) Refusals(minute int64) string {
	return k.Prefix + ":refusals:" + strconv.FormatInt(minute, 10)
}

// WriteCheck is a key of the node of a lane that instances write, to see whether the node takes writes.
func (k Keys) WriteCheck(lane int) string { return k.lane(lane) + "write_check" }

// RightsCheck is a key of the node of a lane that doctor writes, to see whether scripts may run each command.
func (k Keys) RightsCheck(lane int) string { return k.lane(lane) + "rights_check" }

// Limit is what a client has used of a rate limit.
func (k Keys) Limit(client string) string { return k.Prefix + ":limit:" + client }

// Ticket marks that a ticket of an event stream was used; it expires with the ticket.
func (k Keys) Ticket(nonce string) string { return k.Prefix + ":ticket:" + nonce }

// HumanNonce marks that an answer to a human check was used; it expires with the answer.
func (k Keys) HumanNonce(lane int, activity, nonce string) string {
	return k.ofActivity(lane, "human", ids.Join(activity, nonce))
}
