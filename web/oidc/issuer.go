package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"onrush/modules/aged"
	"onrush/modules/panics"
	"onrush/web/jwks"
)

const (
	issuerWithin = 3 * time.Second // of one call of the issuer
	issuerPause  = 10 * time.Second
	metadataFor  = time.Hour       // until the issuer is asked again
	staleFor     = 24 * time.Hour  // while the issuer doesn't answer
	keysFor      = 5 * time.Minute // until its keys are read again
	maxAnswer    = 256 << 10       // bytes
)

// Issuer is a provider, as its metadata describe it (OpenID Connect Discovery 1.0). They are read when the first
// operator signs in, and kept.
type Issuer struct {
	cfg    *Config
	now    func() time.Time
	log    *slog.Logger
	client *http.Client
	aged   aged.Config
	last   aged.Copy[*metadata]
}

// metadata are the parts of an issuer's metadata that are used here, and its keys.
type metadata struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	KeysAt        string   `json:"jwks_uri"`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`

	keys *jwks.Set
}

// NewIssuer returns the issuer of a configuration. It calls nobody.
func NewIssuer(cfg *Config, now func() time.Time, log *slog.Logger) *Issuer {
	return &Issuer{
		cfg: cfg, now: now, log: log,
		client: &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		aged: aged.Config{
			What: "metadata of the issuer", Now: now, Within: 2 * issuerWithin, Pause: issuerPause, StaleFor: staleFor,
		},
	}
}

// Check returns an error if nobody could sign in at the issuer now.
func (i *Issuer) Check(ctx context.Context) error {
	m, err := i.metadata(ctx)
	if err != nil {
		return err
	}
	if m.keys.Current() == nil {
		return m.keys.Refresh(ctx, jwks.OnDemand)
	}
	return nil
}

func (i *Issuer) metadata(ctx context.Context) (*metadata, error) {
	return i.last.Get(ctx, &i.aged, metadataFor, func(ctx context.Context) (*metadata, error) {
		m, err := panics.RecoveredValue(func() (*metadata, error) { return i.discover(ctx) })
		if err != nil {
			i.log.WarnContext(ctx, "the issuer of operators' sign-ins doesn't answer as it should", "error", err)
		}
		return m, err
	})
}

func (i *Issuer) discover(ctx context.Context) (*metadata, error) {
	at := strings.TrimRight(i.cfg.Issuer, "/") + "/.well-known/openid-configuration"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, http.NoBody)
	if err != nil {
		return nil, err
	}
	status, body, err := i.call(req)
	if err != nil {
		return nil, err
	}
	m := &metadata{}
	if err := json.Unmarshal(body, m); status != http.StatusOK || err != nil {
		return nil, fmt.Errorf("%s answered %d without metadata", at, status)
	}
	if m.Issuer != i.cfg.Issuer {
		return nil, fmt.Errorf("%s is the issuer %q, not %q", at, m.Issuer, i.cfg.Issuer)
	}
	for name, address := range map[string]string{
		"authorization_endpoint": m.Authorization, "token_endpoint": m.Token, "jwks_uri": m.KeysAt,
	} {
		if u, err := url.Parse(address); err != nil || !jwks.IsPrivate(u) {
			return nil, fmt.Errorf("%s has a %s that is not https", at, name)
		}
	}
	if had, ok := i.last.Known(&i.aged, staleFor); ok && had.KeysAt == m.KeysAt {
		m.keys = had.keys
		return m, nil
	}
	m.keys, err = jwks.Open(ctx, m.KeysAt, i.log, i.now)
	return m, err
}

// call returns the status and the bounded body of an answer.
func (i *Issuer) call(req *http.Request) (status int, body []byte, err error) {
	ctx, cancel := context.WithTimeout(req.Context(), issuerWithin)
	defer cancel()
	resp, err := i.client.Do(req.WithContext(ctx))
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	body, err = io.ReadAll(http.MaxBytesReader(nil, resp.Body, maxAnswer))
	return resp.StatusCode, body, err
}

// authorizationURL is where an operator signs in. With again, the issuer asks who it is, though it knows the browser.
func (m *metadata) authorizationURL(cfg *Config, b begun, again bool) (string, error) {
	u, err := url.Parse(m.Authorization)
	if err != nil {
		return "", err
	}
	query := u.Query()
	for name, value := range map[string]string{
		"response_type": "code", "client_id": cfg.ClientID, "redirect_uri": cfg.redirectURI(),
		"scope": strings.TrimSpace("openid " + cfg.Scope), "state": b.State, "nonce": b.Nonce,
		"code_challenge": challengeOf(b.Verifier), "code_challenge_method": "S256",
	} {
		query.Set(name, value)
	}
	if again {
		query.Set("prompt", "login")
	}
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// errorCode matches the error codes of RFC 6749, which may be logged.
var errorCode = regexp.MustCompile(`^[a-z_]{1,40}$`)

// exchange returns the ID token for a code.
func (i *Issuer) exchange(ctx context.Context, m *metadata, code, verifier string) (idToken string, err error) {
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {i.cfg.redirectURI()},
		"code_verifier": {verifier},
	}
	inBody := i.cfg.Secret == "" || len(m.AuthMethods) > 0 && !slices.Contains(m.AuthMethods, "client_secret_basic")
	if inBody {
		form.Set("client_id", i.cfg.ClientID)
		if i.cfg.Secret != "" {
			form.Set("client_secret", i.cfg.Secret)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.Token, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	if !inBody { // RFC 6749, section 2.3.1
		req.SetBasicAuth(url.QueryEscape(i.cfg.ClientID), url.QueryEscape(i.cfg.Secret))
	}
	status, body, err := i.call(req)
	if err != nil {
		return "", unavailable{err}
	}
	var said struct {
		IDToken string `json:"id_token"`
		Error   string `json:"error"`
	}
	err = json.Unmarshal(body, &said)
	switch {
	case status >= http.StatusInternalServerError:
		return "", unavailable{fmt.Errorf("the issuer answered %d to a code", status)}
	case err != nil || status != http.StatusOK:
		if !errorCode.MatchString(said.Error) {
			said.Error = "no error code"
		}
		return "", fmt.Errorf("the issuer answered %d to a code: %s", status, said.Error)
	case said.IDToken == "":
		return "", errors.New("the issuer answered a code without an ID token")
	}
	return said.IDToken, nil
}

// unavailable is an issuer that doesn't answer.
type unavailable struct{ error }

func (u unavailable) Unwrap() error { return u.error }
