package place

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/problem"
	"onrush/modules/redisdb"
)

const (
	// memoryFor is the maximum age of the last known memory use of a node when orders are placed.
	memoryFor = time.Second
	// memoryWithin bounds one query of a node's memory.
	memoryWithin = 100 * time.Millisecond
	// againPercent is down to how much a node's memory must fall before it may take orders again: orders that are moved
	// and orders that are placed would change the verdict every few seconds.
	againPercent = 85
)

// errEvicts refuses orders while Redis may evict them.
var errEvicts = problem.Errorf(problem.CodeUnavailable, "Orders can't be taken at the moment.").After(time.Second)

// pressure decides whether the Redis node of a lane may take more orders. It uses each node's memory and
// eviction policy, at most memoryFor old and not from before a reconnect, and queries them only while orders
// are placed.
type pressure struct {
	lua *lua.Scripts
	now func() time.Time
	log *slog.Logger

	mu    sync.Mutex
	nodes map[string]*nodePressure // by address

	others evicting
}

// evicting is whether a master of a cluster may evict keys. Slots move, so an order may be placed on another master
// than the one that was asked: therefore no master may evict.
type evicting struct {
	mu   sync.Mutex
	asOf time.Time
	err  error
}

type nodePressure struct {
	mu      sync.Mutex // held while the node is queried
	asOf    time.Time
	lost    uint32         // connections that were lost until asOf
	refusal *problem.Error // nil while the node may take orders
}

func newPressure(s *lua.Scripts, now func() time.Time, log *slog.Logger) *pressure {
	return &pressure{lua: s, now: now, log: log, nodes: map[string]*nodePressure{}}
}

// refusal returns why the lane's node may take no orders, or nil if it may. If the node doesn't answer, the
// last verdict remains: the call that places orders fails then too.
func (p *pressure) refusal(ctx context.Context, lane int) *problem.Error {
	node, err := redisdb.NodeOf(ctx, p.lua.Redis, p.lua.Keys.Queue(lane))
	if err != nil {
		return nil
	}
	n := p.node(node.Addr)
	n.mu.Lock()
	defer n.mu.Unlock()
	lost := redisdb.LostConnections(p.lua.Redis)
	if age := p.now().Sub(n.asOf); age >= 0 && age < memoryFor && lost == n.lost {
		return n.refusal
	}
	n.asOf, n.lost = p.now(), lost
	ctx, cancel := context.WithTimeout(ctx, memoryWithin)
	defer cancel()
	if m, err := node.Memory(ctx); err == nil {
		if err := p.evicting(ctx); err != nil {
			m.Policy = err.Error()
		}
		p.judge(ctx, n, node.Addr, m)
	}
	return n.refusal
}

// evicting returns an error if a master of a cluster may evict keys.
func (p *pressure) evicting(ctx context.Context) error {
	if _, cluster := p.lua.Redis.(*redis.ClusterClient); !cluster {
		return nil
	}
	o := &p.others
	o.mu.Lock()
	defer o.mu.Unlock()
	if age := p.now().Sub(o.asOf); age < 0 || age >= memoryFor/2 {
		o.asOf, o.err = p.now(), redisdb.CheckKeeps(ctx, p.lua.Redis)
	}
	return o.err
}

func (p *pressure) node(addr string) *nodePressure {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.nodes[addr]
	if n == nil {
		n = &nodePressure{}
		p.nodes[addr] = n
	}
	return n
}

// judge sets the node's verdict and logs when it changes.
func (p *pressure) judge(ctx context.Context, n *nodePressure, addr string, m redisdb.Memory) {
	before, full := n.refusal, int64(redisdb.FullPercent)
	if before == ErrOverloaded {
		full = againPercent
	}
	switch {
	case m.Evicts():
		n.refusal = errEvicts
	case m.Max > 0 && m.Used >= m.Max/100*full:
		n.refusal = ErrOverloaded
	default:
		n.refusal = nil
	}
	if n.refusal == before {
		return
	}
	log := p.log.With("redis", addr, "used", m.Used, "maxmemory", m.Max, "maxmemory_policy", m.Policy)
	switch n.refusal {
	case errEvicts:
		log.ErrorContext(ctx, "redis may evict orders: no order is placed until its maxmemory-policy is noeviction")
	case ErrOverloaded:
		log.WarnContext(ctx, "redis is nearly full: no order is placed until memory is free")
	default:
		log.InfoContext(ctx, "redis accepts orders again")
	}
}
