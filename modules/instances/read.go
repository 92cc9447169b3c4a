package instances

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/needs"
	"onrush/modules/problem"
)

// Instance is a running instance of the program.
type Instance struct {
	Name        string     `json:"name"`
	Version     string     `json:"version"`
	MetricsAddr string     `json:"metrics_addr,omitempty"` // where it serves its metrics; "" if it doesn't
	Status      string     `json:"status"`                 // ok, degraded, down, stopping or lost
	Unavailable []string   `json:"unavailable"`
	Abilities   []string   `json:"abilities"` // that builds before it lack
	StartedAt   api.Millis `json:"started_at"`
	SeenAt      api.Millis `json:"seen_at"`
}

// lost is the status of an instance that has not reported for lostAfter.
const lost = "lost"

// List returns the instances that have reported in the last minute, the last seen first.
func (r *Reporter) List(ctx context.Context) ([]Instance, error) {
	seen, err := r.redis.ZRevRangeWithScores(ctx, r.keys.Instances(), 0, maxInstances-1).Result()
	if err != nil {
		return nil, problem.Unavailable(err, "The instances can't be read right now.")
	}
	texts := make([]*redis.StringCmd, len(seen))
	names := make([]string, len(seen))
	_, err = r.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, z := range seen {
			names[i], _ = z.Member.(string)
			texts[i] = p.Get(ctx, r.keys.Instance(names[i]))
		}
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) { // an instance that has just left has no value
		return nil, problem.Unavailable(err, "The instances can't be read right now.")
	}
	now, instances := r.clock.NowMS(), make([]Instance, 0, len(seen))
	for i, z := range seen {
		var t told
		if json.Unmarshal([]byte(texts[i].Val()), &t) != nil {
			continue
		}
		in := Instance{
			Name: names[i], Version: t.Version, MetricsAddr: t.MetricsAddr, Status: t.Status,
			Unavailable: t.Unavailable,
			Abilities:   t.Abilities,
			StartedAt:   api.Millis(t.StartedMS), SeenAt: api.Millis(int64(z.Score)),
		}
		if now-int64(in.SeenAt) > lostAfter.Milliseconds() {
			in.Status = lost
		}
		if in.Unavailable == nil {
			in.Unavailable = []string{}
		}
		if in.Abilities == nil {
			in.Abilities = []string{}
		}
		instances = append(instances, in)
	}
	return instances, nil
}

// Builds returns the builds of the instances that have reported in the last minute.
func (r *Reporter) Builds(ctx context.Context) ([]needs.Build, error) {
	all, err := r.List(ctx)
	builds := make([]needs.Build, len(all))
	for i, in := range all {
		builds[i] = needs.Build{Instance: in.Name, Version: in.Version, Abilities: in.Abilities}
	}
	return builds, err
}

// Running returns the names of the instances that run.
func (r *Reporter) Running(ctx context.Context) ([]string, error) {
	all, err := r.List(ctx)
	var names []string
	for _, in := range all {
		if in.Status != lost {
			names = append(names, in.Name)
		}
	}
	return names, err
}

// maxMinutes is how many minutes of refusals are read at most.
const maxMinutes = 60

// Refusals are the requests that all instances have refused since a time.
type Refusals struct {
	Since api.Millis `json:"since"`
	Items []Refusal  `json:"items"`
}

// Refusal is how many requests were refused with a code.
type Refusal struct {
	Code     string `json:"code"`
	Requests int64  `json:"requests"`
}

// Refusals returns the refusals of the last minutes, among them the current one, the highest first.
func (r *Reporter) Refusals(ctx context.Context, minutes int) (Refusals, error) {
	last := minuteOf(r.clock.NowMS())
	since := last - int64(min(minutes, maxMinutes)) + 1
	counts := make([]*redis.MapStringStringCmd, 0, minutes)
	_, err := r.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for m := since; m <= last; m++ {
			counts = append(counts, p.HGetAll(ctx, r.keys.Refusals(m)))
		}
		return nil
	})
	if err != nil {
		return Refusals{}, problem.Unavailable(err, "The refusals can't be read right now.")
	}
	sums := map[string]int64{}
	for _, c := range counts {
		codes, err := lua.ParseCounts(c.Val())
		if err != nil {
			return Refusals{}, err
		}
		for code, n := range codes {
			sums[code] += n
		}
	}
	all := Refusals{Since: api.Millis(since * time.Minute.Milliseconds()), Items: make([]Refusal, 0, len(sums))}
	for code, n := range sums {
		all.Items = append(all.Items, Refusal{code, n})
	}
	slices.SortFunc(all.Items, func(a, b Refusal) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Code, b.Code))
	})
	return all, nil
}
