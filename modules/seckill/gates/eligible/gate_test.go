package eligible_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/order/limitkey"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/eligible"
	"onrush/test/kit"
)

// While SQL is away, a sale is known by its copy in Redis, which may be from before its list was filled.
func TestBuyersOfAListAreAdmittedToAnOlderCopyOfItsSale(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		scripts := lua.New(s.Redis, s.Keys)
		gate := eligible.NewGate(s.DB, scripts, limitkey.Maker{}, time.Now)
		copied := &eligible.Sale{
			Eligible: eligible.Settings{List: true}, List: lua.BuyerList{Activity: "sale", Start: 2, Version: 2},
		}
		err := gate.Admit(t.Context(), copied, eligible.Buyer{User: "eve"})
		assert.Equal(t, eligible.CodeNotEligible, problem.CodeOf(err), "nobody is on the list")

		filled := copied.List
		filled.Version++
		expires := time.Now().Add(time.Hour).UnixMilli()
		require.NoError(t, scripts.BeginBuyers(t.Context(), filled, expires))
		added, err := scripts.AddBuyers(t.Context(), filled, expires, []string{"ada"})
		require.NoError(t, err)
		require.True(t, added)
		require.NoError(t, gate.Admit(t.Context(), copied, eligible.Buyer{User: "ada"}))
		err = gate.Admit(t.Context(), copied, eligible.Buyer{User: "eve"})
		assert.Equal(t, eligible.CodeNotEligible, problem.CodeOf(err))
	})
}
