package seckill

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/lua"
)

func TestStateOfANodeIsLoggedWhenItsMemoryOrPolicyChanges(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	p := newPressure(nil, time.Now, slog.New(slog.NewTextHandler(&log, nil)))
	n := p.node("node")
	for _, step := range []struct {
		memory lua.Memory
		want   any
		logged string
	}{
		{lua.Memory{}, nil, ""}, // a node that doesn't say
		{lua.Memory{Used: 500, Policy: "noeviction"}, nil, ""},
		{lua.Memory{Used: 899, Max: 1000, Policy: "noeviction"}, nil, ""},
		{lua.Memory{Used: 900, Max: 1000, Policy: "noeviction"}, errOverloaded, "level=WARN"},
		{lua.Memory{Used: 950, Max: 1000, Policy: "noeviction"}, errOverloaded, ""},
		{lua.Memory{Used: 10, Max: 1000, Policy: "allkeys-lru"}, errEvicts, "level=ERROR"},
		{lua.Memory{Used: 10, Max: 1000, Policy: "allkeys-lru"}, errEvicts, ""},
		{lua.Memory{Used: 10, Max: 1000, Policy: "noeviction"}, nil, "level=INFO"},
		{lua.Memory{Used: 10, Max: 1000, Policy: "noeviction"}, nil, ""},
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
