package redisdb

import (
	"context"
	"errors"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answering gives INFO and CONFIG GET the answers of a node.
type answering struct {
	info, fsync       string
	infoErr, fsyncErr error
}

func (a answering) DialHook(next redis.DialHook) redis.DialHook { return next }

func (a answering) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (a answering) ProcessHook(redis.ProcessHook) redis.ProcessHook {
	return func(_ context.Context, cmd redis.Cmder) error {
		switch cmd := cmd.(type) {
		case *redis.StringCmd:
			cmd.SetVal(a.info)
			cmd.SetErr(a.infoErr)
		case *redis.MapStringStringCmd:
			if a.fsync != "" {
				cmd.SetVal(map[string]string{"appendfsync": a.fsync})
			}
			cmd.SetErr(a.fsyncErr)
		}
		return cmd.Err()
	}
}

// refusal is an error that a node answers.
type refusal string

func (r refusal) Error() string { return string(r) }
func (r refusal) RedisError()   {}

func TestPersistenceSaysWhatACrashLoses(t *testing.T) {
	t.Parallel()
	const on = "# Persistence\r\naof_enabled:1\r\naof_last_write_status:ok\r\n"
	lost := errors.New("connection lost")
	for name, tc := range map[string]struct {
		node         answering
		safe, broken bool
		detail       string // "" means an error
	}{
		"always":            {answering{info: on, fsync: "always"}, true, false, "loses nothing"},
		"everysec":          {answering{info: on, fsync: "everysec"}, true, false, "about the last second"},
		"the system's time": {answering{info: on, fsync: "no"}, false, false, "operating system"},
		"off":               {answering{info: "aof_enabled:0\r\n", fsync: "always"}, false, false, "append-only"},
		"a failed write": {
			answering{info: "aof_enabled:1\r\naof_last_write_status:err\r\n", fsync: "always"}, false, true, "failed",
		},
		"CONFIG refused":        {answering{info: on, fsyncErr: refusal("ERR unknown")}, false, false, "unknown"},
		"CONFIG without fsync":  {answering{info: on}, false, false, "unknown"},
		"INFO refused":          {answering{infoErr: refusal("NOPERM")}, false, false, "unknown"},
		"INFO says nothing":     {answering{info: "# Persistence\r\n", fsync: "always"}, false, false, "unknown"},
		"INFO while it loads":   {answering{infoErr: refusal("LOADING Redis is loading")}, false, false, ""},
		"INFO without answer":   {answering{infoErr: lost}, false, false, ""},
		"CONFIG without answer": {answering{info: on, fsyncErr: lost}, false, false, ""},
	} {
		node := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
		node.AddHook(tc.node)
		p, err := ReadPersistence(t.Context(), node)
		require.NoError(t, node.Close())
		if tc.detail == "" {
			require.Error(t, err, name)
			continue
		}
		require.NoError(t, err, name)
		assert.Equal(t, tc.safe, p.Safe, name)
		assert.Equal(t, tc.broken, p.Broken, name)
		assert.Contains(t, p.Detail, tc.detail, name)
	}
}
