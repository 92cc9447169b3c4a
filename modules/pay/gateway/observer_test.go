package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/modules/pay/counts"
	"onrush/modules/pay/gateway"
)

// slow is a gateway whose calls take a second and return an error.
type slow struct {
	pay.Gateway

	clock  *time.Time
	err    error
	closed bool
}

func (s *slow) Channel() string { return "acme" }

func (s *slow) call() error {
	*s.clock = s.clock.Add(time.Second)
	return s.err
}

func (s *slow) Begin(context.Context, *pay.Payment) (pay.Next, error) { return pay.Next{}, s.call() }

func (s *slow) Query(context.Context, *pay.Payment) (pay.Found, error) { return pay.Found{}, s.call() }
func (s *slow) Close(context.Context, *pay.Payment) error              { return s.call() }
func (s *slow) Refund(context.Context, *pay.Refund) error              { return s.call() }
func (s *slow) CloseIdleConnections()                                  { s.closed = true }

// expiring is a gateway that says when its payments expire.
type expiring struct{ *slow }

func (expiring) ShortestTime() time.Duration { return time.Second }

func TestTheCallsOfAGatewayAreMeasuredByWhetherItAnswered(t *testing.T) {
	t.Parallel()
	clock := time.UnixMilli(0)
	o := gateway.NewObserver(func() time.Time { return clock })
	below := &slow{clock: &clock}
	g := o.Observe(below)
	var want []string
	for answered, err := range map[string]error{
		"no": fmt.Errorf("acme: %w", pay.ErrUnavailable), "resting": fmt.Errorf("acme: %w", pay.ErrResting),
		"yes": errors.New("refused"),
	} {
		below.err = err
		_, beginErr := g.Begin(t.Context(), nil)
		_, queryErr := g.Query(t.Context(), nil)
		require.ErrorIs(t, errors.Join(beginErr, queryErr, g.Close(t.Context(), nil), g.Refund(t.Context(), nil)), err)
		for _, operation := range []string{"begin", "close", "query", "refund"} {
			labels := fmt.Sprintf(`answered="%s",channel="acme",operation="%s"`, answered, operation)
			want = append(want, fmt.Sprintf("onrush_gateway_call_duration_seconds_sum{%s} 1\n", labels),
				fmt.Sprintf("onrush_gateway_call_duration_seconds_count{%s} 1\n", labels))
		}
	}
	require.Equal(t, len(want)/2, testutil.CollectAndCount(o.Metrics()[0]))
	text, err := testutil.CollectAndFormat(o.Metrics()[0], expfmt.TypeTextPlain, "onrush_gateway_call_duration_seconds")
	require.NoError(t, err)
	for _, line := range want {
		assert.Contains(t, string(text), line)
	}
	g.(interface{ CloseIdleConnections() }).CloseIdleConnections()
	assert.True(t, below.closed)
	assert.Equal(t, "acme", g.Channel())
	_, expires := counts.As[pay.ExpiringGateway](g)
	assert.False(t, expires)
	_, expires = counts.As[pay.ExpiringGateway](o.Observe(expiring{below}))
	assert.True(t, expires, "what a gateway can do is seen through the measure")
}
