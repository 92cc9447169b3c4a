package lua

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

// A run of a master begins when a server starts or is promoted, and no two runs have the same id, which is the
// replication id of the server. Data of another run may lack writes that this run's master never got.

const (
	// embeddedRun is the id of the one run of the Redis in the program.
	embeddedRun = "embedded"
	// embeddedAnswer is its answer to INFO replication. lease_numbers.lua has it, too.
	embeddedAnswer = "section (replication) is not supported"
)

// ErrNoRun says that Redis doesn't tell the run of the master.
var ErrNoRun = errors.New("INFO doesn't tell the run of the master of redis")

// QueueRun queues a read of the run of the master that has a key. It costs about what reading a few fields does; within
// a script it would cost five times as much. A cluster sends it where it sends other commands with this key, which
// INFO takes for a section that nobody has.
func QueueRun(ctx context.Context, pipe redis.Pipeliner, key string, cluster bool) *redis.StringCmd {
	if !cluster {
		return pipe.Info(ctx, "replication")
	}
	read := redis.NewStringCmd(ctx, "info", "replication", key)
	read.SetFirstKeyPos(2)
	_ = pipe.Process(ctx, read) // it only queues
	return read
}

// Run returns the id that a command of QueueRun has read. The error is ErrNoRun if the server is a replica, whose
// replication has the id of its master, or if the login may not run INFO.
func Run(read *redis.StringCmd) (id string, err error) {
	info, err := read.Result()
	switch answer, isAnswer := errors.AsType[redis.Error](err); {
	case isAnswer && answer.Error() == embeddedAnswer:
		return embeddedRun, nil
	case isAnswer:
		return "", fmt.Errorf("%w: %w", ErrNoRun, err)
	case err != nil:
		return "", fmt.Errorf("read the run of the master: %w", err)
	}
	role := ""
	for line := range strings.Lines(info) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), ":"); name {
		case "role":
			role = value
		case "master_replid":
			id = value
		}
	}
	if role != "master" || id == "" {
		return "", fmt.Errorf("%w: its role is %q", ErrNoRun, role)
	}
	return id, nil
}
