package seckill

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"onrush/modules/ids"
	"onrush/modules/order"
	"onrush/modules/sign"
)

func TestPathsAndTasksOfAnyIDsOpen(t *testing.T) {
	t.Parallel()
	id := rapid.StringMatching(`[A-Za-z0-9._:-]{1,64}`).Filter(ids.Valid)
	rapid.Check(t, func(t *rapid.T) {
		p := path{
			activity: id.Draw(t, "activity"), sku: id.Draw(t, "sku"),
			expiresMS: rapid.Int64Range(0, 1<<60).Draw(t, "expiry"), early: rapid.Bool().Draw(t, "early"),
			reserved: rapid.Bool().Draw(t, "reserved"),
			limitKey: rapid.StringMatching(`([A-Za-z0-9_-]{22})?`).Draw(t, "limit key"),
		}
		opened, err := testSigner.openPath("ada", testSigner.sealPath("ada", p))
		require.NoError(t, err)
		assert.Equal(t, p, opened)

		task := newTaskID(rapid.IntRange(1, order.MaxLane).Draw(t, "lane"), p.activity, "ada", p.sku, "key")
		sealed := testSigner.sealTask("ada", task.String())
		assert.LessOrEqual(t, len(sealed), maxTaskID)
		read, err := testSigner.openTask("ada", sealed)
		require.NoError(t, err)
		assert.Equal(t, task, read)
		assert.Equal(t, task.Hash, order.TaskHash(task.String()))
	})
}

// Redis and SQL keep these values, so they must not change.
func TestTasksHaveTheHashesOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "OU8UP_2oyP8hkE_lO1CiLQ", newTaskID(3, "a1", "ada", "lamp", "key").Hash)
}

func TestPathOpensForItsUserOnly(t *testing.T) {
	t.Parallel()
	s := newSigner(sign.Secrets{"a secret of the sale, long enough"})
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
	s := newSigner(sign.Secrets{"a secret of the sale, long enough"})
	task := newTaskID(3, "a1", "ada", "lamp", "key")
	opened, err := s.openTask("ada", s.sealTask("ada", task.String()))
	require.NoError(t, err)
	assert.Equal(t, task, opened)
	_, err = s.openTask("eve", s.sealTask("ada", task.String()))
	require.Error(t, err)
}
