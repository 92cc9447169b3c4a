package server

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConnectionsAreDividedSoThatAuditsHaveTwo(t *testing.T) {
	t.Parallel()
	for n := leastConnections; n <= mostConnections; n++ {
		d := divide(n)
		require.Equal(t, n, d.work+d.webhooks+d.buyerWriters+d.buyerReaders+d.operators)
		require.GreaterOrEqual(t, min(d.work, d.operators), 2, "of %d connections", n)
		require.GreaterOrEqual(t, min(d.webhooks, d.buyerWriters, d.buyerReaders), 1, "of %d connections", n)
	}
}
