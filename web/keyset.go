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
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/lestrrat-go/jwx/v3/jwk"

	"onrush/modules/panics"
)

// The bounds of a set of keys.
const (
	keysEvery      = 5 * time.Minute  // between two readings in the background
	keysOnDemand   = 30 * time.Second // between two readings caused by an unknown key
	keysTimeout    = 3 * time.Second  // of one reading
	keysMaxBytes   = 1 << 20
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

// keys are the keys of one reading; generation counts the readings that changed them.
type keys struct {
	raw        []byte
	all        []publicKey
	generation int64
}

// keySet has the keys of a JWKS file or URL and reads them again.
type keySet struct {
	read    func(ctx context.Context) ([]byte, error)
	log     *slog.Logger
	now     func() time.Time
	changed func() // called when the keys have changed
	current atomic.Pointer[keys]
	turn    chan struct{} // held while reading; guards last
	last    time.Time     // of the last reading
}

func newKeySet(
	ctx context.Context, cfg AuthConfig, log *slog.Logger, now func() time.Time, changed func(),
) (*keySet, error) {
	s := &keySet{log: log, now: now, changed: changed, turn: make(chan struct{}, 1)}
	if cfg.JWKSFile != "" {
		s.read = func(context.Context) ([]byte, error) { return readKeyFile(cfg.JWKSFile) }
		return s, s.refresh(ctx, 0)
	}
	if err := checkKeysURL(cfg.JWKSURL); err != nil {
		return nil, err
	}
	client := &http.Client{
		Timeout:       keysTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	s.read = func(ctx context.Context) ([]byte, error) { return fetchKeys(ctx, client, cfg.JWKSURL) }
	if err := s.refresh(ctx, 0); err != nil {
		log.WarnContext(ctx, "keys of tokens not read; it will be tried again", slog.String("error", err.Error()))
	}
	return s, nil
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

func readKeyFile(path string) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	return readBounded(file)
}

func fetchKeys(ctx context.Context, client *http.Client, from string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("answered %s", resp.Status)
	}
	return readBounded(resp.Body)
}

func readBounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, keysMaxBytes+1))
	if err == nil && len(data) > keysMaxBytes {
		err = fmt.Errorf("more than %d bytes", keysMaxBytes)
	}
	return data, err
}

// generation counts the changes of the keys; it is constant for a nil set.
func (s *keySet) generation() int64 {
	if s == nil {
		return 0
	}
	if k := s.current.Load(); k != nil {
		return k.generation
	}
	return 0
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
			err := panics.Recovered(func() error { return s.refresh(ctx, 0) })
			if err != nil && ctx.Err() == nil {
				s.log.WarnContext(ctx, "keys of tokens not read again", slog.String("error", err.Error()))
			}
		}
	}
}

// refresh reads the keys unless that was tried within the given time. If reading fails, the keys don't
// change.
func (s *keySet) refresh(ctx context.Context, within time.Duration) error {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if !s.last.IsZero() && s.now().Sub(s.last) < within {
		return nil
	}
	s.last = s.now()
	ctx, cancel := context.WithTimeout(ctx, keysTimeout)
	defer cancel()
	raw, err := s.read(ctx)
	if err != nil {
		return fmt.Errorf("read the keys of tokens: %w", err)
	}
	old := s.current.Load()
	if old != nil && slices.Equal(old.raw, raw) {
		return nil
	}
	all, err := parseKeys(raw)
	if err != nil {
		return fmt.Errorf("read the keys of tokens: %w", err)
	}
	s.current.Store(&keys{raw: raw, all: all, generation: s.generation() + 1})
	s.changed()
	return nil
}

// find returns the key with an id, or for a token without one the keys of its algorithm. For an unknown
// id it reads the keys again, at most every 30 seconds.
func (s *keySet) find(ctx context.Context, id, algorithm string) (any, error) {
	key, err := s.lookUp(id, algorithm)
	if err == nil || id == "" && !errors.Is(err, errKeysAway) {
		return key, err
	}
	if err := s.refresh(ctx, keysOnDemand); err != nil {
		s.log.WarnContext(ctx, "keys of tokens not read again", slog.String("error", err.Error()))
	}
	return s.lookUp(id, algorithm)
}

func (s *keySet) lookUp(id, algorithm string) (any, error) {
	current := s.current.Load()
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

// parseKeys returns the keys of a JWKS that can verify; it is an error if there is none.
func parseKeys(raw []byte) ([]publicKey, error) {
	set, err := jwk.Parse(raw, jwk.WithIgnoreParseError(true))
	if err != nil {
		return nil, err
	}
	var all []publicKey
	for i := range min(set.Len(), keysMax) {
		key, ok := set.Key(i)
		if !ok {
			continue
		}
		if k, ok := verifying(key); ok {
			all = append(all, k)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no key of RS256, ES256 or EdDSA among them")
	}
	return all, nil
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
