//go:build large

package pay

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

// roundsEnv is the variable that sets how many random sequences run on each store. It was run with 10,000 on SQLite.
const roundsEnv = "ONRUSH_TEST_REFUND_ROUNDS"

func TestNoLongSequenceOfPaymentsCancelsAndPartialRefundsPaysBackMoreThanCame(t *testing.T) {
	t.Parallel()
	rounds := 300
	if text := os.Getenv(roundsEnv); text != "" {
		var err error
		rounds, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	kit.Each(t, func(t *testing.T, stores *kit.Stores) { runSequences(t, stores, rounds) })
}
