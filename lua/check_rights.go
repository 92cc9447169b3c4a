package lua

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// probedFor is how long the key of CheckRights stays if the login may not remove it.
const probedFor = time.Minute

// RefusedError says that Redis refuses commands without which scripts don't run.
type RefusedError struct {
	Commands []string
	Answer   string // to the first of them
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("redis refuses %s: %s", strings.Join(e.Commands, ", "), e.Answer)
}

// CheckRights runs a script with each command of the scripts on a key of its own, on the node of a lane. If the node
// refuses some, the error is a *RefusedError.
func (s *Scripts) CheckRights(ctx context.Context, lane int) error {
	keys, ms := []string{s.Keys.RightsCheck(lane)}, probedFor.Milliseconds()
	// EVAL first, so that the server knows the script. The program runs most scripts by EVALSHA.
	if err := checkRights.Eval(ctx, s.Redis, keys, ms).Err(); err != nil {
		return refusedCommand("EVAL", err)
	}
	refused, err := checkRights.EvalSha(ctx, s.Redis, keys, ms).StringSlice()
	if err != nil {
		return refusedCommand("EVALSHA", err)
	}
	if len(refused) < 2 {
		return nil
	}
	all := &RefusedError{Answer: refused[1]}
	for i := 0; i < len(refused); i += 2 {
		all.Commands = append(all.Commands, refused[i])
	}
	return all
}

// refusedCommand returns the error of a command that Redis answered with one.
func refusedCommand(name string, err error) error {
	if answer, ok := errors.AsType[redis.Error](err); ok {
		return &RefusedError{Commands: []string{name}, Answer: answer.Error()}
	}
	return fmt.Errorf("check the rights of scripts: %w", err)
}
