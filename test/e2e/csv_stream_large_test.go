//go:build large

package e2e

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// rowsEnv is the variable that sets how many orders the file of many has.
const rowsEnv = "ONRUSH_TEST_CSV_ROWS"

func TestAFileOfVeryManyOrdersTakesNoMoreMemory(t *testing.T) { //nolint:paralleltest // it reads the heap
	many := 200_000
	if text := os.Getenv(rowsEnv); text != "" {
		var err error
		many, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	compareHeaps(t, 20_000, many)
}
