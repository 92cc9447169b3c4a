package place

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/modules/redisdb"
)

func TestStateOfANodeIsLoggedWhenItsMemoryOrPolicyChanges(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	p := newPressure(nil, time.Now, slog.New(slog.NewTextHandler(&log, nil)))
	n := p.node("node")
	for _, step := range []struct {
		memory redisdb.Memory
		want   any
		logged string
	}{
		{redisdb.Memory{}, nil, ""}, // a node that doesn't say
		{redisdb.Memory{Used: 500, Policy: "noeviction"}, nil, ""},
		{redisdb.Memory{Used: 899, Max: 1000, Policy: "noeviction"}, nil, ""},
		{redisdb.Memory{Used: 900, Max: 1000, Policy: "noeviction"}, ErrOverloaded, "level=WARN"},
		{redisdb.Memory{Used: 950, Max: 1000, Policy: "noeviction"}, ErrOverloaded, ""},
		{redisdb.Memory{Used: 850, Max: 1000, Policy: "noeviction"}, ErrOverloaded, ""},
		{redisdb.Memory{Used: 849, Max: 1000, Policy: "noeviction"}, nil, "level=INFO"},
		{redisdb.Memory{Used: 899, Max: 1000, Policy: "noeviction"}, nil, ""},
		{redisdb.Memory{Used: 10, Max: 1000, Policy: "allkeys-lru"}, errEvicts, "level=ERROR"},
		{redisdb.Memory{Used: 10, Max: 1000, Policy: "allkeys-lru"}, errEvicts, ""},
		{redisdb.Memory{Used: 10, Max: 1000, Policy: "noeviction"}, nil, "level=INFO"},
		{redisdb.Memory{Used: 10, Max: 1000, Policy: "noeviction"}, nil, ""},
	} {
		log.Reset()
		p.judge(t.Context(), n, "node", step.memory)
		if step.want == nil {
			assert.Nil(t, n.refusal, "%+v", step.memory)
		} else {
			assert.Equal(t, step.want, n.refusal, "%+v", step.memory)
		}
		if step.logged == "" {
			assert.Empty(t, log.String(), "%+v", step.memory)
			continue
		}
		assert.Equal(t, 1, strings.Count(log.String(), "\n"), "one line")
		assert.Contains(t, log.String(), step.logged)
	}
}
