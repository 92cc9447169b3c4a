package doctor

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"onrush/modules/redisdb"
)

// replicas checks that a Redis node has the replicas that orders wait for. With fewer, every order is answered 503.
func (d *Doctor) replicas(ctx context.Context, name, version string, rdb redis.Cmdable) error {
	need := d.cfg.RedisReplicas
	if need <= 0 {
		return nil
	}
	r, err := redisdb.ReadReplication(ctx, rdb)
	if err != nil {
		return err
	}
	detail := fmt.Sprintf("%d connected, ONRUSH_REDIS_REPLICAS is %d", r.Replicas, need)
	switch {
	case d.cfg.RedisWaitAOF && !redisdb.HasWaitAOF(version):
		d.add(name, Failure, "version "+version+" has no WAITAOF",
			"use Redis 7.2 or later, or unset ONRUSH_REDIS_WAIT_AOF")
	case !r.Known:
		d.add(name, Warning, "Redis does not return its replicas",
			fmt.Sprintf("make sure that each master has %d", need))
	case r.Replicas < need:
		d.add(name, Failure, detail+": every order is answered 503", "start the replicas, or lower the setting")
	case r.Replicas > need:
		d.add(name, Warning, detail+": a failover to another replica may lose orders", "raise the setting")
	default:
		d.add(name, OK, detail, "")
	}
	return nil
}
