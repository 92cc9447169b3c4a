package admin

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order/queue"
	"onrush/modules/seckill"
)

// headRead is how many entries of each lane's queue one sample reads.
const headRead = 200

// saleReads are the reads of one sale in a pipeline.
type saleReads struct {
	state   *redis.StringCmd
	left    *redis.SliceCmd // nil if the sale's skus are not known
	rate    func() (float64, error)
	answers func() (map[string]int64, error)
}

// fromRedis reads the figures of all sales with one pipeline: one round trip per Redis node. Sales whose figures
// could not be read are left out; the error says why the first of them could not.
func (h *History) fromRedis(ctx context.Context) (map[string]*LiveFigures, error) {
	if len(h.sales) == 0 {
		return nil, nil
	}
	sales, lanes := make([]saleReads, len(h.sales)), map[int]func(nowMS int64) (*queue.Head, error){}
	_, failed := h.lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, s := range h.sales {
			sales[i] = saleReads{
				state:   p.HGet(ctx, h.lua.Keys.Meta(s.Lane, s.ID), "state"),
				rate:    h.counters.ReadRate(ctx, p, s.Lane, s.ID),
				answers: h.counters.ReadAnswers(ctx, p, s.Lane, s.ID),
			}
			if skus := h.skus[s.ID]; len(skus) > 0 {
				sales[i].left = p.HMGet(ctx, h.lua.Keys.Stock(s.Lane, s.ID), skus...)
			}
			if _, ok := lanes[s.Lane]; !ok {
				lanes[s.Lane] = queue.ReadHead(ctx, p, h.lua, s.Lane, headRead)
			}
		}
		return nil
	})
	if errors.Is(failed, redis.Nil) { // an activity that Redis doesn't have
		failed = nil
	}
	now := h.clock.NowMS()
	figures := make(map[string]*LiveFigures, len(sales))
	for i, s := range h.sales {
		f, err := sales[i].figures()
		var head *queue.Head
		if err == nil {
			head, err = lanes[s.Lane](now)
		}
		switch {
		case err == nil:
			f.QueueLength, f.QueueOldestMS, f.Placed = head.Length, head.OldestMS, head.Placed(s.ID)
			figures[s.ID] = f
		case failed == nil:
			failed = err
		}
	}
	if failed != nil {
		return figures, fmt.Errorf("read the figures of %d sales: %w", len(sales), failed)
	}
	return figures, nil
}

// figures returns what was read of the sale alone.
func (r saleReads) figures() (*LiveFigures, error) {
	rate, err := r.rate()
	if err != nil {
		return nil, err
	}
	f := &LiveFigures{OrdersPerSecond: rounded(rate)}
	answers, err := r.answers()
	if err != nil {
		return nil, err
	}
	for answer, n := range answers {
		call, code, _ := strings.Cut(answer, ":")
		switch {
		case answer == seckill.OrdersPlaced:
			f.Accepted = n
		case code != "ok" && (call == "path" || call == "submit"):
			f.Refused += n
		}
	}
	f.Remaining, err = r.remaining()
	return f, err
}

// remaining adds up the units of all skus. It is nil if Redis has not loaded the activity.
func (r saleReads) remaining() (*int64, error) {
	if err := r.state.Err(); err != nil && !errors.Is(err, redis.Nil) {
		return nil, err
	}
	if r.left == nil || !lua.ActivityState(r.state.Val()).Loaded() {
		return nil, nil
	}
	values, err := r.left.Result()
	if err != nil {
		return nil, err
	}
	var sum int64
	for _, value := range values {
		text, ok := value.(string)
		if !ok { // the activity is being removed
			return nil, nil
		}
		units, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read the units that are left: %w", err)
		}
		sum += units
	}
	return &sum, nil
}
