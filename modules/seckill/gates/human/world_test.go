package human

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/sign"
	"onrush/test/kit"
)

// start is a time that is not on a whole second.
var start = time.Date(2026, 11, 11, 12, 0, 0, 345e6, time.UTC)

var (
	secret = strings.Repeat("s", 32)
	alice  = Subject{Lane: 3, Activity: "sale", User: "alice"}
)

// nonceSet is a store of nonces that counts its calls.
type nonceSet struct {
	mu    sync.Mutex
	used  map[string]bool
	calls int
	err   error
}

func (n *nonceSet) UseNonce(_ context.Context, _ int, activity, nonce string, _ time.Duration) (bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls++
	if n.err != nil {
		return false, n.err
	}
	if n.used == nil {
		n.used = map[string]bool{}
	}
	used := n.used[activity+nonce]
	n.used[activity+nonce] = true
	return !used, nil
}

func newPow(t testing.TB, cfg PowConfig, nonces Nonces, clock *kit.Clock) *Pow {
	t.Helper()
	if cfg.Secrets == nil {
		cfg.Secrets = sign.Secrets{secret}
	}
	if cfg.Difficulty == 0 {
		cfg.Difficulty = minDifficulty
	}
	p, err := NewPow(cfg, nonces, clock.Now, rand.Reader)
	require.NoError(t, err)
	return p
}

func challenge(t testing.TB, p *Pow, s Subject) Challenge {
	t.Helper()
	c, err := p.Challenge(t.Context(), s)
	require.NoError(t, err)
	return c
}

// solve finds the number of a challenge.
func solve(t testing.TB, c Challenge) int64 {
	t.Helper()
	for n := range c.MaxNumber + 1 {
		if hashText(c.Salt, n) == c.Challenge {
			return n
		}
	}
	require.FailNow(t, "the challenge has no solution")
	return 0
}

// encode returns an answer as clients send it; change may change its members.
func encode(c Challenge, number int64, change func(m map[string]any)) string {
	m := map[string]any{
		"algorithm": c.Algorithm, "challenge": c.Challenge, "number": number, "salt": c.Salt, "signature": c.Signature,
	}
	if change != nil {
		change(m)
	}
	raw, _ := json.Marshal(m)
	return base64.StdEncoding.EncodeToString(raw)
}

// answer solves a challenge of the subject.
func answer(t testing.TB, p *Pow, s Subject) string {
	t.Helper()
	c := challenge(t, p, s)
	return encode(c, solve(t, c), nil)
}

// always is a store of nonces in which all are unused.
type always struct{}

func (always) UseNonce(context.Context, int, string, string, time.Duration) (bool, error) {
	return true, nil
}
