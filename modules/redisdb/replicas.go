package redisdb

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"onrush/modules/problem"
)

// ackWithin is how old the last message of a replica may be, which sends one a second. A frozen replica counts as
// connected for a minute.
const ackWithin = 3 // s

// Replication is what a Redis node says of its replicas.
type Replication struct {
	Known    bool // false if the node refuses to say, as managed services do
	Replicas int  // that are connected and have what the node had a moment ago
}

// ReadReplication asks a node.
func ReadReplication(ctx context.Context, node redis.Cmdable) (Replication, error) {
	text, err := node.Info(ctx, "replication").Result()
	switch {
	case isRefusal(err):
		return Replication{}, nil
	case err != nil:
		return Replication{}, fmt.Errorf("read the replicas of redis: %w", err)
	}
	info := ParseInfo(text)
	listed, err := strconv.Atoi(info["connected_slaves"])
	if err != nil {
		return Replication{}, nil //nolint:nilerr // it doesn't say
	}
	r := Replication{Known: true}
	for i := range listed {
		replica := map[string]string{} // slave0:ip=127.0.0.1,port=6380,state=online,offset=42,lag=0
		for field := range strings.SplitSeq(info["slave"+strconv.Itoa(i)], ",") {
			name, value, _ := strings.Cut(field, "=")
			replica[name] = value
		}
		lag, err := strconv.Atoi(replica["lag"])
		if err == nil && lag <= ackWithin && replica["state"] == "online" {
			r.Replicas++
		}
	}
	return r, nil
}

// Replication asks the node for its replicas.
func (n Node) Replication(ctx context.Context) (Replication, error) {
	return ReadReplication(ctx, n.client)
}

// CheckInfo returns a *problem.NoWritesError if a node refuses INFO to the login: no numbers are leased then.
func CheckInfo(ctx context.Context, rdb redis.UniversalClient) error {
	return EachNode(ctx, rdb, func(ctx context.Context, _ string, node redis.Cmdable) error {
		err := node.Info(ctx, "replication").Err()
		switch {
		case isNoInfo(err):
			return &problem.NoWritesError{Reason: "no right to run INFO", Err: fmt.Errorf("%w: %w", ErrNoInfo, err)}
		case err != nil && !isRefusal(err):
			return fmt.Errorf("read the run of redis: %w", err)
		}
		return nil
	})
}

// CheckReplicas returns a *problem.NoWritesError if a node says that fewer than least replicas follow it.
func CheckReplicas(ctx context.Context, rdb redis.UniversalClient, least int) error {
	return EachNode(ctx, rdb, func(ctx context.Context, addr string, node redis.Cmdable) error {
		r, err := ReadReplication(ctx, node)
		if err != nil {
			return err
		}
		if r.Known && r.Replicas < least {
			onTooFew.Mark()
			return &problem.NoWritesError{
				Reason: "too few replicas",
				Err:    fmt.Errorf("%d of %d replicas follow redis %s", r.Replicas, least, addr),
			}
		}
		return nil
	})
}

// ErrNoWaitAOF says that Redis is older than WAITAOF.
var ErrNoWaitAOF = errors.New("redis: ONRUSH_REDIS_WAIT_AOF needs version 7.2 or later")

// CheckWaitAOF returns ErrNoWaitAOF if a node doesn't have WAITAOF. A Redis that refuses to return its version is
// accepted.
func CheckWaitAOF(ctx context.Context, rdb redis.UniversalClient) error {
	return EachNode(ctx, rdb, func(ctx context.Context, _ string, node redis.Cmdable) error {
		text, err := node.Info(ctx, "server").Result()
		if isRefusal(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("redis: read the version: %w", err)
		}
		if version := ParseInfo(text)["redis_version"]; !HasWaitAOF(version) {
			return fmt.Errorf("%w (it is %s)", ErrNoWaitAOF, version)
		}
		return nil
	})
}

// HasWaitAOF reports whether a version of Redis, such as 7.0.15, has WAITAOF. It is true for "", which is unknown.
func HasWaitAOF(version string) bool {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	x, err := strconv.Atoi(major)
	if err != nil {
		return true
	}
	y, _ := strconv.Atoi(minor)
	return x > 7 || x == 7 && y >= 2
}
