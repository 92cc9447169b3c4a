package doctor

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
)

// leastRedis is the first version of Redis that runs the scripts.
const leastRedis = 7

func (d *Doctor) redis(ctx context.Context) {
	if d.cfg.RedisURL == "" {
		d.add("redis", Warning, "embedded: orders that have not moved to SQL are lost if the program is killed",
			"set ONRUSH_REDIS_URL for real sales")
		return
	}
	rdb, err := lua.Connect(d.cfg.RedisURL)
	if err != nil {
		d.add("redis", Failure, err.Error(), "")
		return
	}
	defer func() { _ = rdb.Close() }()
	if cluster, ok := rdb.(*redis.ClusterClient); ok {
		err = cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
			return d.node(ctx, "redis "+node.Options().Addr, node)
		})
	} else {
		err = d.node(ctx, "redis", rdb)
	}
	if err != nil {
		d.add("redis", Failure, err.Error(), "check ONRUSH_REDIS_URL, the login, and that the server runs")
	}
}

// node checks one Redis server; the error says that it can't be asked.
func (d *Doctor) node(ctx context.Context, name string, rdb redis.Cmdable) error {
	text, err := rdb.Info(ctx).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	info := fields(text)
	version := info["redis_version"]
	if major, _ := strconv.Atoi(strings.SplitN(version, ".", 2)[0]); major < leastRedis {
		d.add(name, Failure, "version "+version, "use Redis 7.0 or later")
	} else {
		d.add(name, OK, "version "+version, "")
	}
	d.policy(name, info)
	d.persistence(ctx, name, info, rdb)
	now, err := rdb.Time(ctx).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	d.clock(name+" clock", now)
	return nil
}

// policy checks that Redis keeps every order, and that it has a bound below the memory of its machine.
func (d *Doctor) policy(name string, info map[string]string) {
	name += " memory"
	limit, _ := strconv.ParseInt(info["maxmemory"], 10, 64)
	switch policy := info["maxmemory_policy"]; {
	case policy == "":
		d.add(name, Warning, "Redis does not return its maxmemory-policy", "make sure that it is noeviction")
	case policy != "noeviction":
		d.add(name, Failure, "maxmemory-policy is "+policy+": orders may be evicted", "set it to noeviction")
	case limit == 0:
		d.add(name, Warning, "maxmemory is 0: the system may end a Redis that grows",
			"set it below the memory of the machine; a cached order takes about 1.2 KB")
	default:
		d.add(name, OK, "noeviction, maxmemory "+info["maxmemory_human"], "")
	}
}

// persistence says what a crash of Redis loses.
func (d *Doctor) persistence(ctx context.Context, name string, info map[string]string, rdb redis.Cmdable) {
	name += " persistence"
	if info["aof_enabled"] != "1" {
		d.add(name, Warning, "no append-only file: a crash of Redis loses the orders that have not moved to SQL",
			"set appendonly yes, and appendfsync everysec or always")
		return
	}
	if info["aof_last_write_status"] == "err" {
		d.add(name, Failure, "the last write of the append-only file failed", "check the disk of Redis")
		return
	}
	settings, err := rdb.ConfigGet(ctx, "appendfsync").Result()
	if _, refused := errors.AsType[redis.Error](err); err != nil && !refused {
		d.add(name, Failure, err.Error(), "")
		return
	}
	switch fsync := settings["appendfsync"]; fsync {
	case "always":
		d.add(name, OK, "appendfsync always: a crash of Redis loses nothing", "")
	case "everysec":
		d.add(name, OK, "appendfsync everysec: a crash of Redis loses at most the last second of orders not yet moved",
			"appendfsync always loses nothing, and is slower")
	case "":
		d.add(name, Warning, "Redis does not return its appendfsync", "make sure that it is everysec or always")
	default:
		d.add(name, Warning, "appendfsync "+fsync+": the operating system decides what a crash loses",
			"set it to everysec or always")
	}
}

// fields reads the lines of INFO.
func fields(info string) map[string]string {
	values := map[string]string{}
	for line := range strings.Lines(info) {
		if name, value, found := strings.Cut(strings.TrimSpace(line), ":"); found {
			values[name] = value
		}
	}
	return values
}
