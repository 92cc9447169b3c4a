package server

import (
	"errors"
	"fmt"

	"onrush/lua"
)

// maxReplicas bounds the replicas of a master.
const maxReplicas = 16

// checkReplicas refuses replicas that no Redis has.
func (c *Config) checkReplicas() error {
	switch {
	case c.RedisReplicas < 0 || c.RedisReplicas > maxReplicas:
		return fmt.Errorf("ONRUSH_REDIS_REPLICAS is %d, but must be 0 to %d", c.RedisReplicas, maxReplicas)
	case c.RedisReplicas > 0 && c.RedisURL == "":
		return errors.New("ONRUSH_REDIS_REPLICAS needs ONRUSH_REDIS_URL: the embedded Redis has no replicas")
	case c.RedisWaitAOF && c.RedisReplicas == 0:
		return errors.New("ONRUSH_REDIS_WAIT_AOF needs ONRUSH_REDIS_REPLICAS: it is about the files of replicas")
	}
	return nil
}

// confirm says which replicas must have an order.
func (c *Config) confirm() lua.Confirm {
	return lua.Confirm{Replicas: c.RedisReplicas, Files: c.RedisWaitAOF}
}
