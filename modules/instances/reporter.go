package instances

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/loop"
)

const (
	// reportEvery is how often an instance reports.
	reportEvery = 2 * time.Second
	// reportWithin bounds a report.
	reportWithin = time.Second
	// lostAfter is after which time without a report an instance is lost.
	lostAfter = 10 * time.Second
	// forgottenAfter is after which time without a report an instance is not listed any more.
	forgottenAfter = time.Minute
	// maxInstances bounds the instances that are listed.
	maxInstances = 256
	// maxCodes bounds the codes of refusals that wait for the next report.
	maxCodes = 500
	// refusalsKept is how long the refusals of a minute are kept.
	refusalsKept = (maxMinutes + 5) * time.Minute
)

// Reporter tells of this instance, and reads what all instances have told.
type Reporter struct {
	redis  redis.UniversalClient
	keys   lua.Keys
	clock  *clock.Clock
	log    *slog.Logger
	name   string
	self   told
	health func() (status string, unavailable []string)

	instances atomic.Int64 // what Count returns
	listed    int64        // instances in the last report, or 0; of RunOnce alone
	listedAt  time.Time    // of RunOnce alone

	mu      sync.Mutex
	refused map[string]int64 // by code, since the last report
}

// told is what an instance tells of itself.
type told struct {
	Version     string   `json:"version"`
	MetricsAddr string   `json:"metrics_addr,omitempty"`
	StartedMS   int64    `json:"started_ms"`
	Status      string   `json:"status"`
	Unavailable []string `json:"unavailable"`
	Abilities   []string `json:"abilities,omitempty"`
}

// NewReporter returns a Reporter.
func NewReporter(d Deps) *Reporter {
	return &Reporter{
		redis: d.Redis, keys: d.Keys, clock: d.Clock, log: d.Log, name: d.Name,
		self:   told{Version: d.Version, MetricsAddr: d.MetricsAddr, Abilities: d.Abilities},
		health: d.Health, refused: map[string]int64{},
	}
}

// Refused adds requests that this instance has refused with a code.
func (r *Reporter) Refused(code string, requests int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.refused[code]; known || len(r.refused) < maxCodes {
		r.refused[code] += int64(requests)
	}
}

// Run reports until ctx ends. Then it adds the refusals that it knows of, and removes the instance from the list.
func (r *Reporter) Run(ctx context.Context) {
	failures := loop.NewFailures(r.log, "this instance can't tell the others of itself", nil)
	loop.Run(ctx, reportEvery, failures, r.RunOnce)
	ctx = context.WithoutCancel(ctx)
	failures.Report(ctx, r.leave(ctx))
}

// RunOnce reports once. If Redis is unavailable, it keeps the refusals for the next report.
func (r *Reporter) RunOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, reportWithin)
	defer cancel()
	now := r.clock.NowMS()
	if r.self.StartedMS == 0 && r.clock.Known(ctx) == nil { // until then it is this instance's own clock
		r.self.StartedMS = now
	}
	r.self.Status, r.self.Unavailable = r.health()
	self, err := json.Marshal(r.self)
	if err != nil {
		return fmt.Errorf("encode an instance: %w", err)
	}
	var left *redis.IntCmd
	asked := r.clock.Local()
	err = r.send(ctx, now, func(p redis.Pipeliner) {
		all := r.keys.Instances()
		p.Set(ctx, r.keys.Instance(r.name), self, forgottenAfter)
		p.ZAdd(ctx, all, redis.Z{Score: float64(now), Member: r.name})
		p.ZRemRangeByScore(ctx, all, "-inf", fmt.Sprint(now-forgottenAfter.Milliseconds()))
		p.ZRemRangeByRank(ctx, all, 0, -maxInstances-1)
		p.Expire(ctx, all, forgottenAfter)
		left = p.ZCard(ctx, all)
	})
	switch {
	case err == nil:
		if r.listed > 0 { // else the others may not be back in the list
			r.instances.Store(max(left.Val(), r.listed))
		}
		r.listed, r.listedAt = left.Val(), asked
	case asked.Sub(r.listedAt) > lostAfter:
		r.instances.Store(0)
		r.listed = 0
	}
	return err
}

// Count returns how many instances, at most maxInstances, reported in the last minute, counted at the time of this
// instance's last two reports. It is 0 before the second report, and when reports have failed for lostAfter.
func (r *Reporter) Count() int { return int(r.instances.Load()) }

func (r *Reporter) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, reportWithin)
	defer cancel()
	return r.send(ctx, r.clock.NowMS(), func(p redis.Pipeliner) {
		p.Del(ctx, r.keys.Instance(r.name))
		p.ZRem(ctx, r.keys.Instances(), r.name)
	})
}

// send writes to Redis, together with the refusals since the last report.
func (r *Reporter) send(ctx context.Context, nowMS int64, write func(p redis.Pipeliner)) error {
	r.mu.Lock()
	refused := r.refused
	r.refused = map[string]int64{}
	r.mu.Unlock()
	_, err := r.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		write(p)
		key := r.keys.Refusals(minuteOf(nowMS))
		for code, n := range refused {
			p.HIncrBy(ctx, key, code, n)
		}
		if len(refused) > 0 {
			p.Expire(ctx, key, refusalsKept)
		}
		return nil
	})
	if err == nil {
		return nil
	}
	for code, n := range refused { // some may be counted twice; none is lost
		r.Refused(code, int(n))
	}
	return errors.Join(errors.New("report of an instance"), err)
}

func minuteOf(nowMS int64) int64 { return nowMS / time.Minute.Milliseconds() }
