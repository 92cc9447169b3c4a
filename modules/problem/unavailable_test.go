package problem_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
)

func TestOrUnavailableKeepsProblems(t *testing.T) {
	t.Parallel()
	const detail = "It can't be reached right now."
	conflict, away := problem.Errorf(problem.CodeConflict, "It is taken."), errors.New("away")
	require.NoError(t, problem.OrUnavailable(nil, detail))
	assert.Equal(t, error(conflict), problem.OrUnavailable(conflict, detail))
	err := problem.OrUnavailable(away, detail)
	assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
	assert.ErrorIs(t, err, away)
}
