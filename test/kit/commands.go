package kit

import (
	"context"
	"maps"
	"sync"

	"github.com/redis/go-redis/v9"
)

// Commands counts the commands that a Redis client sends, by their name, except those that open connections.
type Commands struct {
	mu   sync.Mutex
	sent map[string]int
}

// CountCommands counts the commands of a client from now on.
func CountCommands(rdb redis.UniversalClient) *Commands {
	c := &Commands{sent: map[string]int{}}
	rdb.AddHook(c)
	return c
}

// Take returns the commands that were sent since the last call.
func (c *Commands) Take() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	sent := maps.Clone(c.sent)
	clear(c.sent)
	return sent
}

func (c *Commands) add(cmds ...redis.Cmder) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cmd := range cmds {
		switch name := cmd.Name(); name {
		case "hello", "client", "select", "auth":
		default:
			c.sent[name]++
		}
	}
}

// DialHook implements redis.Hook.
func (c *Commands) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (c *Commands) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.add(cmd)
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook implements redis.Hook.
func (c *Commands) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.add(cmds...)
		return next(ctx, cmds)
	}
}
