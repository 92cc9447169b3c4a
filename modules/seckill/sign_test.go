package seckill

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Redis and SQL keep these values, so they must not change.
func TestTasksHaveTheHashesOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "OU8UP_2oyP8hkE_lO1CiLQ", newTaskID(3, "a1", "ada", "lamp", "key").Hash)
}

func TestPathOpensForItsUserOnly(t *testing.T) {
	t.Parallel()
	s := newSigner([]byte("a secret of the sale, long enough"), nil)
	p := path{activity: "a1", sku: "lamp", expiresMS: 1_767_323_045_678}
	sealed := s.sealPath("ada", p)
	opened, err := s.openPath("ada", sealed)
	require.NoError(t, err)
	assert.Equal(t, p, opened)
	for _, wrong := range []struct{ user, sealed string }{
		{"eve", sealed},
		{"ada", sealed[:len(sealed)-1]},
		{"ada", "_" + sealed[1:]},
		{"ada", ""},
		{"ada", sealed + sealed + sealed},
	} {
		_, err := s.openPath(wrong.user, wrong.sealed)
		require.Error(t, err, "%+v", wrong)
	}
	_, err = s.openTask("ada", sealed)
	require.Error(t, err)
}

func TestTaskOpensForItsUserOnly(t *testing.T) {
	t.Parallel()
	s := newSigner([]byte("a secret of the sale, long enough"), nil)
	task := newTaskID(3, "a1", "ada", "lamp", "key")
	opened, err := s.openTask("ada", s.sealTask("ada", task))
	require.NoError(t, err)
	assert.Equal(t, task, opened)
	_, err = s.openTask("eve", s.sealTask("ada", task))
	require.Error(t, err)
}
