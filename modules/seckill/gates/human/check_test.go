package human

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
	"onrush/test/kit"
)

func TestChecksAskWhatTheActivityAsksFor(t *testing.T) {
	t.Parallel()
	p := newPow(t, PowConfig{}, &nonceSet{}, kit.NewClock(start))
	checks := Checks{ProofOfWork: p}
	ctx := t.Context()

	require.NoError(t, checks.Verify(ctx, None, alice, ""))
	require.NoError(t, checks.Verify(ctx, None, alice, "anything"), "clients may always solve")
	assert.Equal(t, CodeRequired, problem.CodeOf(checks.Verify(ctx, ProofOfWork, alice, "")))
	assert.Equal(t, CodeFailed, problem.CodeOf(checks.Verify(ctx, ProofOfWork, alice, "x")))
	require.NoError(t, checks.Verify(ctx, ProofOfWork, alice, answer(t, p, alice)))
	for _, kind := range []Kind{Captcha, "unknown"} {
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(checks.Verify(ctx, kind, alice, "x")), kind)
		_, err := checks.Challenge(ctx, kind, alice)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err), kind)
		assert.False(t, checks.Offers(kind), kind)
	}
	require.NoError(t, checks.Verify(ctx, "", alice, ""), "an activity of an older version")
	assert.True(t, checks.Offers(None))
	assert.True(t, checks.Offers(ProofOfWork))
	c, err := checks.Challenge(ctx, None, alice)
	require.NoError(t, err)
	assert.Equal(t, Challenge{Kind: None}, c)
}
