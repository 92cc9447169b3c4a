package sign

import (
	"crypto/hmac"
	"crypto/sha256"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSignaturesAreHMACsOfTheirPartsWithLengths(t *testing.T) {
	t.Parallel()
	plain := hmac.New(sha256.New, []byte("secret"))
	plain.Write([]byte("\x00\x00\x00\x00\x00\x00\x00\x01a\x00\x00\x00\x00\x00\x00\x00\x02bc"))
	k := newKey([]byte("secret"))
	sum := k.sign("a", "bc")
	assert.Equal(t, plain.Sum(nil)[:Size], sum[:])
	assert.Equal(t, sum, k.sign("a", "bc"), "a state that is used again")
	assert.NotEqual(t, sum, k.sign("ab", "c"))
	assert.NotEqual(t, sum, newKey([]byte("other")).sign("a", "bc"))
}

func TestKeysOfAPurposeAcceptOnlyTheirOwnSignatures(t *testing.T) {
	t.Parallel()
	only := func(purpose, secret string) Keys { return NewKeys(purpose, Secrets{secret}) }
	keys := NewKeys("path", Secrets{"secret", "next", "previous"})
	for name, tc := range map[string]struct {
		by       Keys
		accepted bool
	}{
		"their own":              {only("path", "secret"), true},
		"of the next secret":     {only("path", "next"), true},
		"of the previous secret": {only("path", "previous"), true},
		"of another secret":      {only("path", "other"), false},
		"of no secret":           {only("path", ""), false},
		"of another purpose":     {only("task", "secret"), false},
		"of the secret itself":   {Keys{newKey([]byte("secret"))}, false},
	} {
		sum := tc.by.Sign("a", "bc")
		assert.Equal(t, tc.accepted, keys.Accepts(sum[:], "a", "bc"), name)
		assert.False(t, keys.Accepts(sum[:], "ab", "c"), name)
		assert.False(t, keys.Accepts(sum[:Size-1], "a", "bc"), name)
	}
	assert.Equal(t, only("path", "secret").Sign("a"), keys.Sign("a"), "the present secret signs")
}

func TestManySignAtOnceWithOneKey(t *testing.T) {
	t.Parallel()
	k := newKey([]byte("secret"))
	want := map[string][Size]byte{"ada": k.sign("ada"), "a much longer name": k.sign("a much longer name")}
	var signers sync.WaitGroup
	for name, sum := range want {
		for range 8 {
			signers.Go(func() {
				for range 200 {
					if !assert.Equal(t, sum, k.sign(name)) {
						return
					}
				}
			})
		}
	}
	signers.Wait()
}

func TestASignedTextHasOneForm(t *testing.T) {
	t.Parallel()
	decoded, err := Decode("aGk")
	require.NoError(t, err)
	assert.Equal(t, "hi", string(decoded))
	for _, other := range []string{"aG\nk", "aGk\r", "aGl", "aGk="} {
		_, err := Decode(other)
		require.Error(t, err, "%q", other)
	}
}
