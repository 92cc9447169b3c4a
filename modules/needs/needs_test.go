package needs

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
)

type fleet []Build

func (f fleet) Builds(context.Context) ([]Build, error) {
	if f == nil {
		return nil, errors.New("away")
	}
	return f, nil
}

func TestASetOnlyGrows(t *testing.T) {
	t.Parallel()
	assert.Equal(t, Set(""), Set("").With())
	s := Set("").With("waves", "draw", "waves")
	assert.Equal(t, Set("draw waves"), s)
	assert.Equal(t, s, s.With())
	assert.True(t, s.Has("draw"))
	assert.False(t, s.Has("wave"))
	assert.LessOrEqual(t, len(Set("").With(Abilities()...)), 200, "the column")
}

func TestAnInstanceThatLacksAnAbilityIsNamed(t *testing.T) {
	t.Parallel()
	able, old := Build{"web-1", "1.1", []string{"draw", "waves"}}, Build{Instance: "web-2", Version: "1.0"}
	require.NoError(t, Check(t.Context(), fleet{able}, "waves"))
	require.NoError(t, Check(t.Context(), nil, ""), "nobody is asked")
	err := Check(t.Context(), fleet{able, old}, "waves")
	assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
	require.ErrorContains(t, err, "The instance web-2 of version 1.0 can't sell with waves. Stop or upgrade it")
	require.Error(t, Check(t.Context(), fleet{able}, "waves zero"))
	require.ErrorContains(t, Check(t.Context(), fleet(nil), "waves"), "away")
}

// A build that knows only the version in SQL is behind every version of a sale that needs an ability.
func TestTheVersionInRedisIsBeyondOlderBuilds(t *testing.T) {
	t.Parallel()
	assert.EqualValues(t, 7, Set("").Version(7))
	assert.Greater(t, Set("waves").Version(0), Set("").Version(1e9))
	assert.Less(t, Set("waves").Version(7), Set("waves").Version(8))
	assert.EqualValues(t, 7, InSQL(Set("waves").Version(7)))
	assert.EqualValues(t, 7, InSQL(7))

	// So is a build that has needs, but no reserved units.
	assert.Less(t, Set("waves").Version(1e9), Set("reserved waves").Version(0))
	assert.EqualValues(t, 7, InSQL(Set("reserved").Version(7)))
}
