package lua

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// PlaceCode is the result of decrement_stock.lua for one order.
type PlaceCode int

// The results for one order. Placed takes its units. SoldOut, OverActivityLimit and OverSKULimit remove the user's
// permit if the activity issues permits. The others change nothing.
const (
	Placed            PlaceCode = 1
	Replayed          PlaceCode = 2  // the task is known: its order is in the result
	SoldOut           PlaceCode = -1 // in total, or at the point
	OverActivityLimit PlaceCode = -2
	OverSKULimit      PlaceCode = -3
	NotStarted        PlaceCode = -4
	Ended             PlaceCode = -5
	Closed            PlaceCode = -6
	NotLoaded         PlaceCode = -7
	KeyReused         PlaceCode = -8  // the task is known with another digest
	TooLate           PlaceCode = -9  // the deadline had passed when the script ran
	NumberTaken       PlaceCode = -10 // choose another number and place again
	TasksLoading      PlaceCode = -20 // ask SQL for the task, and place again with Asked set
	TaskUnknown       PlaceCode = -11 // an order without a record, whose task is not known
	QueueFull         PlaceCode = -12 // the lane's queue has reached QueueLimit
	NoPermit          PlaceCode = -13 // the user has no unexpired permit of the sku
	TooManyCached     PlaceCode = -14 // the user has MaxCached orders in the lane that are not in SQL yet
	Outdated          PlaceCode = -15 // read the activity again, price the order by it, and place it again
	Behind            PlaceCode = -16 // write the activity's version to Redis, and place again
	Paused            PlaceCode = -18 // an operator has paused the sale
	NextWave          PlaceCode = -22 // the units left at the point are of waves that open later
	Reserved          PlaceCode = -23 // the units left at the point are reserved for other buyers
	OverItemLimit     PlaceCode = -17 // as many orders of the sku were placed as its limit allows in its time
)

// MaxCached bounds the orders of a user in a lane that are not in SQL yet.
const MaxCached = 2000

// placeFields is the number of arguments per order.
const placeFields = 9

// MaxPlaceOrders bounds the orders of one call.
const MaxPlaceOrders = 1000

// PlaceOrder is one order of a batch.
type PlaceOrder struct {
	Task   string // the hash part of the task id: the field in the tasks hash; without ':'
	Digest string // of the body; without ':'

	Number   string // order number
	User     string
	SKU      string // of a basket as of JoinTakes, of a bundle as of JoinBundle, each sku once
	Point    string
	Quantity int64  // at least 1; of a basket all its units
	Entry    string // queue entry
	// Record is the order record. If it is empty, Place only looks up the task, and reads only Task
	// and Digest.
	Record []byte
	// Asked says that SQL doesn't have the task.
	Asked bool
	// LimitKey is what the units are counted under; "": the user. All orders of a call have one, or none has.
	LimitKey string
	// Reserved says, in a call with Reserves, that units are reserved for the user.
	Reserved bool
}

// PlaceCall is a batch of orders of one activity.
type PlaceCall struct {
	Lane     int
	Activity string
	// DeadlineMS is the Redis time, in ms, after which nothing is placed. 0: none.
	DeadlineMS int64
	// QueueLimit is the maximum number of entries in the lane's queue. 0: no limit.
	QueueLimit int64
	// Version is the version of the activity by which the orders were priced. Redis places none that is older or
	// newer than its own.
	Version int64
	// Epoch is the last load of the activity into Redis that SQL knows of. A Redis with the data of an earlier load,
	// such as a restored copy, places nothing.
	Epoch int64
	// Permits says that the activity issues permits: an order needs one and uses it up.
	Permits bool
	// PermitSKUs are skus of the activity. A user who has reached the limit of the activity loses the permits of these,
	// too. It may be nil if there is no such limit.
	PermitSKUs []string
	// Waitlist says that the activity has a waiting list.
	Waitlist bool
	// OffersOnly says, with Waitlist, that the orders may take nothing but what their buyers were offered.
	OffersOnly bool
	// Reserves says that the activity may have units that are reserved for some buyers.
	Reserves bool
	// ItemLimit is how many orders of each sku are placed in any ItemMS. 0: no limit.
	ItemLimit, ItemMS int64
	// EarlyMS is how many ms before the start the orders may be placed.
	EarlyMS int64
	// Confirm says which replicas must have the orders; it is the same for calls of one round trip.
	Confirm Confirm
	Orders  []PlaceOrder // at most MaxPlaceOrders
}

// PlaceResult is the result for one order.
type PlaceResult struct {
	Code   PlaceCode
	Number string    // the order's number, with Placed, Replayed and KeyReused
	State  TaskState // with Placed, Replayed and KeyReused
	Reason string    // of a failed task, with Replayed and KeyReused
	Bought int64     // units the user has bought already, with OverActivityLimit and OverSKULimit
	SKU    string    // of a basket, the sku that is refused; "" if it is none alone
	// Version is the version of the activity in Redis, with Outdated.
	Version int64
	// NextMS is when the next wave at the point opens, with NextWave, or until when units are reserved, with Reserved,
	// in UTC milliseconds.
	NextMS int64
	// RetryMS is in how many ms the next order of the sku may be placed, with OverItemLimit.
	RetryMS int64
	// Unconfirmed says that too few replicas had the order in time, with Placed and Replayed: a failover may lose it.
	Unconfirmed bool
}

// Place places a batch of orders in the given order, and returns Redis TIME in ms and one result per
// order. After an error the outcome of all orders is unknown, unless nothing was sent.
func (s *Scripts) Place(ctx context.Context, call *PlaceCall) (nowMS int64, results []PlaceResult, err error) {
	if len(call.Orders) > MaxPlaceOrders {
		return 0, nil, fmt.Errorf("place %d orders of activity %s: at most %d a call",
			len(call.Orders), call.Activity, MaxPlaceOrders)
	}
	if call.Confirm.Replicas > 0 {
		r := s.placeConfirmed(ctx, []*PlaceCall{call})[0]
		return r.NowMS, r.Results, r.Err
	}
	keys, args := s.placeInput(call)
	return placeReply(call, decrementStock.Run(ctx, s.Redis, keys, args...))
}

// placeReply reads the reply of the script.
func placeReply(call *PlaceCall, cmd *redis.Cmd) (nowMS int64, results []PlaceResult, err error) {
	reply, err := cmd.Slice()
	if err != nil {
		return 0, nil, fmt.Errorf("place %d orders of activity %s: %w", len(call.Orders), call.Activity, err)
	}
	if len(reply) != 1+2*len(call.Orders) {
		return 0, nil, fmt.Errorf("place %d orders of activity %s: script returned %d values",
			len(call.Orders), call.Activity, len(reply))
	}
	nowMS, ok := reply[0].(int64)
	if !ok {
		return 0, nil, fmt.Errorf("place orders of activity %s: time is %v", call.Activity, reply[0])
	}
	results = make([]PlaceResult, len(call.Orders))
	for i := range results {
		if results[i], err = placeResult(reply[1+2*i], reply[2+2*i]); err != nil {
			return 0, nil, fmt.Errorf("place order %s of activity %s: %w",
				call.Orders[i].Number, call.Activity, err)
		}
	}
	return nowMS, results, nil
}

// PlaceReply is what Place returns for one call.
type PlaceReply struct {
	NowMS   int64
	Results []PlaceResult
	Err     error
}

// PlaceAll makes calls of one lane in one round trip. Each has an outcome of its own, as of Place.
func (s *Scripts) PlaceAll(ctx context.Context, calls []*PlaceCall) []PlaceReply {
	if len(calls) > 0 && calls[0].Confirm.Replicas > 0 {
		return s.placeConfirmed(ctx, calls)
	}
	replies := make([]PlaceReply, len(calls))
	if len(calls) == 1 {
		r := &replies[0]
		r.NowMS, r.Results, r.Err = s.Place(ctx, calls[0])
		return replies
	}
	sent := make([]*redis.Cmd, len(calls))
	_, _ = s.Redis.Pipelined(ctx, func(p redis.Pipeliner) error { // each command has its own error
		for i, call := range calls {
			keys, args := s.placeInput(call)
			sent[i] = decrementStock.EvalSha(ctx, p, keys, args...)
		}
		return nil
	})
	for i, call := range calls {
		r := &replies[i]
		if redis.HasErrorPrefix(sent[i].Err(), "NOSCRIPT") {
			r.NowMS, r.Results, r.Err = s.Place(ctx, call)
			continue
		}
		r.NowMS, r.Results, r.Err = placeReply(call, sent[i])
	}
	return replies
}

// skusOf returns the skus and bundles of orders that are to be placed, and the index of each among them, from 1.
func skusOf(orders []PlaceOrder) (skus []string, index map[string]int) {
	index = make(map[string]int, 1)
	add := func(sku string) {
		if _, known := index[sku]; !known {
			skus = append(skus, sku)
			index[sku] = len(skus)
		}
	}
	for i := range orders {
		o := &orders[i]
		if _, known := index[o.SKU]; known || len(o.Record) == 0 {
			continue
		}
		if bundle, _ := Bundle(o.SKU); bundle != "" {
			add(bundle)
		}
		for sku := range Takes(o.SKU, o.Quantity) {
			add(sku)
		}
	}
	return skus, index
}

func (s *Scripts) placeInput(call *PlaceCall) (keys []string, args []any) {
	lane, activity, n := call.Lane, call.Activity, len(call.Orders)
	skus, index := skusOf(call.Orders)
	keys = make([]string, 0, 7+n+2*len(skus))
	keys = append(keys,
		s.Keys.Queue(lane), s.Keys.Meta(lane, activity), s.Keys.Stock(lane, activity),
		s.Keys.Bought(lane, activity), s.Keys.Held(lane, activity), s.Keys.Tasks(lane, activity),
		s.Keys.Numbers(lane))
	args = make([]any, 0, 10+len(skus)+placeFields*n)
	args = append(args, call.DeadlineMS, call.QueueLimit, call.Version, call.Epoch, call.with(), call.ItemLimit,
		call.ItemMS, call.EarlyMS, n, len(skus))
	for _, sku := range skus {
		args = append(args, sku)
	}
	ofUser := s.Keys.Orders(lane, "")
	anyAsked, keyed := false, false
	for i := range call.Orders {
		o := &call.Orders[i]
		keys = append(keys, ofUser+o.User)
		// A pointer to a string is stored in an any without an allocation; the string itself is not.
		args = append(args, &o.Task, &o.Digest, &o.Number, &o.User, indexed(o, index), &o.Point, o.Quantity,
			&o.Entry, o.Record)
		anyAsked, keyed = anyAsked || o.Asked, keyed || o.LimitKey != ""
	}
	args = call.appendMarks(args, anyAsked, keyed)
	if call.Permits {
		for _, sku := range skus {
			keys = append(keys, s.Keys.Permits(lane, activity, sku))
		}
	}
	if call.ItemLimit > 0 {
		for _, sku := range skus {
			keys = append(keys, s.Keys.Window(lane, activity, sku))
		}
	}
	if call.Permits {
		for _, sku := range call.PermitSKUs {
			if index[sku] == 0 {
				keys = append(keys, s.Keys.Permits(lane, activity, sku))
			}
		}
	}
	if call.Waitlist {
		keys = append(keys, s.Keys.Waitlist(lane, activity))
	}
	return keys, args
}

// appendMarks appends what may follow the arguments of the orders: whether SQL was asked for each, whose limits count
// its units, and whether units are reserved for its buyer.
func (call *PlaceCall) appendMarks(args []any, anyAsked, keyed bool) []any {
	if anyAsked || keyed || call.Reserves {
		for i := range call.Orders {
			args = append(args, call.Orders[i].Asked)
		}
	}
	if keyed || call.Reserves {
		for i := range call.Orders {
			o := &call.Orders[i]
			buyer := &o.LimitKey
			if !keyed {
				buyer = &o.User
			}
			args = append(args, buyer)
		}
	}
	if call.Reserves {
		for i := range call.Orders {
			args = append(args, call.Orders[i].Reserved)
		}
	}
	return args
}

// with is the argument of the script that says what the activity has.
func (call *PlaceCall) with() (flags int) {
	if call.Permits {
		flags = 1
	}
	if call.Waitlist {
		flags += 2
		if call.OffersOnly {
			flags += 4
		}
	}
	if call.Reserves {
		flags += 8
	}
	return flags
}

func placeResult(code, value any) (PlaceResult, error) {
	number, ok := code.(int64)
	if !ok {
		return PlaceResult{}, fmt.Errorf("script returned code %v", code)
	}
	result := PlaceResult{Code: PlaceCode(number)}
	if number < 0 && result.Code != KeyReused {
		result.SKU, value = ofSKU(value)
	}
	switch result.Code {
	case Placed, Replayed, KeyReused:
		text, ok := value.(string)
		if !ok {
			return PlaceResult{}, fmt.Errorf("script returned code %d with %v", number, value)
		}
		task, err := ParseTask(text)
		if err != nil {
			return PlaceResult{}, err
		}
		result.Number, result.State, result.Reason = task.Number, task.State, task.Reason
	case OverActivityLimit, OverSKULimit:
		result.Bought, ok = value.(int64)
	case Outdated:
		result.Version, ok = value.(int64)
	case NextWave, Reserved:
		result.NextMS, ok = value.(int64)
	case OverItemLimit:
		result.RetryMS, ok = value.(int64)
	case SoldOut, NotStarted, Ended, Closed, Paused, NotLoaded, TooLate, NumberTaken, TaskUnknown, TasksLoading,
		QueueFull, NoPermit, TooManyCached, Behind:
	default:
		return PlaceResult{}, unknownCode(number)
	}
	if !ok {
		return PlaceResult{}, fmt.Errorf("script returned code %d with %v", number, value)
	}
	return result, nil
}
