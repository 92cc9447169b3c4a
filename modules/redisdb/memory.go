package redisdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"

	"onrush/modules/problem"
)

// Memory is the memory usage of a Redis node.
type Memory struct {
	Used   int64  // bytes that count against Max
	Max    int64  // maxmemory in bytes; 0: none
	Policy string // maxmemory-policy; "" if the node doesn't return it
}

// Evicts reports whether the node evicts keys when its memory is full.
func (m Memory) Evicts() bool { return m.Policy != "" && m.Policy != noEviction }

// noEviction is the only maxmemory-policy under which Redis keeps every order.
const noEviction = "noeviction"

// LostConnections returns how many connections to Redis have failed or were closed. If it has grown,
// another server than before may answer.
func LostConnections(rdb redis.UniversalClient) uint32 { return rdb.PoolStats().StaleConns }

// Node is one Redis server.
type Node struct {
	Addr   string // host:port; of a master that sentinels name, its name
	client redis.Cmdable
}

// NodeOf returns the server that has a key; on a cluster the master.
func NodeOf(ctx context.Context, rdb redis.UniversalClient, key string) (Node, error) {
	switch rdb := rdb.(type) {
	case *redis.Client:
		return Node{Addr: nameOf(rdb), client: rdb}, nil
	case *redis.ClusterClient:
		master, err := rdb.MasterForKey(ctx, key)
		if err != nil {
			return Node{}, fmt.Errorf("find the node of %s: %w", key, err)
		}
		return Node{Addr: master.Options().Addr, client: master}, nil
	default:
		return Node{client: rdb}, nil
	}
}

// FullPercent is how much of its maxmemory a node may use before no order is placed. The rest is for writes that must
// still succeed: tokens, tasks and counts of placed orders.
const FullPercent = 90

// IsFull reports whether the node takes no order.
func (m Memory) IsFull() bool { return m.Max > 0 && m.Used >= m.Max/100*FullPercent }

// CheckKeeps returns a *problem.NoWritesError if a master may evict keys, even if it has no keys now: a slot may move
// to it at any time. A node that can't be read counts as one that keeps its keys.
func CheckKeeps(ctx context.Context, rdb redis.UniversalClient) error {
	return checkMemory(ctx, rdb, false)
}

// CheckTakes is CheckKeeps, and a *problem.NoWritesError if a master is full.
func CheckTakes(ctx context.Context, rdb redis.UniversalClient) error {
	return checkMemory(ctx, rdb, true)
}

func checkMemory(ctx context.Context, rdb redis.UniversalClient, room bool) error {
	var wrong error
	_ = EachNode(ctx, rdb, func(ctx context.Context, addr string, node redis.Cmdable) error {
		if client, ok := rdb.(*redis.Client); ok {
			addr = nameOf(client)
		}
		m, _ := (Node{Addr: addr, client: node}).Memory(ctx) // of a node that can't be read it is zero
		switch {
		case m.Evicts():
			wrong = &problem.NoWritesError{
				Reason: "may evict orders", Err: fmt.Errorf("%w (it is %s at %s)", ErrEvicts, m.Policy, addr),
			}
		case room && m.IsFull() && wrong == nil:
			wrong = &problem.NoWritesError{
				Reason: "memory full", Err: fmt.Errorf("%d of %d bytes are used at %s", m.Used, m.Max, addr),
			}
		}
		return nil
	})
	return wrong
}

// NodesOf returns the servers that have keys, each once.
func NodesOf(ctx context.Context, rdb redis.UniversalClient, keys []string) (nodes []Node, err error) {
	for _, key := range keys {
		node, err := NodeOf(ctx, rdb, key)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(nodes, func(n Node) bool { return n.Addr == node.Addr }) {
			nodes = append(nodes, node)
		}
	}
	return nodes, nil
}

// Memory reads the node's memory usage with one command. It returns a zero Memory if the node refuses
// the command, and an error if the node can't be reached.
func (n Node) Memory(ctx context.Context) (Memory, error) {
	info, err := n.client.Info(ctx, "memory").Result()
	if answer, ok := errors.AsType[redis.Error](err); ok && !isPassing(answer) {
		return Memory{}, nil
	}
	if err != nil {
		return Memory{}, fmt.Errorf("read the memory of redis: %w", err)
	}
	return MemoryOf(ParseInfo(info)), nil
}

// MemoryOf returns the memory usage that a node's answer to INFO says.
func MemoryOf(info map[string]string) Memory {
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(info[name], 10, 64) // 0 if the value is not a number
		return n
	}
	return Memory{
		// Buffers of replicas and of the append-only file don't count.
		Used: number("used_memory") - number("mem_not_counted_for_evict"),
		Max:  number("maxmemory"), Policy: info["maxmemory_policy"],
	}
}
