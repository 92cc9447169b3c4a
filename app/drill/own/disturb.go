package own

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/app/drill"
	"onrush/app/servers"
	"onrush/modules/loop"
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
		return fmt.Errorf("--kill, --freeze and --full-redis need --real: an embedded Redis forgets what has not moved")
	}
	return nil
}

const (
	downFor   = 500 * time.Millisecond // a killed process
	frozenFor = 2 * time.Second
	fullFor   = 2 * time.Second
)

// Names returns what a drill calls the faults, such as "kill redis".
func (f *Faults) Names() []string {
	var names []string
	for _, target := range f.Kill {
		names = append(names, "kill "+target)
	}
	for _, target := range f.Freeze {
		names = append(names, "freeze "+target)
	}
	if f.FullRedis {
		names = append(names, drill.FullRedis)
	}
	return names
}

// Disturb returns what carries out the faults during a drill, one after the other, each from a moment of the first half
// on. Those that the crowd doesn't live to see are left out.
func (o *Program) Disturb(f Faults) func(drill.Running) {
	return func(run drill.Running) {
		random := rand.New(rand.NewPCG(f.Seed, 2)) //nolint:gosec // repeatable
		names := f.Names()
		moments := make([]float64, len(names))
		for i := range moments {
			moments[i] = random.Float64() / 2
		}
		slices.Sort(moments)
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for i, name := range names {
			if loop.Wait(run.Context, time.Until(run.Start.Add(time.Duration(moments[i]*float64(run.Over))))) != nil {
				return
			}
			f.Log.InfoContext(run.Context, "fault", "what", name)
			if err := o.carryOut(run.Context, name); err != nil {
				f.Log.ErrorContext(run.Context, "fault", "what", name, "error", err)
				continue
			}
			run.Happened(name)
		}
	}
}

func (o *Program) carryOut(ctx context.Context, fault string) error {
	switch kind, target, _ := strings.Cut(fault, " "); kind {
	case "kill":
		return o.killAndStart(ctx, target)
	case "freeze":
		return o.freezeFor(ctx, target, frozenFor)
	default:
		return o.fillRedis(ctx)
	}
}

func (o *Program) server(target string) *servers.Server {
	if target == "redis" {
		return o.Redis
	}
	return o.SQL
}

func (o *Program) killAndStart(ctx context.Context, target string) error {
	if target == "app" {
		last := len(o.instances) - 1
		o.Kill(last)
		_ = loop.Wait(ctx, downFor)
		return o.Start(last)
	}
	s := o.server(target)
	s.Kill()
	_ = loop.Wait(ctx, downFor)
	return s.Restart()
}

func (o *Program) freezeFor(ctx context.Context, target string, d time.Duration) error {
	freeze, thaw := func() error { return o.Freeze(0) }, func() error { return o.Thaw(0) }
	if target != "app" {
		s := o.server(target)
		freeze, thaw = s.Freeze, s.Thaw
	}
	if err := freeze(); err != nil {
		return err
	}
	_ = loop.Wait(ctx, d)
	return thaw()
}

// fillRedis leaves Redis no memory for a while.
func (o *Program) fillRedis(ctx context.Context) error {
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
	if err := client.ConfigSet(ctx, "maxmemory", strconv.FormatInt(bytes, 10)).Err(); err != nil {
		return err
	}
	_ = loop.Wait(ctx, fullFor)
	return client.ConfigSet(context.WithoutCancel(ctx), "maxmemory", "0").Err()
}
