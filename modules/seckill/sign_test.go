package seckill

import (
	"crypto/hmac"
	"crypto/sha256"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
)

func TestSignaturesAreHMACsOfTheirPartsWithLengths(t *testing.T) {
	t.Parallel()
	plain := hmac.New(sha256.New, []byte("secret"))
	plain.Write([]byte("\x00\x00\x00\x00\x00\x00\x00\x01a\x00\x00\x00\x00\x00\x00\x00\x02bc"))
	k := newKey([]byte("secret"))
	sum := k.mac("a", "bc")
	assert.Equal(t, plain.Sum(nil)[:macBytes], sum[:])
	assert.Equal(t, sum, k.mac("a", "bc"), "a state that is used again")
	assert.NotEqual(t, sum, k.mac("ab", "c"))
	assert.NotEqual(t, sum, newKey([]byte("other")).mac("a", "bc"))
	assert.NotEqual(t, order.Digest(12, "a", "bc"), order.Digest(12, "ab", "c"))
}

// Redis and SQL keep these values, so they must not change.
func TestTasksHaveTheHashesOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "OU8UP_2oyP8hkE_lO1CiLQ", newTaskID(3, "a1", "ada", "lamp", "key").hash)
	assert.Equal(t, "P6-hzy8Zp8ESm-sg", order.Digest(12, "a", "bc"))
}

func TestManySignAtOnceWithOneKey(t *testing.T) {
	t.Parallel()
	k := newKey([]byte("secret"))
	want := map[string][macBytes]byte{"ada": k.mac("ada"), "a much longer name": k.mac("a much longer name")}
	var signers sync.WaitGroup
	for name, sum := range want {
		for range 8 {
			signers.Go(func() {
				for range 200 {
					if !assert.Equal(t, sum, k.mac(name)) {
						return
					}
				}
			})
		}
	}
	signers.Wait()
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
