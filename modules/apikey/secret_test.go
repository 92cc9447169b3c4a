package apikey

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestKeyHas160RandomBitsAndAChecksum(t *testing.T) {
	t.Parallel()
	secret, err := newSecret(bytes.NewReader([]byte("20 bytes, not random")))
	require.NoError(t, err)
	assert.Equal(t, "onrush_giycaytzorsxglbanzxxiidsmfxgi33njilqedq", secret) // the form never changes
	other, err := newSecret(rand.Reader)
	require.NoError(t, err)
	assert.Regexp(t, `^onrush_[a-z2-7]{39}$`, other)
	_, err = newSecret(strings.NewReader("too short"))
	require.Error(t, err)
}

func TestEveryMistypedCharacterIsFound(t *testing.T) {
	t.Parallel()
	secret, err := newSecret(rand.Reader)
	require.NoError(t, err)
	require.True(t, isWhole(secret))
	for i := range secret {
		for _, c := range []byte("abz27_A \x00") {
			if wrong := secret[:i] + string(c) + secret[i+1:]; wrong != secret {
				assert.False(t, isWhole(wrong), wrong)
			}
		}
		assert.False(t, isWhole(secret[:i]))
	}
	assert.False(t, isWhole(secret+"a"))
}
