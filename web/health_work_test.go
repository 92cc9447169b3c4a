package web_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/web"
)

func TestWorkThatStandsStillDegradesAndIsNamed(t *testing.T) {
	t.Parallel()
	fine := func(context.Context) error { return nil }
	for _, c := range []struct {
		stands error
		want   web.Ready
	}{
		{nil, web.Ready{Status: "ok", Unavailable: []string{}}},
		{errors.New("lanes 2, 3"), web.Ready{Status: "degraded", Unavailable: []string{"queue: lanes 2, 3"}}},
		{context.DeadlineExceeded, web.Ready{Status: "ok", Unavailable: []string{}}},
	} {
		h := web.NewHealth(t.Context(), map[string]web.Check{"redis": fine, "sql": fine})
		h.Watch("queue", func(context.Context) error { return c.stands })
		assert.Equal(t, c.want, h.Ready())
	}
}
