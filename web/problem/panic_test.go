package problem

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPanicBecomesAnErrorWithItsStack(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	_, err := Recovered(func() (int, error) { panic(cause) })
	var p *PanicError
	require.ErrorAs(t, err, &p)
	require.ErrorIs(t, err, cause)
	assert.Contains(t, err.Error(), "panic: cause, at panic_test.go:")
	assert.Contains(t, err.Error(), "TestPanicBecomesAnErrorWithItsStack", "the stack")

	n, err := Recovered(func() (int, error) { return 3, cause })
	assert.Equal(t, 3, n)
	require.ErrorIs(t, err, cause)
}
