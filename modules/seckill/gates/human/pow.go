package human

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/sign"
)

// Nonces remember which answers were accepted, for all instances.
type Nonces interface {
	// UseNonce marks a nonce of an activity as used for ttl, and reports whether it was unused.
	UseNonce(ctx context.Context, lane int, activity, nonce string, ttl time.Duration) (unused bool, err error)
}

// Pow is the check by proof of work, with the challenges and answers of ALTCHA, version 1: the client finds a
// number by trying all of them, which takes seconds of a robot's machine per order path and is verified with
// one hash. The server keeps no challenge; it knows its own by the signature.
type Pow struct {
	cfg    PowConfig
	keys   sign.Keys
	loads  *loads
	nonces Nonces
	now    func() time.Time
	random io.Reader
}

var _ Check = (*Pow)(nil)

// NewPow checks cfg and returns a Pow. The numbers to find come from random, which must be unpredictable and
// safe for concurrent use.
func NewPow(cfg PowConfig, nonces Nonces, now func() time.Time, random io.Reader) (*Pow, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Pow{
		cfg: cfg, keys: sign.NewKeys("human_check", cfg.Secrets), loads: newLoads(cfg.CalmRate),
		nonces: nonces, now: now, random: random,
	}, nil
}

const (
	// saltBytes is how many random bytes a salt has.
	saltBytes = 8
	// maxRise is by which factor challenges of an activity may have become harder until an easier one, issued before,
	// is refused.
	maxRise = 2
	// solveWithin is how long after it was issued a challenge of the usual difficulty is accepted whatever has
	// happened since, so that slow clients can solve it. Harder ones have as much more time.
	solveWithin = 5 * time.Second
)

// Challenge returns a new challenge without a store. It gets harder the more challenges of the activity were solved
// and accepted by this instance in the last seconds.
func (p *Pow) Challenge(_ context.Context, s Subject) (Challenge, error) {
	var random [saltBytes + 8]byte
	if _, err := io.ReadFull(p.random, random[:]); err != nil {
		return Challenge{}, fmt.Errorf("read random bytes: %w", err)
	}
	now := p.now()
	expires := now.Add(p.cfg.ValidFor).Truncate(time.Second)
	most := p.most(s.Activity, now)
	number := binary.BigEndian.Uint64(random[saltBytes:]) % uint64(most+1) //nolint:gosec // most is above 0
	salt := newSalt(random[:saltBytes], expires, most)
	sum := hashOf(salt, int64(number)) //nolint:gosec // at most most
	challenge := hex.EncodeToString(sum[:])
	signature := p.keys.Sign(s.Activity, s.User, salt, challenge)
	return Challenge{
		Kind: ProofOfWork, Algorithm: algorithm, Challenge: challenge, MaxNumber: most, Salt: salt,
		Signature: hex.EncodeToString(signature[:]), ExpiresAt: api.Millis(expires.UnixMilli()),
	}, nil
}

// most returns the largest number of a challenge that is issued now: half of the numbers are tried on average.
func (p *Pow) most(activity string, now time.Time) int64 {
	return int64(2 * float64(p.cfg.Difficulty) * p.loads.factor(activity, now))
}

// outpriced reports whether challenges have become so much harder that an answer to this one is no longer accepted.
// Otherwise a client could collect easy challenges before a crowd comes.
func (p *Pow) outpriced(a *powAnswer, activity string, now time.Time) bool {
	issued := a.expires.Add(-p.cfg.ValidFor)
	patience := time.Duration(float64(solveWithin) * max(float64(a.most)/float64(2*p.cfg.Difficulty), 1))
	return now.Sub(issued) > patience && p.most(activity, now) > maxRise*a.most
}

const (
	// useWithin bounds the call to the store of nonces.
	useWithin = 800 * time.Millisecond
	// clockMargin is how far the clocks of two instances may differ: a nonce outlives its challenge by it.
	clockMargin = 10 * time.Second
)

// Verify implements Check. Only an answer that is right in all other respects costs a call to the store.
func (p *Pow) Verify(ctx context.Context, s Subject, answer string) error {
	a, err := parseAnswer(answer)
	if err != nil {
		return failed("can't be read")
	}
	now := p.now()
	left := a.expires.Sub(now)
	switch {
	case left <= 0:
		return failed("has expired")
	case !p.keys.Accepts(a.signature, s.Activity, s.User, a.Salt, a.Challenge):
		return failed("is not to a challenge of this user and sale")
	case p.outpriced(&a, s.Activity, now):
		return failed("is to a challenge that is too easy by now; get a new one")
	case !a.solved():
		return failed("is wrong")
	}
	ctx, cancel := context.WithTimeout(ctx, useWithin)
	defer cancel()
	// The signature as decoded: its text has several forms.
	unused, err := p.nonces.UseNonce(ctx, s.Lane, s.Activity, hex.EncodeToString(a.signature), left+clockMargin)
	switch {
	case lua.IsFull(err):
		return problem.Errorf(problem.CodeOverloaded, "The store is full; try again later.").After(time.Second)
	case err != nil:
		return problem.Unavailable(err, "The human check can't be verified right now.")
	case !unused:
		return failed("was used before")
	}
	p.loads.count(s.Activity, now)
	return nil
}
