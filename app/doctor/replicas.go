package doctor

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"onrush/modules/redisdb"
)

// replicas checks that a Redis node has the replicas that orders wait for. With fewer, every order is answered 503.
// More of them let the sale go on while one is away.
func (d *Doctor) replicas(ctx context.Context, name, version string, rdb redis.Cmdable) error {
	need := d.cfg.RedisReplicas
	r, err := redisdb.ReadReplication(ctx, rdb)
	if err != nil {
		return err
	}
	detail := fmt.Sprintf("%d connected, ONRUSH_REDIS_REPLICAS is %d", r.Replicas, need)
	switch {
	case need <= 0 && r.Replicas > 0:
		d.add(name, Warning, detail+": a failover may lose the orders of the last moment", "set it to 1")
	case need <= 0: // none, or not known
	case d.cfg.RedisWaitAOF && !redisdb.HasWaitAOF(version):
		d.add(name, Failure, "version "+version+" has no WAITAOF",
			"use Redis 7.2 or later, or unset ONRUSH_REDIS_WAIT_AOF")
	case !r.Known:
		d.add(name, Warning, "Redis does not return its replicas",
			fmt.Sprintf("make sure that each master has %d", need))
	case r.Replicas < need:
		d.add(name, Failure, detail+": every order is answered 503", "start the replicas, or lower the setting")
	case r.Replicas > need:
		d.add(name, OK, detail+": see Choose in docs/operating/availability.md", "")
	default:
		d.add(name, OK, detail, "")
	}
	return nil
}
