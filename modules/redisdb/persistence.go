package redisdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// Persistence says whether a Redis node keeps its orders if it crashes.
type Persistence struct {
	Lossless bool   // a crash loses nothing
	Safe     bool   // a crash loses at most about the last second
	Lossy    bool   // a crash loses all orders that have not moved to SQL, or more than anybody can say
	Broken   bool   // Redis can no longer write them
	Detail   string // what a crash loses
	Advice   string // what to do; may be ""
}

// EmbeddedPersistence describes the Redis in the program.
func EmbeddedPersistence() Persistence {
	return Persistence{
		Detail: "embedded: orders that have not moved to SQL are lost if the program is killed",
		Advice: "set ONRUSH_REDIS_URL for real sales",
	}
}

// ReadPersistence asks a node. A setting that the node refuses to return, as managed services do, is unknown, not an
// error.
func ReadPersistence(ctx context.Context, node redis.Cmdable) (Persistence, error) {
	unknown := Persistence{
		Detail: "unknown: Redis does not return its appendfsync",
		Advice: "ACL SETUSER <user> +config|get lets it; " +
			"a service without CONFIG: make sure that it is everysec or always",
	}
	text, err := node.Info(ctx, "persistence").Result()
	switch {
	case isRefusal(err):
		return unknown, nil
	case err != nil:
		return Persistence{}, fmt.Errorf("read the persistence of redis: %w", err)
	}
	info := ParseInfo(text)
	switch {
	case info["aof_enabled"] == "":
		return unknown, nil
	case info["aof_enabled"] != "1":
		return Persistence{
			Lossy:  true,
			Detail: "no append-only file: a crash of Redis loses the orders that have not moved to SQL",
			Advice: "set appendonly yes, and appendfsync everysec or always",
		}, nil
	case info["aof_last_write_status"] == "err":
		return Persistence{
			Broken: true, Detail: "the last write of the append-only file failed", Advice: "check the disk of Redis",
		}, nil
	}
	settings, err := node.ConfigGet(ctx, "appendfsync").Result()
	if err != nil && !isRefusal(err) {
		return Persistence{}, fmt.Errorf("read the appendfsync of redis: %w", err)
	}
	switch fsync := settings["appendfsync"]; fsync {
	case "always":
		return Persistence{
			Lossless: true, Safe: true, Detail: "appendfsync always: a crash of Redis loses nothing",
		}, nil
	case "everysec":
		return Persistence{
			Safe: true,
			Detail: "appendfsync everysec: a crash of Redis loses about the last second of accepted orders, " +
				"those that have not moved to SQL",
			Advice: "set it to always, which loses nothing and is slower",
		}, nil
	case "":
		return unknown, nil
	default:
		return Persistence{
			Lossy:  true,
			Detail: "appendfsync " + fsync + ": the operating system decides what a crash loses",
			Advice: "set it to everysec or always",
		}, nil
	}
}

// isRefusal reports whether Redis answered that it doesn't carry out a command.
func isRefusal(err error) bool {
	answer, ok := errors.AsType[redis.Error](err)
	return ok && !isPassing(answer)
}

// EachNode calls fn for each Redis server that may have keys, one at a time. addr is "" unless the servers are a
// cluster. It calls fn for all of them, even after a failure, and returns the first error.
func EachNode(
	ctx context.Context, rdb redis.UniversalClient, fn func(ctx context.Context, addr string, node redis.Cmdable) error,
) error {
	cluster, ok := rdb.(*redis.ClusterClient)
	if !ok {
		return fn(ctx, "", rdb)
	}
	var mu sync.Mutex
	return cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
		mu.Lock()
		defer mu.Unlock()
		return fn(ctx, node.Options().Addr, node)
	})
}

// ParseInfo reads the lines of INFO.
func ParseInfo(text string) map[string]string {
	values := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, found := strings.Cut(strings.TrimSpace(line), ":"); found {
			values[name] = value
		}
	}
	return values
}
