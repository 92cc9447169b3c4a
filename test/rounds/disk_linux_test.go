package rounds

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNothingIsWrittenToAFullDiskUntilItIsFreed(t *testing.T) {
	t.Parallel()
	d, err := newDisk(t)
	if err != nil {
		t.Skip(err)
	}
	file := filepath.Join(d.dir, "file")
	data := make([]byte, 1<<20)
	require.NoError(t, os.WriteFile(file, data, 0o600))
	require.NoError(t, d.fill())
	require.ErrorIs(t, os.WriteFile(file+"2", data, 0o600), syscall.ENOSPC)
	read, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Len(t, read, len(data))
	require.NoError(t, d.free())
	assert.NoError(t, os.WriteFile(file+"2", data, 0o600))
}
