package redisdb_test

import (
	"context"
	"errors"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/redisdb"
)

// nodeAnswers gives INFO and CONFIG GET the answers of a node.
type nodeAnswers struct {
	info, fsync       string
	infoErr, fsyncErr error
}

func (a nodeAnswers) DialHook(next redis.DialHook) redis.DialHook { return next }

func (a nodeAnswers) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (a nodeAnswers) ProcessHook(redis.ProcessHook) redis.ProcessHook {
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

// nodeRefusal is an error that a node answers.
type nodeRefusal string

func (r nodeRefusal) Error() string { return string(r) }
func (r nodeRefusal) RedisError()   {}

func TestPersistenceSaysWhatACrashLoses(t *testing.T) {
	t.Parallel()
	const on = "# Persistence\r\naof_enabled:1\r\naof_last_write_status:ok\r\n"
	lost := errors.New("connection lost")
	for name, tc := range map[string]struct {
		node         nodeAnswers
		safe, broken bool
		detail       string // "" means an error
	}{
		"always":            {nodeAnswers{info: on, fsync: "always"}, true, false, "loses nothing"},
		"everysec":          {nodeAnswers{info: on, fsync: "everysec"}, true, false, "about the last second"},
		"the system's time": {nodeAnswers{info: on, fsync: "no"}, false, false, "operating system"},
		"off":               {nodeAnswers{info: "aof_enabled:0\r\n", fsync: "always"}, false, false, "append-only"},
		"a failed write": {
			nodeAnswers{info: "aof_enabled:1\r\naof_last_write_status:err\r\n", fsync: "always"}, false, true, "failed",
		},
		"CONFIG refused":        {nodeAnswers{info: on, fsyncErr: nodeRefusal("ERR unknown")}, false, false, "unknown"},
		"CONFIG without fsync":  {nodeAnswers{info: on}, false, false, "unknown"},
		"INFO refused":          {nodeAnswers{infoErr: nodeRefusal("NOPERM")}, false, false, "unknown"},
		"INFO says nothing":     {nodeAnswers{info: "# Persistence\r\n", fsync: "always"}, false, false, "unknown"},
		"INFO while it loads":   {nodeAnswers{infoErr: nodeRefusal("LOADING Redis is loading")}, false, false, ""},
		"INFO without answer":   {nodeAnswers{infoErr: lost}, false, false, ""},
		"CONFIG without answer": {nodeAnswers{info: on, fsyncErr: lost}, false, false, ""},
	} {
		node := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
		node.AddHook(tc.node)
		p, err := redisdb.ReadPersistence(t.Context(), node)
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
