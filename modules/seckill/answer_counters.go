package seckill

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/clock"
	"onrush/modules/problem"
)

// AnswerCounters counts the answers to buyers, and the orders that were placed, in memory. Flush adds them to the
// counts of all instances in Redis.
type AnswerCounters struct {
	lua   *lua.Scripts
	clock *clock.Clock

	mu     sync.Mutex
	counts map[tallied]int64
	placed map[tallied]int64 // by second
}

type tallied struct {
	lane     int
	activity string
	field    string // such as "submit:ok", or OrdersPlaced; "" in a count by second
	second   int64
}

const (
	// rateFor is over how many seconds the rate of orders is averaged.
	rateFor = 10
	// rateKept is how long the count of one second is kept.
	rateKept = time.Minute
	// answersKept is how long the counts of a sale's answers are kept after the last answer, also if the sale is
	// retired before that.
	answersKept = 30 * 24 * time.Hour
	// maxCounts bounds the number of different counts between two flushes.
	maxCounts = 20_000
)

// OrdersPlaced is the name of the count of a sale's orders, which stands beside the counts of its answers.
const OrdersPlaced = "orders:placed"

// NewAnswerCounters returns counters at zero.
func NewAnswerCounters(s *lua.Scripts, clock *clock.Clock) *AnswerCounters {
	return &AnswerCounters{lua: s, clock: clock, counts: map[tallied]int64{}, placed: map[tallied]int64{}}
}

// CountPath counts one answer to a request for a path of an activity. A nil err counts as "ok".
func (c *AnswerCounters) CountPath(a *Activity, err error) { c.count(a, "path:", err) }

// CountSubmit counts one answer to a submit, as CountPath does. A replay counts, too.
func (c *AnswerCounters) CountSubmit(a *Activity, err error) { c.count(a, "submit:", err) }

// CountPlaced counts orders that a call of Redis has placed, whether or not their submits waited for it. Replays are
// not among them.
func (c *AnswerCounters) CountPlaced(lane int, activity string, orders int) {
	if orders == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.counts) < maxCounts {
		c.counts[tallied{lane: lane, activity: activity, field: OrdersPlaced}] += int64(orders)
		c.placed[tallied{lane: lane, activity: activity, second: c.clock.NowMS() / 1000}] += int64(orders)
	}
}

func (c *AnswerCounters) count(a *Activity, call string, err error) {
	code := "ok"
	if err != nil {
		code = cmp.Or(problem.CodeOf(err), problem.CodeInternal).Name
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.counts) >= maxCounts || a.RetiredMS > 0 { // a retired sale must not get new keys in Redis
		return
	}
	c.counts[tallied{lane: a.Lane, activity: a.ID, field: call + code}]++
}

// Flush adds the counts to Redis. After an error it keeps the counts of answers for the next flush, if
// there is room, and drops the counts of orders per second.
func (c *AnswerCounters) Flush(ctx context.Context) error {
	c.mu.Lock()
	counts, placed := c.counts, c.placed
	c.counts, c.placed = map[tallied]int64{}, map[tallied]int64{}
	c.mu.Unlock()
	if len(counts) == 0 && len(placed) == 0 {
		return nil
	}
	inSecond := make(map[tallied]*redis.IntCmd, len(placed))
	_, err := c.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for k, n := range counts {
			key := c.lua.Keys.Answers(k.lane, k.activity)
			p.HIncrBy(ctx, key, k.field, n)
			p.Expire(ctx, key, answersKept)
		}
		for k, n := range placed {
			key := c.lua.Keys.Rate(k.lane, k.activity, k.second)
			inSecond[k] = p.IncrBy(ctx, key, n)
			p.Expire(ctx, key, rateKept)
		}
		return nil
	})
	if err == nil {
		return c.keepPeaks(ctx, inSecond)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.counts)+len(counts) < maxCounts {
		for k, n := range counts {
			c.counts[k] += n
		}
	}
	return fmt.Errorf("add the counts of answers: %w", err)
}

// keepPeaks looks at the seconds that this instance has added orders to, and for each activity stores the highest count
// of a second, unless Redis has a higher one. The instance that adds last to a second reads its full count, so no peak
// is missed.
func (c *AnswerCounters) keepPeaks(ctx context.Context, inSecond map[tallied]*redis.IntCmd) error {
	if len(inSecond) == 0 {
		return nil
	}
	_, err := c.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for k, count := range inSecond {
			key := c.lua.Keys.Peak(k.lane, k.activity)
			p.ZAddGT(ctx, key, redis.Z{Score: float64(count.Val()), Member: k.second})
			p.ZRemRangeByRank(ctx, key, 0, -2)
			p.Expire(ctx, key, answersKept)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep the peaks of orders per second: %w", err)
	}
	return nil
}

// Peak is the second in which most orders of a sale were placed.
type Peak struct {
	Orders int64      `json:"orders"`
	At     api.Millis `json:"at"`
}

// ReadPeak reads the peak of a sale over all instances through r, as ReadAnswers does. It is nil if none is known:
// before the first order, and after Redis has lost it.
func (c *AnswerCounters) ReadPeak(
	ctx context.Context, r redis.Cmdable, lane int, activity string,
) (result func() (*Peak, error)) {
	cmd := r.ZRevRangeWithScores(ctx, c.lua.Keys.Peak(lane, activity), 0, 0)
	return func() (*Peak, error) {
		highest, err := cmd.Result()
		if err != nil || len(highest) == 0 {
			return nil, err
		}
		text, _ := highest[0].Member.(string)
		second, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read the peak of activity %s: %w", activity, err)
		}
		return &Peak{Orders: int64(highest[0].Score), At: api.Millis(second * 1000)}, nil
	}
}

// Answers returns how often each answer was given, by "<call>:<code>".
func (c *AnswerCounters) Answers(ctx context.Context, a *Activity) (map[string]int64, error) {
	read := c.ReadAnswers(ctx, c.lua.Redis, a.Lane, a.ID)
	answers, err := read()
	delete(answers, OrdersPlaced)
	return answers, err
}

// ReadAnswers reads what Answers returns, and OrdersPlaced, through r, which may be a pipeline: then the result is
// there after it was sent.
func (c *AnswerCounters) ReadAnswers(
	ctx context.Context, r redis.Cmdable, lane int, activity string,
) (result func() (map[string]int64, error)) {
	cmd := r.HGetAll(ctx, c.lua.Keys.Answers(lane, activity))
	return func() (map[string]int64, error) {
		texts, err := cmd.Result()
		if err != nil {
			return nil, fmt.Errorf("read answers of activity %s: %w", activity, err)
		}
		return lua.ParseCounts(texts)
	}
}

// Rate returns how many orders per second were placed, averaged over the last rateFor full seconds.
func (c *AnswerCounters) Rate(ctx context.Context, a *Activity) (float64, error) {
	rate := c.ReadRate(ctx, c.lua.Redis, a.Lane, a.ID)
	return rate()
}

// ReadRate reads what Rate returns through r, as ReadAnswers does.
func (c *AnswerCounters) ReadRate(
	ctx context.Context, r redis.Cmdable, lane int, activity string,
) (result func() (float64, error)) {
	now := c.clock.NowMS() / 1000
	keys := make([]string, 0, rateFor)
	for s := now - rateFor; s < now; s++ {
		keys = append(keys, c.lua.Keys.Rate(lane, activity, s))
	}
	cmd := r.MGet(ctx, keys...) // all of one lane, and so of one node
	return func() (float64, error) {
		values, err := cmd.Result()
		if err != nil {
			return 0, fmt.Errorf("read rate of activity %s: %w", activity, err)
		}
		var sum int64
		for _, value := range values {
			text, _ := value.(string) // a second without orders has no key
			n, _ := strconv.ParseInt(text, 10, 64)
			sum += n
		}
		return float64(sum) / rateFor, nil
	}
}
