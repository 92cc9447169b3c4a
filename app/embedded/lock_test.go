//go:build unix

package embedded_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/app/embedded"
)

func TestSecondProgramCannotUseTheDataFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unlock, err := embedded.Lock(dir)
	require.NoError(t, err)
	_, err = embedded.Lock(dir)
	require.ErrorContains(t, err, "another program")
	unlock()
	unlock, err = embedded.Lock(dir)
	require.NoError(t, err)
	unlock()
}
