package report

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/modules/order/queue"
	"onrush/modules/seckill"
)

const (
	// redisWithin bounds the reads from Redis, so that while it is unavailable the report has what SQL knows.
	redisWithin = 500 * time.Millisecond
	// maxScanned bounds how many entries of a queue are read.
	maxScanned = 20_000
)

// readRedis reads what Redis knows of an activity. After an error, the report says that Redis is unavailable.
func (s *Service) readRedis(ctx context.Context, a *seckill.Activity, r *Report) {
	r.Traffic = Traffic{State: Unavailable, Refusals: []Refusal{}}
	ctx, cancel := context.WithTimeout(ctx, redisWithin)
	defer cancel()
	var head func(int64) (*queue.Head, error)
	var answers func() (map[string]int64, error)
	var peak func() (*seckill.Peak, error)
	var early *redis.IntCmd
	_, err := s.Lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		head = queue.ReadHead(ctx, p, s.Lua, a.Lane, maxScanned)
		answers = s.Counters.ReadAnswers(ctx, p, a.Lane, a.ID)
		peak = s.Counters.ReadPeak(ctx, p, a.Lane, a.ID)
		early = p.ZCard(ctx, s.Lua.Keys.LineEarly(a.Lane, a.ID))
		return nil
	})
	if err != nil {
		return
	}
	first, err := head(s.Clock.NowMS())
	if err != nil {
		return
	}
	counts, err := answers()
	if err != nil {
		return
	}
	highest, err := peak()
	if err != nil {
		return
	}
	placed := first.Placed(a.ID)
	r.Placed = &placed
	r.Traffic.State, r.Traffic.Peak = Kept, highest
	if n := early.Val(); n > 0 {
		r.Traffic.EarlyPlaces = &n
	}
	delete(counts, seckill.OrdersPlaced)
	r.Traffic.count(counts)
}

// count adds up the answers by "<call>:<code>".
func (t *Traffic) count(answers map[string]int64) {
	if len(answers) == 0 {
		return
	}
	t.Paths, t.Submits = new(int64), new(int64)
	codes := map[string]*Refusal{}
	for name, n := range answers {
		call, code, _ := strings.Cut(name, ":")
		refusal := at(codes, code)
		all, of := t.Paths, &refusal.Paths
		if call == "submit" {
			all, of = t.Submits, &refusal.Submits
		}
		*all, *of = *all+n, *of+n
	}
	delete(codes, "ok")
	for code, refusal := range codes {
		refusal.Code = code
		t.Refusals = append(t.Refusals, *refusal)
	}
	slices.SortFunc(t.Refusals, func(a, b Refusal) int {
		return cmp.Or(cmp.Compare(b.Paths+b.Submits, a.Paths+a.Submits), cmp.Compare(a.Code, b.Code))
	})
}

// keptNothing says what it means that Redis has no answers: they are deleted, or nobody has come yet.
func (t *Traffic) keptNothing(deleted bool) {
	if deleted {
		*t = Traffic{State: Deleted, Refusals: t.Refusals}
		return
	}
	t.Paths, t.Submits = new(int64), new(int64)
}
