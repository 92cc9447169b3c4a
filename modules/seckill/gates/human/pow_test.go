package human

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/problem"
	"onrush/modules/sign"
	"onrush/test/kit"
)

func hashText(salt string, number int64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s%d", salt, number))
	return hex.EncodeToString(sum[:])
}

func TestChallengeHasTheFormOfALTCHA(t *testing.T) {
	t.Parallel()
	p := newPow(t, PowConfig{Difficulty: 2_000}, &nonceSet{}, kit.NewClock(start))
	c := challenge(t, p, alice)
	assert.Equal(t, ProofOfWork, c.Kind)
	assert.Equal(t, "SHA-256", c.Algorithm)
	assert.EqualValues(t, 4_000, c.MaxNumber, "half of the numbers are tried on average")
	expires := start.Add(2 * time.Minute).Truncate(time.Second)
	assert.Regexp(t, fmt.Sprintf(`^[0-9a-f]{16}\?expires=%d&n=4000&$`, expires.Unix()), c.Salt)
	assert.Equal(t, expires, c.ExpiresAt.Time())
	assert.LessOrEqual(t, len(c.Salt)+8, 55, "salt and number are one block of SHA-256")
	assert.Regexp(t, `^[0-9a-f]{64}$`, c.Challenge)
	assert.Regexp(t, `^[0-9a-f]{32}$`, c.Signature)
	again := challenge(t, p, alice)
	assert.NotEqual(t, c.Salt, again.Salt)
	assert.NotEqual(t, c.Challenge, again.Challenge)
}

func TestAnswerIsAcceptedOnceOverAllInstances(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		clock := kit.NewClock(time.Now())
		pows := []*Pow{
			newPow(t, PowConfig{}, lua.New(s.Redis, s.Keys), clock),
			newPow(t, PowConfig{}, lua.New(s.ConnectRedis(t), s.Keys), clock),
		}
		text := answer(t, pows[0], alice)
		var accepted atomic.Int64
		done := make(chan error, 40)
		for i := range cap(done) {
			go func() {
				err := pows[i%2].Verify(t.Context(), alice, text)
				if err == nil {
					accepted.Add(1)
				}
				done <- err
			}()
		}
		for range cap(done) {
			if err := <-done; err != nil {
				assert.Equal(t, CodeFailed, problem.CodeOf(err))
			}
		}
		assert.EqualValues(t, 1, accepted.Load())
		require.NoError(t, pows[1].Verify(t.Context(), alice, answer(t, pows[1], alice)), "the next challenge")
		keys, err := s.Redis.Keys(t.Context(), s.Keys.HumanNonce(alice.Lane, alice.Activity, "*")).Result()
		require.NoError(t, err)
		require.Len(t, keys, 2)
		ttl, err := s.Redis.PTTL(t.Context(), keys[0]).Result()
		require.NoError(t, err)
		assert.Positive(t, ttl, "the store forgets what has expired")
		assert.LessOrEqual(t, ttl, 2*time.Minute+clockMargin)
	})
}

func TestWrongAnswerIsRefusedWithoutAStore(t *testing.T) {
	t.Parallel()
	nonces := &nonceSet{}
	p := newPow(t, PowConfig{}, nonces, kit.NewClock(start))
	c := challenge(t, p, alice)
	number := solve(t, c)
	set := func(name string, value any) string {
		return encode(c, number, func(m map[string]any) { m[name] = value })
	}
	later := strings.Replace(c.Salt, "?expires=1", "?expires=2", 1)
	moved := strings.TrimSuffix(c.Salt, "&") + "1&"
	unpriced, _, _ := strings.Cut(c.Salt, "&n=")
	other := challenge(t, p, alice)
	stolen := c
	stolen.Signature = other.Signature
	for name, tc := range map[string]struct {
		by   Subject
		text string
	}{
		"not base64":                {alice, "!!!"},
		"not JSON":                  {alice, base64.StdEncoding.EncodeToString([]byte("{"))},
		"a list":                    {alice, base64.StdEncoding.EncodeToString([]byte("[]"))},
		"no members":                {alice, base64.StdEncoding.EncodeToString([]byte("{}"))},
		"too long":                  {alice, set("padding", strings.Repeat("a", 2000))},
		"another algorithm":         {alice, set("algorithm", "SHA-1")},
		"a number below 0":          {alice, set("number", -1)},
		"a fraction":                {alice, set("number", 1.5)},
		"a huge number":             {alice, set("number", 1e300)},
		"a wrong number":            {alice, set("number", number+1)},
		"a longer life":             {alice, set("salt", later)},
		"a higher price":            {alice, set("salt", moved)},
		"no price":                  {alice, set("salt", unpriced+"&")},
		"no expiry":                 {alice, set("salt", "0123456789")},
		"an expiry that is no time": {alice, set("salt", "00?expires=soon&n=1&")},
		"a huge salt":               {alice, set("salt", strings.Repeat("0", 200)+"?expires=1900000000&n=1&")},
		"a forged signature":        {alice, set("signature", strings.Repeat("0", 32))},
		"a short signature":         {alice, set("signature", "00")},
		"another's signature":       {alice, encode(stolen, number, nil)},
		"an easier challenge":       {alice, set("challenge", hashText(c.Salt, 0))},
		"a short challenge":         {alice, set("challenge", "00")},
		"another user":              {Subject{Lane: 3, Activity: "sale", User: "bob"}, encode(c, number, nil)},
		"another activity":          {Subject{Lane: 3, Activity: "sale2", User: "alice"}, encode(c, number, nil)},
		"parts moved":               {Subject{Lane: 3, Activity: "salea", User: "lice"}, encode(c, number, nil)},
	} {
		assert.Equal(t, CodeFailed, problem.CodeOf(p.Verify(t.Context(), tc.by, tc.text)), name)
	}
	assert.Zero(t, nonces.calls)
	require.NoError(t, p.Verify(t.Context(), alice, encode(c, number, nil)), "the right answer is still good")
	assert.Equal(t, 1, nonces.calls)
}

func TestAnswerExpires(t *testing.T) {
	t.Parallel()
	nonces, clock := &nonceSet{}, kit.NewClock(start)
	p := newPow(t, PowConfig{ValidFor: time.Minute}, nonces, clock)
	early, late := answer(t, p, alice), answer(t, p, alice)
	clock.Set(start.Add(time.Minute).Truncate(time.Second).Add(-time.Millisecond))
	require.NoError(t, p.Verify(t.Context(), alice, early))
	clock.Advance(time.Millisecond)
	assert.Equal(t, CodeFailed, problem.CodeOf(p.Verify(t.Context(), alice, late)))
	assert.Equal(t, 1, nonces.calls)
}

func TestOtherTextOfAUsedAnswerIsUsed(t *testing.T) {
	t.Parallel()
	p := newPow(t, PowConfig{}, &nonceSet{}, kit.NewClock(start))
	c := challenge(t, p, alice)
	number := solve(t, c)
	require.NoError(t, p.Verify(t.Context(), alice, encode(c, number, nil)))
	upper := encode(c, number, func(m map[string]any) { m["signature"] = strings.ToUpper(c.Signature) })
	for _, text := range []string{upper, encode(c, number, func(m map[string]any) { m["took"] = 1 })} {
		assert.Equal(t, CodeFailed, problem.CodeOf(p.Verify(t.Context(), alice, text)))
	}
}

func TestPreviousSecretIsAccepted(t *testing.T) {
	t.Parallel()
	clock, nonces := kit.NewClock(start), &nonceSet{}
	old := newPow(t, PowConfig{}, nonces, clock)
	other := strings.Repeat("n", 32)
	rotated := newPow(t, PowConfig{Secrets: sign.Secrets{other, secret}}, nonces, clock)
	require.NoError(t, rotated.Verify(t.Context(), alice, answer(t, old, alice)))
	require.NoError(t, rotated.Verify(t.Context(), alice, answer(t, rotated, alice)))
	assert.Equal(t, CodeFailed, problem.CodeOf(old.Verify(t.Context(), alice, answer(t, rotated, alice))))
}

func TestAnswerIsNotAcceptedWhileTheStoreIsUnavailable(t *testing.T) {
	t.Parallel()
	nonces := &nonceSet{err: errors.New("no connection")}
	p := newPow(t, PowConfig{}, nonces, kit.NewClock(start))
	err := p.Verify(t.Context(), alice, answer(t, p, alice))
	assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
	require.ErrorIs(t, err, nonces.err)
}

func TestPowConfigIsChecked(t *testing.T) {
	t.Parallel()
	for _, cfg := range []PowConfig{
		{Secrets: sign.Secrets{"short"}},
		{Secrets: sign.Secrets{secret}, Difficulty: minDifficulty - 1},
		{Secrets: sign.Secrets{secret}, Difficulty: maxDifficulty + 1},
		{Secrets: sign.Secrets{secret}, ValidFor: time.Millisecond},
		{Secrets: sign.Secrets{secret}, CalmRate: -1},
	} {
		_, err := NewPow(cfg, &nonceSet{}, time.Now, nil)
		require.Error(t, err, "%+v", cfg)
	}
}

func BenchmarkVerify(b *testing.B) {
	clock := kit.NewClock(start)
	p := newPow(b, PowConfig{}, &nonceSet{}, clock)
	c := challenge(b, p, alice)
	right := solve(b, c)
	b.Run("accepted", func(b *testing.B) {
		text := encode(c, right, nil)
		accepting := newPow(b, PowConfig{}, always{}, clock)
		b.ReportAllocs()
		for b.Loop() {
			if err := accepting.Verify(b.Context(), alice, text); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("forged", func(b *testing.B) {
		text := encode(c, right, func(m map[string]any) { m["signature"] = strings.Repeat("0", 32) })
		b.ReportAllocs()
		for b.Loop() {
			if p.Verify(b.Context(), alice, text) == nil {
				b.Fatal("accepted")
			}
		}
	})
}

func BenchmarkChallenge(b *testing.B) {
	p := newPow(b, PowConfig{}, &nonceSet{}, kit.NewClock(start))
	b.ReportAllocs()
	for b.Loop() {
		challenge(b, p, alice)
	}
}

// BenchmarkSolve is what a robot pays for one path.
func BenchmarkSolve(b *testing.B) {
	p := newPow(b, PowConfig{Difficulty: 50_000}, &nonceSet{}, kit.NewClock(start))
	hashes := int64(0)
	for b.Loop() {
		b.StopTimer()
		c := challenge(b, newPow(b, p.cfg, &nonceSet{}, kit.NewClock(start)), alice)
		b.StartTimer()
		wanted, _ := hex.DecodeString(c.Challenge)
		for n := range c.MaxNumber + 1 {
			if sum := hashOf(c.Salt, n); string(sum[:]) == string(wanted) {
				hashes += n + 1
				break
			}
		}
	}
	b.ReportMetric(float64(hashes)/float64(b.N), "hashes/op")
}
