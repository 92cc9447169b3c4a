package web

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/lestrrat-go/jwx/v3/jwk"

	"onrush/modules/aged"
	"onrush/modules/panics"
)

// The bounds of a set of keys.
const (
	keysEvery      = 5 * time.Minute  // between two readings in the background
	keysOnDemand   = 30 * time.Second // between two readings caused by an unknown key
	keysTimeout    = 3 * time.Second  // of one reading
	keysMaxBytes   = 1 << 20          // of a JWKS
	keysMax        = 100
	minRSABits     = 2048
	maxAnonymous   = 4 // keys tried for a token without a key id
	keyUsageToSign = "sig"
)

// keyAlgorithms are the algorithms of public keys.
var keyAlgorithms = []string{"RS256", "ES256", "EdDSA"}

// publicKey is a key for one algorithm.
type publicKey struct {
	id, algorithm string
	key           jwt.VerificationKey
}

// keys are public keys. As long as the same keys are read again, their pointer stays the same.
type keys struct{ all []publicKey }

// keySet has the keys of a JWKS file or URL, reads them again, and keeps them if that fails.
//
// jwk.Cache would do part of this, for URLs: but a start without the key server would wait until its deadline, and its
// reads on demand are not limited. jwk.Fetch refuses all keys if it can't parse one.
type keySet struct {
	open func(ctx context.Context) (io.ReadCloser, error)
	log  *slog.Logger
	aged aged.Config
	last aged.Copy[*keys]
}

// newKeySet reads the keys. It is an error if a file can't be read. A URL is read again when a key is needed.
func newKeySet(ctx context.Context, cfg AuthConfig, log *slog.Logger, now func() time.Time) (*keySet, error) {
	s := &keySet{log: log, aged: aged.Config{
		What: "keys of tokens", Now: now, Within: keysTimeout, Pause: keysOnDemand,
	}}
	if cfg.JWKSFile != "" {
		s.open = func(context.Context) (io.ReadCloser, error) { return os.Open(cfg.JWKSFile) }
		return s, s.refresh(ctx, 0)
	}
	if err := checkKeysURL(cfg.JWKSURL); err != nil {
		return nil, err
	}
	client := &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	s.open = func(ctx context.Context) (io.ReadCloser, error) { return fetchKeys(ctx, client, cfg.JWKSURL) }
	_ = s.refresh(ctx, 0) // it logs its errors
	return s, nil
}

func fetchKeys(ctx context.Context, client *http.Client, from string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("answered %s", resp.Status)
	}
	return resp.Body, nil
}

// checkKeysURL requires https, since an attacker who can change the keys in transit can forge any token.
func checkKeysURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return errors.New("auth config: the URL of the keys is not a URL")
	}
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return errors.New("auth config: the URL of the keys must be https")
	}
	return nil
}

// run reads the keys periodically until ctx ends.
func (s *keySet) run(ctx context.Context) {
	ticker := time.NewTicker(keysEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_ = s.refresh(ctx, 0) // it logs its errors
		}
	}
}

// current returns the keys that were last read, or nil if none were. It is nil for a nil set.
func (s *keySet) current() *keys {
	if s == nil {
		return nil
	}
	k, _ := s.last.Known(&s.aged, math.MaxInt64)
	return k
}

// refresh reads the keys unless they were read at most maxAge ago, or that failed less than keysOnDemand ago. If
// reading fails, the keys don't change.
func (s *keySet) refresh(ctx context.Context, maxAge time.Duration) error {
	_, err := s.last.Get(ctx, &s.aged, maxAge, func(ctx context.Context) (*keys, error) {
		k, err := panics.RecoveredValue(func() (*keys, error) { return s.load(ctx) })
		if err != nil {
			s.log.WarnContext(ctx, "keys of tokens not read; it will be tried again", "error", err)
		}
		return k, err
	})
	return err
}

// load reads the keys that can verify. It is an error if there is none.
func (s *keySet) load(ctx context.Context) (*keys, error) {
	body, err := s.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the keys of tokens: %w", err)
	}
	defer body.Close() //nolint:errcheck // only read
	set, err := jwk.ParseReader(http.MaxBytesReader(nil, body, keysMaxBytes), jwk.WithIgnoreParseError(true))
	if err != nil {
		return nil, fmt.Errorf("read the keys of tokens: %w", err)
	}
	var all []publicKey
	for i := range min(set.Len(), keysMax) {
		if key, ok := set.Key(i); ok {
			if k, ok := verifying(key); ok {
				all = append(all, k)
			}
		}
	}
	if len(all) == 0 {
		return nil, errors.New("read the keys of tokens: no key of RS256, ES256 or EdDSA among them")
	}
	if old := s.current(); old != nil && reflect.DeepEqual(old.all, all) {
		return old, nil
	}
	return &keys{all: all}, nil
}

// find returns the key with an id, or for a token without one the keys of its algorithm. For an unknown
// id it reads the keys again, at most every 30 seconds.
func (s *keySet) find(ctx context.Context, id, algorithm string) (any, error) {
	key, err := s.lookUp(id, algorithm)
	if err == nil || id == "" && !errors.Is(err, errKeysAway) {
		return key, err
	}
	_ = s.refresh(ctx, keysOnDemand) // it logs its errors
	return s.lookUp(id, algorithm)
}

func (s *keySet) lookUp(id, algorithm string) (any, error) {
	current := s.current()
	if current == nil {
		return nil, errKeysAway
	}
	var fitting []jwt.VerificationKey
	for _, k := range current.all {
		if k.algorithm == algorithm && (id == "" || k.id == id) && len(fitting) < maxAnonymous {
			fitting = append(fitting, k.key)
		}
	}
	if len(fitting) == 0 {
		return nil, errors.New("no key fits the token")
	}
	return jwt.VerificationKeySet{Keys: fitting}, nil
}

// verifying returns a key that verifies one algorithm. It returns false for secrets, and for keys of
// another use, algorithm, curve or length.
func verifying(key jwk.Key) (publicKey, bool) {
	if usage, ok := key.KeyUsage(); ok && usage != "" && usage != keyUsageToSign {
		return publicKey{}, false
	}
	raw, err := jwk.PublicRawKeyOf(key)
	if err != nil {
		return publicKey{}, false
	}
	out := publicKey{}
	switch k := raw.(type) {
	case *rsa.PublicKey:
		if k.N.BitLen() < minRSABits {
			return publicKey{}, false
		}
		out.algorithm, out.key = "RS256", k
	case *ecdsa.PublicKey:
		if k.Curve != elliptic.P256() {
			return publicKey{}, false
		}
		out.algorithm, out.key = "ES256", k
	case ed25519.PublicKey:
		out.algorithm, out.key = "EdDSA", k
	default:
		return publicKey{}, false
	}
	if declared, ok := key.Algorithm(); ok && declared.String() != out.algorithm &&
		(out.algorithm != "EdDSA" || declared.String() != "Ed25519") {
		return publicKey{}, false
	}
	out.id, _ = key.KeyID()
	return out, true
}
