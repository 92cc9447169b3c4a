package doctor

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/redisdb"
	"onrush/modules/site"
)

func (d *Doctor) redis(ctx context.Context) {
	if d.cfg.RedisURL == "" {
		d.persistence("redis", redisdb.EmbeddedPersistence())
		return
	}
	rdb, err := redisdb.Connect(d.cfg.RedisURL)
	if err != nil {
		d.add("redis", Failure, err.Error(), "")
		return
	}
	defer func() { _ = rdb.Close() }()
	err = redisdb.EachNode(ctx, rdb, func(ctx context.Context, addr string, node redis.Cmdable) error {
		return d.node(ctx, strings.TrimSpace("redis "+addr), node)
	})
	if err != nil {
		d.unanswered("redis", err, redisAdvice(err))
		return
	}
	keys := d.cfg.Keys()
	written := make([]string, d.cfg.Lanes)
	for i := range written {
		written[i] = keys.WriteCheck(i + 1)
	}
	d.writes("redis writes", redisdb.CheckWrite(ctx, rdb, written...))
	d.scripts(ctx, rdb, keys)
	if kept, err := site.ReadCopy(ctx, lua.New(rdb, keys)); err == nil {
		d.site = kept.ID
	}
	d.instances, _ = rdb.ZCard(ctx, keys.Instances()).Result() // 0 if it can't be read
}

// scripts checks that scripts may run all their commands, in a cluster on each node that has a lane.
func (d *Doctor) scripts(ctx context.Context, rdb redis.UniversalClient, keys lua.Keys) {
	const check = "redis scripts"
	lanes := 1
	if _, cluster := rdb.(*redis.ClusterClient); cluster {
		lanes = d.cfg.Lanes
	}
	for lane := 1; lane <= lanes; lane++ {
		if err := lua.New(rdb, keys).CheckRights(ctx, lane); err != nil {
			d.add(check, Failure, err.Error(), cmp.Or(fullAdvice(err),
				"give the login the rights that docs/operating/stores.md lists, and rename none of the commands"))
			return
		}
	}
	d.add(check, OK, "they may run all their commands", "")
}

func redisAdvice(err error) string {
	switch text := err.Error(); {
	case strings.Contains(text, "NOPERM"):
		return "give the login the rights that docs/operating/stores.md lists"
	case strings.Contains(text, "WRONGPASS"):
		return "check user and password of ONRUSH_REDIS_URL; " + redisdb.Escapes
	}
	return "check ONRUSH_REDIS_URL, the login, and that the server runs"
}

// writes adds what a check found that wrote to a store.
func (d *Doctor) writes(check string, err error) {
	switch {
	case err == nil:
		d.add(check, OK, "it takes writes", "")
	case strings.Contains(err.Error(), "binlog_format"):
		d.add(check, Failure, err.Error(), "set binlog_format to ROW or MIXED")
	default:
		d.add(check, Failure, err.Error(), cmp.Or(fullAdvice(err),
			"name the primary, give the user all privileges on the database, and check the disk and the memory"))
	}
}

// fullAdvice is what helps a store that refuses writes since its disk or its memory is full; "" for other errors.
func fullAdvice(err error) string {
	switch text := err.Error(); {
	case strings.Contains(text, "MISCONF"), strings.Contains(text, "No space left"):
		return "free space on its disk: it takes no writes until it can write there"
	case strings.Contains(text, "OOM "):
		return "raise its maxmemory, or free memory: docs/operating/size.md says how much it needs"
	}
	return ""
}

// node checks one Redis server; the error says that it can't be asked.
func (d *Doctor) node(ctx context.Context, name string, rdb redis.Cmdable) error {
	text, err := rdb.Info(ctx).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	info := redisdb.ParseInfo(text)
	version := info["redis_version"]
	if redisdb.IsOld(version) {
		d.add(name, Failure, "version "+version, fmt.Sprintf("use Redis %d.0 or later", redisdb.LeastVersion))
	} else {
		d.add(name, OK, "version "+version, "")
	}
	d.redisTLS(ctx, name, rdb)
	d.memory(name+" memory", info)
	kept, err := redisdb.ReadPersistence(ctx, rdb)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	d.persistence(name+" persistence", kept)
	if err := d.replicas(ctx, name+" replicas", version, rdb); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	now, err := rdb.Time(ctx).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	d.clock(name+" clock", now)
	return nil
}

// persistence says what a crash of Redis loses. To lose about a second is a choice; to lose every order that has not
// moved is a failure.
func (d *Doctor) persistence(name string, p redisdb.Persistence) {
	level := Warning
	switch {
	case p.Broken, p.Lossy:
		level = Failure
	case p.Lossless:
		level = OK
	}
	d.add(name, level, p.Detail, p.Advice)
}
