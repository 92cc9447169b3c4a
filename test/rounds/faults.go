package rounds

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

// carryOut lets the faults of a plan happen, and returns when all have ended. The kit's methods end the goroutine of
// their fault where they fail, and the test has failed then.
func (r *Rig) carryOut(ctx context.Context, t testing.TB, p *Plan, changes *changing, work *operators) {
	t.Helper()
	begin := time.Now()
	var faults sync.WaitGroup
	for _, c := range p.Changes {
		desk := work.colleague(c.Seed)
		faults.Go(func() {
			wait(time.Until(begin.Add(c.At)))
			changes.change(ctx, t, c, desk)
		})
	}
	for _, f := range p.Faults {
		if r.Skipped[f.Kind] != "" {
			continue
		}
		faults.Go(func() {
			wait(time.Until(begin.Add(f.At)))
			for _, claim := range f.claims() { // a restart takes longer than planned
				claimed := r.claims[claim]
				claimed.Lock()
				defer claimed.Unlock()
			}
			r.happen(t, f)
		})
	}
	faults.Wait()
}

// wait lets a time of a plan pass.
func wait(d time.Duration) { <-time.NewTimer(d).C }

// happen lets one fault happen, and end.
func (r *Rig) happen(t testing.TB, f Fault) {
	t.Helper()
	switch f.Kind {
	case Kill, Stop, Freeze:
		r.ofProcess(t, f)
	case Cut:
		r.links[f.Target].Cut()
		wait(f.For)
		r.links[f.Target].Join(t)
	case Slow:
		r.links[f.Target].Delay(f.Distance / 2)
		wait(f.For)
		r.links[f.Target].Delay(0)
	case HalfOpen:
		r.links[f.Target].HalfOpen()
	case Clock:
		r.instances[f.Target].step(t, f.Distance)
		wait(f.For)
		r.instances[f.Target].step(t, 0)
	case FullMemory:
		r.maxMemory(t, "1mb")
		wait(f.For)
		r.maxMemory(t, "0")
	case FullDisk:
		r.fillDisk(t, f)
	case ReadOnly:
		r.readOnly(t, 1)
		wait(f.For)
		r.readOnly(t, 0)
	case Failover, Switch:
		r.replace(t, f.Kind, f.For, nil)
	case Locks:
		r.expireLocks(f.For)
	}
}

func (r *Rig) ofProcess(t testing.TB, f Fault) {
	t.Helper()
	var server *kit.Server
	switch f.Target {
	case Redis:
		server = r.redis[0].Server
	case Replica:
		server = r.redis[1].Server
	case SQL:
		server = r.stores.SQLServer
	default:
		r.instances[f.Target].suffer(t, f)
		return
	}
	switch f.Kind {
	case Freeze:
		server.Freeze(t)
		wait(f.For)
		server.Thaw(t)
	default:
		server.Kill(t)
		wait(f.For)
		server.Restart(t)
		if f.Target == Replica {
			r.follow(t)
		}
	}
}

// suffer kills, stops or freezes the instance, and starts it again.
func (i *instance) suffer(t testing.TB, f Fault) {
	t.Helper()
	switch f.Kind {
	case Freeze:
		i.process.Signal(t, syscall.SIGSTOP)
		wait(f.For)
		i.process.Signal(t, syscall.SIGCONT)
		return
	case Stop:
		const within = 2 * time.Second
		if err := i.process.Terminate(t, within); err != nil { // it waits for connections that were never used
			i.process.Kill(t)
		}
	default:
		i.process.Kill(t)
	}
	wait(f.For)
	i.start(t)
}

// maxMemory bounds the memory of Redis.
func (r *Rig) maxMemory(t testing.TB, bound string) {
	t.Helper()
	require.NoError(t, r.redis[0].client.ConfigSet(context.WithoutCancel(t.Context()), "maxmemory", bound).Err())
}

// fillDisk lets a store have no space left. A server that has ended from it is started again when there is space.
func (r *Rig) fillDisk(t testing.TB, f Fault) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	server, disk := r.redis[0].Server, r.redis[0].disk
	ping := func() error { return r.redis[0].client.Ping(ctx).Err() }
	if f.Target == SQL {
		server, disk = r.stores.SQLServer, r.sqlDisk
		ping = func() error { return r.stores.DB.Write.PingContext(ctx) }
	}
	require.NoError(t, disk.fill())
	wait(f.For)
	require.NoError(t, disk.free())
	require.Eventually(t, func() bool {
		select {
		case <-server.Ended():
			server.Restart(t)
		default:
		}
		return ping() == nil
	}, patience, pollEvery, "%s runs", f.Target)
}

// readOnly sets the setting of SQL, which waits for the commits that are under way.
func (r *Rig) readOnly(t testing.TB, value int) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	_, err := r.stores.DB.Write.ExecContext(ctx, fmt.Sprint("SET GLOBAL read_only = ", value))
	require.NoError(t, err)
}

// promote is replace for a change, which has the servers for itself.
func (r *Rig) promote(t testing.TB, kind Kind, within time.Duration, meanwhile func()) {
	t.Helper()
	for _, claim := range (Fault{Kind: kind, Target: Redis}).claims() {
		r.claims[claim].Lock()
		defer r.claims[claim].Unlock()
	}
	r.replace(t, kind, within, meanwhile)
}

// replace makes the replica the primary, after it got behind for half of the time, in which something may happen. The
// former primary was killed, or it goes on for the other half, where its clients stay; then it follows.
func (r *Rig) replace(t testing.TB, kind Kind, within time.Duration, meanwhile func()) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	former, next := r.redis[0], r.redis[1]
	r.followed(t) // nobody promotes a replica that is being filled
	r.copying.Cut()
	if meanwhile != nil {
		meanwhile()
	}
	wait(within / 2)
	if kind == Failover {
		former.Kill(t)
	}
	require.NoError(t, next.client.Do(ctx, "REPLICAOF", "NO", "ONE").Err())
	r.redis = [2]*node{next, former}
	r.links[ARedis].Lead(next.Addr)
	r.links[BRedis].Lead(next.Addr)
	wait(within - within/2)
	if kind == Failover {
		former.Restart(t)
	}
	r.copying.Lead(next.Addr)
	r.copying.Join(t)
	r.follow(t)
}

// expireLocks deletes all locks again and again for a time.
func (r *Rig) expireLocks(d time.Duration) {
	const every = 50 * time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	client := redis.NewClient(&redis.Options{Addr: r.links[ARedis].Addr, Protocol: 2, DisableIdentity: true})
	defer func() { _ = client.Close() }()
	for ctx.Err() == nil {
		names, err := client.Keys(ctx, "*:lock:*").Result() // Redis may be away
		if err == nil && len(names) > 0 {
			_ = client.Del(ctx, names...).Err()
		}
		wait(every)
	}
}
