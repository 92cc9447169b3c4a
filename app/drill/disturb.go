package drill

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/app/buyer"
	"onrush/app/servers"
)

// Faults are what a drill does to the processes of its own program while the sale runs.
type Faults struct {
	Kill      []string // app, redis, sql: ended without a warning, and started again after a moment
	Freeze    []string // app, redis, sql: suspended for a while
	FullRedis bool     // Redis has no memory left for a while
	Seed      uint64   // says when
	Log       *slog.Logger
}

// Check says whether an own program can have the faults.
func (f *Faults) Check(onReal bool) error {
	if !onReal && (len(f.Kill) > 0 || len(f.Freeze) > 0 || f.FullRedis) {
		return fmt.Errorf("--kill, --freeze and --full-redis need --real: an embedded Redis forgets what is not moved")
	}
	return nil
}

const (
	downFor   = 500 * time.Millisecond // a killed process
	frozenFor = 2 * time.Second
	fullFor   = 2 * time.Second
)

// Disturb returns what carries out the faults during a drill.
func (o *Own) Disturb(f Faults) func(Running) {
	return func(run Running) {
		random := rand.New(rand.NewPCG(f.Seed, 2)) //nolint:gosec // repeatable
		moment := func() time.Time { return run.Start.Add(time.Duration(random.Float64() * float64(run.Over) / 2)) }
		type act struct {
			at   time.Time
			name string
			do   func(ctx context.Context) error
		}
		var acts []act
		for _, target := range f.Kill {
			acts = append(acts, act{moment(), "kill " + target, func(ctx context.Context) error {
				return o.killAndStart(ctx, target)
			}})
		}
		for _, target := range f.Freeze {
			acts = append(acts, act{moment(), "freeze " + target, func(ctx context.Context) error {
				return o.freezeFor(ctx, target, frozenFor)
			}})
		}
		if f.FullRedis {
			acts = append(acts, act{moment(), "full redis", o.fillRedis})
		}
		for _, a := range acts {
			buyer.Pause(run.Context, time.Until(a.at))
			f.Log.InfoContext(run.Context, "fault", "what", a.name)
			if err := a.do(run.Context); err != nil {
				f.Log.ErrorContext(run.Context, "fault", "what", a.name, "error", err)
			}
		}
	}
}

func (o *Own) server(target string) *servers.Server {
	if target == "redis" {
		return o.Redis
	}
	return o.SQL
}

func (o *Own) killAndStart(ctx context.Context, target string) error {
	if target == "app" {
		last := len(o.instances) - 1
		o.Kill(last)
		buyer.Pause(ctx, downFor)
		return o.Start(last)
	}
	s := o.server(target)
	s.Kill()
	buyer.Pause(ctx, downFor)
	return s.Restart()
}

func (o *Own) freezeFor(ctx context.Context, target string, d time.Duration) error {
	freeze, thaw := func() error { return o.Freeze(0) }, func() error { return o.Thaw(0) }
	if target != "app" {
		s := o.server(target)
		freeze, thaw = s.Freeze, s.Thaw
	}
	if err := freeze(); err != nil {
		return err
	}
	buyer.Pause(ctx, d)
	return thaw()
}

// fillRedis leaves Redis a megabyte more than it uses.
func (o *Own) fillRedis(ctx context.Context) error {
	client := redis.NewClient(&redis.Options{Addr: o.Redis.Addr})
	defer func() { _ = client.Close() }()
	info, err := client.Info(ctx, "memory").Result()
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(info, "used_memory:")
	used, _, _ := strings.Cut(rest, "\r\n")
	bytes, err := strconv.ParseInt(used, 10, 64)
	if err != nil {
		return err
	}
	if err := client.ConfigSet(ctx, "maxmemory", strconv.FormatInt(bytes+1<<20, 10)).Err(); err != nil {
		return err
	}
	buyer.Pause(ctx, fullFor)
	return client.ConfigSet(context.WithoutCancel(ctx), "maxmemory", "0").Err()
}
