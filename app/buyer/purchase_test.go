package buyer

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBuyersWhoComeTogetherHaveDifferentAddresses(t *testing.T) {
	t.Parallel()
	const buyers = 5000
	_, network, err := net.ParseCIDR("198.18.0.0/15")
	require.NoError(t, err)
	for _, first := range []int{0, 26 * buyers, 1_000_000 * buyers} {
		seen := map[string]bool{}
		for n := range buyers {
			ip := AddressOf(first + n).(*net.TCPAddr).IP
			require.True(t, network.Contains(ip), ip)
			seen[ip.String()] = true
		}
		assert.Len(t, seen, buyers)
	}
}

func TestGoodsArePickedByTheirUnits(t *testing.T) {
	t.Parallel()
	all := []Goods{{SKU: "a", Units: 3}, {SKU: "b", Units: 1}, {SKU: "none", Units: 0}}
	picked := map[string]int{}
	for n := range uint64(50) {
		picked[all[Pick(all, n)].SKU]++
	}
	assert.Equal(t, map[string]int{"a": 30, "b": 10, "none": 10}, picked)
}
