package panics

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPanicBecomesAnErrorWithItsStack(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	err := Recovered(func() error { panic(cause) })
	var p *Error
	require.ErrorAs(t, err, &p)
	require.ErrorIs(t, err, cause)
	assert.Contains(t, err.Error(), "panic: cause, at panics_test.go:")
	assert.Contains(t, err.Error(), "TestPanicBecomesAnErrorWithItsStack", "the stack")

	require.ErrorIs(t, Recovered(func() error { return cause }), cause)
	require.NoError(t, Recovered(func() error { return nil }))
}

func TestPanicOfAFunctionWithAResultBecomesAnError(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	_, err := RecoveredValue(func() (int, error) { panic(cause) })
	var p *Error
	require.ErrorAs(t, err, &p)
	assert.Contains(t, p.At, "panics_test.go:")

	n, err := RecoveredValue(func() (int, error) { return 3, cause })
	assert.Equal(t, 3, n)
	require.ErrorIs(t, err, cause)
}
