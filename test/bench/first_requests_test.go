package bench

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/lestrrat-go/jwx/v3/jwk"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/load"
	"onrush/test/site"
)

const (
	firstBuyers = 10_000 // of one turn of BenchmarkFirstRequests
	crowdBuyers = 20_000 // of one turn of BenchmarkNewBuyers
	// leastFirst is how many first requests the program answers in the processor time of one later request, and
	// leastFirstKeys that with tokens that are signed with a private key. leastNew and leastNewPermits are what paths
	// of new buyers have to bring of an empty handler.
	leastFirst, leastFirstKeys = 0.5, 0.08
	leastNew, leastNewPermits  = 0.25, 0.17

	audience, keyID = "shop", "key-"
)

// signer makes the tokens of a program.
type signer struct {
	name    string
	program *program
	sign    func(user string) (string, error)
}

// signers returns a program that takes tokens with a shared secret, and one that takes tokens of public keys.
func signers(b *testing.B) []signer {
	b.Helper()
	shared := startProgram(b)
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(b, err)
	rs, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(b, err)
	file := filepath.Join(b.TempDir(), "jwks.json")
	require.NoError(b, os.WriteFile(file, publicKeys(b, map[string]crypto.Signer{"ES256": ec, "RS256": rs}), 0o600))
	public := startProgram(b, "ONRUSH_JWKS="+file, "ONRUSH_JWT_AUDIENCE="+audience)
	with := func(method jwt.SigningMethod, key any) func(string) (string, error) {
		return func(user string) (string, error) {
			t := jwt.NewWithClaims(method, jwt.MapClaims{
				"sub": user, "role": "user", "aud": audience, "exp": time.Now().Add(time.Hour).Unix(),
			})
			t.Header["kid"] = keyID + method.Alg()
			return t.SignedString(key)
		}
	}
	return []signer{
		{"HS256", shared, func(user string) (string, error) { return shared.token(b, user), nil }},
		{"ES256", public, with(jwt.SigningMethodES256, ec)},
		{"RS256", public, with(jwt.SigningMethodRS256, rs)},
	}
}

// publicKeys returns the public keys of private ones, by algorithm, as a JWKS.
func publicKeys(b *testing.B, private map[string]crypto.Signer) []byte {
	b.Helper()
	set := jwk.NewSet()
	for algorithm, key := range private {
		public, err := jwk.Import(key.Public())
		require.NoError(b, err)
		require.NoError(b, public.Set(jwk.KeyIDKey, keyID+algorithm))
		require.NoError(b, set.AddKey(public))
	}
	text, err := json.Marshal(set)
	require.NoError(b, err)
	return text
}

// BenchmarkFirstRequests compares the first request of buyers, whose tokens the program has not seen, with their second
// one, by the processor time of the program. In a sale everybody is new in the same second.
func BenchmarkFirstRequests(b *testing.B) {
	programs := signers(b)
	for _, bench := range []struct {
		name, answer string
		request      func(sealer paths, user, activity string) load.Request
	}{
		{"list", "200", func(_ paths, _, activity string) load.Request {
			return load.Request{Method: http.MethodGet, Path: "/api/v1/activities/" + activity}
		}},
		{"path", "200", func(_ paths, _, activity string) load.Request { return pathOf(activity)("") }},
		{"submit", "202", func(sealer paths, user, activity string) load.Request {
			return load.Request{
				Method: http.MethodPost, Path: "/api/v1/seckill/" + sealer.seal(user, activity) + "/submit",
				Body: attributed, NewKey: true,
			}
		}},
	} {
		for _, by := range programs {
			b.Run(bench.name+"/"+by.name, func(b *testing.B) {
				p, sealer := by.program, newPaths(b)
				activity := p.inspector.Open(b, site.Sale{
					Stock: map[string]int64{catalogue.DefaultPoint: 1 << 40}, PurchaseLimit: 5, SKULimit: 5,
				})
				plan := load.Plan{
					Addr: p.addr(), Connections: connections, Seconds: burstWithin, Most: few[int64](firstBuyers),
				}
				perSecond := func() float64 {
					before := p.uses(b)
					r := generate(b, plan)[0]
					require.Equal(b, plan.Most, r.Answers[bench.answer], "%v", r)
					var cost used
					cost.since(before, p.uses(b))
					p.drain(b)
					return float64(plan.Most) / cost.program * 1e6
				}
				var speeds turns
				for turn := 0; b.Loop(); turn++ {
					plan.Requests = plan.Requests[:0]
					for i := range plan.Most {
						user := fmt.Sprintf("new-%s-%d-%d", activity, turn, i)
						r := bench.request(sealer, user, activity)
						token, err := by.sign(user)
						require.NoError(b, err)
						r.Token = token
						plan.Requests = append(plan.Requests, r)
					}
					first := perSecond() // it must come first
					speeds.take(func() float64 { return first }, perSecond)
				}
				least := leastFirst
				if by.name != "HS256" {
					least = leastFirstKeys
				}
				speeds.report(b, "first/cpu-s", "later/cpu-s", least)
			})
		}
	}
}

// BenchmarkNewBuyers compares the first request for a path of 20,000 buyers, in a sale without permits and in one with
// them, with an empty Fiber handler.
func BenchmarkNewBuyers(b *testing.B) {
	for _, bench := range []struct {
		name  string
		sale  site.Sale
		least float64
	}{
		{"path", site.Sale{}, leastNew},
		{"permits", site.Sale{PermitRatio: 10, PurchaseLimit: 5, SKULimit: 5, Limits: burstLimits}, leastNewPermits},
	} {
		b.Run(bench.name, func(b *testing.B) {
			s := burst{&buyers{program: startProgram(b)}}
			bench.sale.Stock = map[string]int64{catalogue.DefaultPoint: 1 << 40}
			s.activity = s.inspector.Open(b, bench.sale)
			empty := serveEmpty(b)
			s.askPaths(b, s.next(b, firstBuyers)) // warm up
			var speeds turns
			for b.Loop() {
				asks := asks(s.next(b, few(crowdBuyers)), always(s.activity))
				speeds.take(
					func() float64 { return s.ask(b, s.addr(), asks) },
					func() float64 { return s.ask(b, empty, asks) },
				)
			}
			speeds.report(b, "requests/s", "empty/s", bench.least)
		})
	}
}
