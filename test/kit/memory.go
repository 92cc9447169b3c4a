package kit

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// UsedMemory returns the memory that Redis uses, in bytes.
func UsedMemory(t testing.TB, rdb redis.UniversalClient) int64 {
	t.Helper()
	info, err := rdb.Info(context.WithoutCancel(t.Context()), "memory").Result()
	require.NoError(t, err)
	_, rest, found := strings.Cut(info, "used_memory:")
	require.True(t, found)
	value, _, _ := strings.Cut(rest, "\r")
	used, err := strconv.ParseInt(value, 10, 64)
	require.NoError(t, err)
	return used
}
