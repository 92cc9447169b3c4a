package redisdb

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// wholePipeline gives each command of a pipeline the error of a pipeline that failed before its first command was sent:
// the login was refused, or a check refused the connection. Without it the commands have neither an error nor a value,
// and whoever looks at their errors takes that for empty answers.
type wholePipeline struct{}

func (wholePipeline) DialHook(next redis.DialHook) redis.DialHook { return next }

func (wholePipeline) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (wholePipeline) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		if err == nil {
			return nil
		}
		for _, cmd := range cmds {
			if cmd.Err() != nil {
				return err // each command has its own
			}
		}
		onWholePipeline.Mark()
		for _, cmd := range cmds {
			cmd.SetErr(err)
		}
		return err
	}
}
