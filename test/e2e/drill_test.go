package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/drill"
	"onrush/app/drill/wire"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web"
)

// A drill of few visitors does not exercise everything, but nothing may be broken, and most must be compared.
func TestADrillFindsNothingBroken(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		r := drills(t, stores, drill.Flood, 120)
		require.Len(t, r.Checks, 8)
		assert.Equal(t, r.Visitors, r.Arrived)
		assert.Greater(t, r.Orders, 20)
	})
}

// drills returns the report of a drill of some buyers, in which nothing is broken.
func drills(t *testing.T, stores *kit.Stores, scenario drill.Scenario, buyers int) *drill.Report {
	t.Helper()
	s := site.Start(t, stores, site.Reachable(), limited("on", "", ""))
	tokens, err := wire.NewSigned(t.Context(), web.AuthConfig{Secret: site.JWTSecret})
	require.NoError(t, err)
	operator, err := tokens.Operator()
	require.NoError(t, err)
	r, err := drill.Run(t.Context(), drill.Config{
		URLs: []string{s.URL}, Token: operator, Tokens: tokens, Scenario: scenario, Buyers: buyers,
		Over: time.Second, PayWithin: 3 * time.Second, Settle: time.Minute, Seed: 1,
	})
	require.NoError(t, err)
	for _, c := range r.Checks {
		assert.NotEqual(t, drill.Broken, c.Verdict, "%s %v", c, c.Problems)
		assert.Positive(t, c.Checked, c.Name)
	}
	return r
}
