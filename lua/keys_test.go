package lua

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAllKeysOfALaneLieOnOneNodeOfACluster(t *testing.T) {
	t.Parallel()
	k := Keys{Prefix: DefaultPrefix}
	for _, key := range []string{
		k.LockLog(12), k.Orders(12, "{ann}"), k.Dead(12), k.Seq(12), k.MoveLock(12), k.OrderLock(12, "7"),
		k.Meta(12, "act"), k.Stock(12, "act"), k.Paid(12, "act"), k.Bought(12, "act"), k.Held(12, "act"),
		k.Tasks(12, "act"), k.Changes(12, "act"), k.Answers(12, "act"), k.Rate(12, "act", 5),
		k.Permits(12, "act", "sku"), k.HumanNonce(12, "act", "0a"),
		k.LineEarly(12, "act"), k.LineLate(12, "act"),
	} {
		// A cluster hashes the text between the first { and the } after it.
		_, rest, _ := strings.Cut(key, "{")
		tag, _, closed := strings.Cut(rest, "}")
		assert.True(t, closed, key)
		assert.Equal(t, "12", tag, key)
	}
}
