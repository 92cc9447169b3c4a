package server

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSalesThatWouldBeLetGoBeforeTheirEndAreRefused(t *testing.T) {
	t.Parallel()
	embedded := Config{RetireAfter: time.Hour}
	outside := Config{
		RetireAfter: time.Hour, RedisURL: "redis://", MySQLDSN: "dsn",
		JWTSecret: "0123456789abcdef0123456789abcdef", PathSecret: "0123456789abcdef0123456789abcdef",
	}
	for _, c := range []Config{embedded, outside} {
		require.NoError(t, c.Check())
		c.RetireAfter = 0
		require.NoError(t, c.Check(), "the default")
		c.RetireAfter = -time.Second
		assert.ErrorContains(t, c.Check(), "ONRUSH_RETIRE_AFTER")
	}
}
