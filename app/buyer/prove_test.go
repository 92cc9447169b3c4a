package buyer

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/seckill/gates/human"
)

func TestAProofOfWorkIsSolvedOrGivenUp(t *testing.T) {
	t.Parallel()
	digestOf := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
	c := human.Challenge{Algorithm: "SHA-256", Salt: "salt", MaxNumber: 100, Challenge: digestOf("salt101")}
	_, ok := solve(t.Context(), c)
	assert.False(t, ok, "no number fits")
	c.Challenge = "x"
	_, ok = solve(t.Context(), c)
	assert.False(t, ok)

	c.Challenge = digestOf("salt42")
	text, ok := solve(t.Context(), c)
	require.True(t, ok)
	data, err := base64.StdEncoding.DecodeString(text)
	require.NoError(t, err)
	var answer map[string]any
	require.NoError(t, json.Unmarshal(data, &answer))
	assert.InDelta(t, 42, answer["number"], 0)
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, ok = solve(gone, c)
	assert.False(t, ok)
}
