package server

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"onrush/lua"
	"onrush/modules/sqldb"
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
	case c.MySQLReadDSN != "" && c.MySQLDSN == "":
		return errors.New("ONRUSH_MYSQL_READ_DSN needs ONRUSH_MYSQL_DSN: the embedded SQLite has no replicas")
	}
	return nil
}

// openReplica returns the replica of db that lists are read from; nil if there is none. A replica that is away is no
// error: the primary is read.
func openReplica(cfg *Config, db *sqldb.DB, log *slog.Logger) (*sqldb.Replica, error) {
	if cfg.MySQLReadDSN == "" {
		return nil, nil //nolint:nilnil // none
	}
	d := divide(cfg.SQLConnections)
	replica, err := db.OpenReplica(cfg.MySQLReadDSN, d.buyerReaders+d.operators, time.Now, log)
	if err != nil {
		return nil, configError(fmt.Errorf("ONRUSH_MYSQL_READ_DSN: %w", err))
	}
	return replica, nil
}

// confirm says which replicas must have an order.
func (c *Config) confirm() lua.Confirm {
	return lua.Confirm{Replicas: c.RedisReplicas, Files: c.RedisWaitAOF}
}
