package lua

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// Snapshot runs reads of one lane atomically: nothing is written between them. Like TxPipelined it fills in the
// commands that reads queues; each has one key. While the memory of Redis is full, it refuses even reads in a
// transaction; then a script runs the reads.
func (s *Scripts) Snapshot(ctx context.Context, reads func(redis.Pipeliner) error) error {
	_, err := s.Redis.TxPipelined(ctx, reads)
	if !redis.IsExecAbortError(err) && !IsFull(err) {
		return err
	}
	pipe := s.Redis.Pipeline()
	if err := reads(pipe); err != nil {
		return err
	}
	return s.readAll(ctx, pipe.Cmds())
}

// readAll runs reads by the script and sets their replies.
func (s *Scripts) readAll(ctx context.Context, cmds []redis.Cmder) error {
	var keys []string
	var args []any
	for _, cmd := range cmds {
		a := cmd.Args()
		keys = append(keys, fmt.Sprint(a[1]))
		args = append(args, a[0], len(a)-2)
		args = append(args, a[2:]...)
	}
	replies, err := snapshot.Run(ctx, s.Redis, keys, args...).Slice()
	if err != nil {
		return fmt.Errorf("read %d keys in one step: %w", len(keys), err)
	}
	if len(replies) != len(cmds) {
		return fmt.Errorf("read %d keys in one step: script returned %d replies", len(cmds), len(replies))
	}
	for i, cmd := range cmds {
		if err := setReply(cmd, replies[i]); err != nil {
			return fmt.Errorf("read %s in one step: %w", cmd.FullName(), err)
		}
	}
	return nil
}

// setReply sets the reply of a command from the script's reply. A missing key or field is redis.Nil.
func setReply(cmd redis.Cmder, reply any) error {
	switch cmd := cmd.(type) {
	case *redis.IntCmd:
		n, ok := reply.(int64)
		cmd.SetVal(n)
		return unexpected(ok, reply)
	case *redis.StringCmd:
		text, ok := reply.(string)
		cmd.SetVal(text)
		if reply == nil {
			cmd.SetErr(redis.Nil)
			return nil
		}
		return unexpected(ok, reply)
	case *redis.SliceCmd:
		values, ok := reply.([]any)
		cmd.SetVal(values)
		return unexpected(ok, reply)
	case *redis.StringSliceCmd:
		texts, err := texts(reply)
		cmd.SetVal(texts)
		return err
	case *redis.MapStringStringCmd:
		texts, err := texts(reply)
		values := make(map[string]string, len(texts)/2)
		for i := 0; i+1 < len(texts); i += 2 {
			values[texts[i]] = texts[i+1]
		}
		cmd.SetVal(values)
		return err
	default:
		return errors.New("its reply has an unknown type")
	}
}

func texts(reply any) ([]string, error) {
	values, ok := reply.([]any)
	if !ok {
		return nil, unexpected(false, reply)
	}
	texts := make([]string, len(values))
	for i, value := range values {
		if texts[i], ok = value.(string); !ok {
			return nil, unexpected(false, value)
		}
	}
	return texts, nil
}

func unexpected(ok bool, reply any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("script returned %v", reply)
}
