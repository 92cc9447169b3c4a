// Package jwks has the public keys of tokens: it reads them from a file or a URL, again and again, and while they can't
// be read it keeps the keys that it has.
package jwks

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
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
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/lestrrat-go/jwx/v3/jwk"

	"onrush/modules/aged"
	"onrush/modules/loop"
	"onrush/modules/panics"
)

// OnDemand is the least time between two readings caused by an unknown key.
const OnDemand = 30 * time.Second

// The bounds of a set of keys.
const (
	every        = 5 * time.Minute // between two readings in the background
	within       = 3 * time.Second // of one reading
	maxBytes     = 1 << 20         // of a JWKS
	maxKeys      = 100
	minRSABits   = 2048
	maxAnonymous = 4 // keys tried for a token without a key id
	usageToSign  = "sig"
)

// Algorithms are the algorithms of public keys. Tokens name EdDSA with a key of Ed25519 by either name (RFC 9864).
var Algorithms = []string{"RS256", "ES256", "EdDSA"}

func init() {
	jwt.RegisterSigningMethod("Ed25519", func() jwt.SigningMethod { return jwt.SigningMethodEdDSA })
}

// ErrAway means that the keys have not been read yet, so that no token can be verified.
var ErrAway = errors.New("the keys have not been read yet")

// publicKey is a key for one algorithm.
type publicKey struct {
	id, algorithm string
	key           jwt.VerificationKey
}

// Keys are public keys. As long as the same keys are read again, their pointer stays the same.
type Keys struct{ all []publicKey }

// Set has the keys of a JWKS file or URL. A nil Set has none.
//
// jwk.Cache would do part of this, for URLs: but a start without the key server would wait until its deadline, and its
// reads on demand are not limited. jwk.Fetch refuses all keys if it can't parse one.
type Set struct {
	open func(ctx context.Context) (io.ReadCloser, error)
	log  *slog.Logger
	aged aged.Config
	last aged.Copy[*Keys]
}

// Open reads the keys at a URL, or of a file. It is an error if a file can't be read. A URL is read again when a key is
// needed.
func Open(ctx context.Context, from string, log *slog.Logger, now func() time.Time) (*Set, error) {
	s := &Set{log: log, aged: aged.Config{What: "keys of tokens", Now: now, Within: within, Pause: OnDemand}}
	if !strings.Contains(from, "://") {
		s.open = func(context.Context) (io.ReadCloser, error) { return os.Open(from) } //nolint:gosec // a setting
		return s, s.Refresh(ctx, 0)
	}
	if err := checkURL(from); err != nil {
		return nil, err
	}
	client := &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	s.open = func(ctx context.Context) (io.ReadCloser, error) { return fetch(ctx, client, from) }
	_ = s.Refresh(ctx, 0) // it logs its errors
	return s, nil
}

func fetch(ctx context.Context, client *http.Client, from string) (io.ReadCloser, error) {
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

// checkURL requires https, since an attacker who can change the keys in transit can forge any token.
func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return errors.New("auth config: the URL of the keys is not a URL")
	}
	if !IsPrivate(u) {
		return errors.New("auth config: the URL of the keys must be https")
	}
	return nil
}

// IsPrivate reports whether nobody on the way can change the keys that are read from a URL: it is https, or http on
// loopback.
func IsPrivate(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	return u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && local)
}

// Run reads the keys periodically until ctx ends.
func (s *Set) Run(ctx context.Context) {
	for loop.Wait(ctx, every) == nil {
		_ = s.Refresh(ctx, 0) // it logs its errors
	}
}

// Current returns the keys that were last read, or nil if none were. It is nil for a nil set.
func (s *Set) Current() *Keys {
	if s == nil {
		return nil
	}
	k, _ := s.last.Known(&s.aged, math.MaxInt64)
	return k
}

// Refresh reads the keys unless they were read at most maxAge ago, or that failed less than OnDemand ago. If
// reading fails, the keys don't change.
func (s *Set) Refresh(ctx context.Context, maxAge time.Duration) error {
	_, err := s.last.Get(ctx, &s.aged, maxAge, func(ctx context.Context) (*Keys, error) {
		k, err := panics.RecoveredValue(func() (*Keys, error) { return s.load(ctx) })
		if err != nil {
			s.log.WarnContext(ctx, "keys of tokens not read; it will be tried again", "error", err)
		}
		return k, err
	})
	return err
}

// load reads the keys that can verify. It is an error if there is none.
func (s *Set) load(ctx context.Context) (*Keys, error) {
	all, err := s.read(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the keys of tokens (ONRUSH_JWKS): %w", err)
	}
	if old := s.Current(); old != nil && reflect.DeepEqual(old.all, all) {
		return old, nil
	}
	return &Keys{all: all}, nil
}

func (s *Set) read(ctx context.Context) ([]publicKey, error) {
	body, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer body.Close() //nolint:errcheck // only read
	text, err := io.ReadAll(http.MaxBytesReader(nil, body, maxBytes))
	if err != nil {
		return nil, err
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if err := checkForm(text); err != nil {
		return nil, err
	}
	set, err := jwk.Parse(text, jwk.WithIgnoreParseError(true))
	if err != nil {
		return nil, err
	}
	var all []publicKey
	for i := range min(set.Len(), maxKeys) {
		if key, ok := set.Key(i); ok {
			if k, ok := verifying(key); ok {
				all = append(all, k)
			}
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no key of RS256, ES256 or EdDSA among them")
	}
	return all, nil
}

// checkForm refuses a text that is not a set of keys (RFC 7517, section 5), and says what it is instead. The library
// has one error for all of them, about its options.
func checkForm(text []byte) error {
	found := ""
	object := map[string]json.RawMessage{}
	trimmed := bytes.TrimSpace(text)
	switch {
	case len(trimmed) == 0:
		found = "is empty"
	case bytes.ContainsRune(text, 0):
		found = "is in UTF-16 or another encoding with NUL bytes"
	case bytes.HasPrefix(trimmed, []byte("-----BEGIN")):
		found = "is PEM"
	case !json.Valid(trimmed):
		found = "is no JSON in UTF-8"
	case trimmed[0] == '[':
		found = "is a list"
	case json.Unmarshal(trimmed, &object) != nil:
		found = "is no JSON object"
	case len(object["keys"]) > 0 && object["keys"][0] == '[':
		return nil
	case object["keys"] != nil:
		found = `has "keys" that are no list`
	case object["kty"] != nil:
		found = "is a single key"
	default:
		found = `has no "keys"`
	}
	return fmt.Errorf("what was read %s; it must be a JSON object with a list \"keys\" (RFC 7517, JWK Set)", found)
}

// Find returns the key with an id, or for a token without one the keys of its algorithm. For an unknown
// id it reads the keys again, at most every 30 seconds.
func (s *Set) Find(ctx context.Context, id, algorithm string) (any, error) {
	key, err := s.lookUp(id, algorithm)
	if err == nil || id == "" && !errors.Is(err, ErrAway) {
		return key, err
	}
	_ = s.Refresh(ctx, OnDemand) // it logs its errors
	return s.lookUp(id, algorithm)
}

func (s *Set) lookUp(id, algorithm string) (any, error) {
	current := s.Current()
	if current == nil {
		return nil, ErrAway
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
	if usage, ok := key.KeyUsage(); ok && usage != "" && usage != usageToSign {
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

// Age returns how old the keys are; 0 if there are none.
func (s *Set) Age() time.Duration {
	if s == nil {
		return 0
	}
	age, _ := s.last.Age(&s.aged)
	return age
}
