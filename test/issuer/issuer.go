// Package issuer is a double of an OpenID Connect provider. It shares no code with the program: it does what OpenID
// Connect Core 1.0, Discovery 1.0 and RFC 7636 say.
package issuer

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Issuer is an issuer with one client and one operator.
type Issuer struct {
	URL string

	t      testing.TB
	key    *rsa.PrivateKey
	now    func() time.Time
	server *httptest.Server

	mu    sync.Mutex
	codes map[string]url.Values // the request of each code that was not used
	calls map[string]int        // by path
	State
}

// State is what a test changes.
type State struct {
	// Claims of the operator, beside the claims of the protocol.
	Claims map[string]any
	// Change changes an ID token before it is signed, Forge afterwards, and Metadata the metadata.
	Change   func(header, claims map[string]any)
	Forge    func(token string) string
	Metadata func(map[string]any)
	// Status of all answers; 0 for the proper ones.
	Status int
}

// The client of the program.
const (
	ClientID     = "console"
	ClientSecret = "s3cr3t &?"
)

// Start starts an issuer that signs olga in, an operator with the role admin.
func Start(t testing.TB, now func() time.Time) *Issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	i := &Issuer{
		t: t, key: key, now: now, codes: map[string]url.Values{}, calls: map[string]int{},
		State: State{Claims: map[string]any{"sub": "olga", "role": "admin"}},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/realm/.well-known/openid-configuration", i.serveMetadata)
	mux.HandleFunc("/realm/keys", i.serveKeys)
	mux.HandleFunc("/realm/token", i.serveToken)
	mux.HandleFunc("/realm/authorize", i.serveAuthorize)
	i.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.calls[r.URL.Path]++
		if i.Status != 0 {
			w.WriteHeader(i.Status)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(i.server.Close)
	i.URL = i.server.URL + "/realm"
	return i
}

// Setting is the issuer as ONRUSH_OIDC has it, with more parameters.
func (i *Issuer) Setting(more string) string { return i.URL + "?client_id=" + ClientID + more }

// Set changes the state.
func (i *Issuer) Set(change func(s *State)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change(&i.State)
}

// Calls returns how often a path was called.
func (i *Issuer) Calls(path string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.calls["/realm"+path]
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (i *Issuer) serveMetadata(w http.ResponseWriter, _ *http.Request) {
	m := map[string]any{
		"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize?tenant=1", "token_endpoint": i.URL + "/token",
		"jwks_uri": i.URL + "/keys",
	}
	if i.Metadata != nil {
		i.Metadata(m)
	}
	answer(w, http.StatusOK, m)
}

func (i *Issuer) serveKeys(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{"keys": []any{map[string]any{
		"kty": "RSA", "kid": "k1", "use": "sig", "alg": "RS256", "n": encode(i.key.N.Bytes()),
		"e": encode(big.NewInt(int64(i.key.E)).Bytes()),
	}}})
}

// Authorizes checks a request for an authorization, and returns its code and where the browser is sent with it.
func (i *Issuer) Authorizes(at string) (code, callback string, err error) {
	u, err := url.Parse(at)
	if err != nil {
		return "", "", err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.authorizes(u)
}

func (i *Issuer) authorizes(u *url.URL) (code, callback string, err error) {
	query := u.Query()
	if query.Get("tenant") != "1" || query.Get("response_type") != "code" || query.Get("client_id") != ClientID ||
		query.Get("code_challenge_method") != "S256" || len(query.Get("code_challenge")) != 43 ||
		query.Get("nonce") == "" || query.Get("state") == "" {
		return "", "", fmt.Errorf("no authorization request: %s", u)
	}
	code = rand.Text()
	i.codes[code] = query
	back := url.Values{"code": {code}, "state": {query.Get("state")}, "iss": {i.URL}}
	return code, query.Get("redirect_uri") + "?" + back.Encode(), nil
}

// serveAuthorize signs the operator in without a question.
func (i *Issuer) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	_, callback, err := i.authorizes(r.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	http.Redirect(w, r, callback, http.StatusFound)
}

func (i *Issuer) serveToken(w http.ResponseWriter, r *http.Request) {
	user, password, ok := r.BasicAuth()
	id, _ := url.QueryUnescape(user)
	secret, _ := url.QueryUnescape(password)
	request := i.codes[r.PostFormValue("code")]
	delete(i.codes, r.PostFormValue("code")) // once
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	switch {
	case !ok || id != ClientID || secret != ClientSecret:
		answer(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	case request == nil, request.Get("redirect_uri") != r.PostFormValue("redirect_uri"),
		request.Get("code_challenge") != encode(challenge[:]), r.PostFormValue("grant_type") != "authorization_code":
		answer(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	header := map[string]any{"alg": "RS256", "kid": "k1", "typ": "JWT"}
	claims := map[string]any{
		"iss": i.URL, "aud": ClientID, "iat": i.now().Unix(), "exp": i.now().Add(5 * time.Minute).Unix(),
		"nonce": request.Get("nonce"),
	}
	for name, value := range i.Claims {
		claims[name] = value
	}
	if i.Change != nil {
		i.Change(header, claims)
	}
	token := i.sign(header, claims)
	if i.Forge != nil {
		token = i.Forge(token)
	}
	answer(w, http.StatusOK, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": token})
}

func (i *Issuer) sign(header, claims map[string]any) string {
	h, err := json.Marshal(header)
	require.NoError(i.t, err)
	c, err := json.Marshal(claims)
	require.NoError(i.t, err)
	text := encode(h) + "." + encode(c)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(nil, i.key, crypto.SHA256, sum[:])
	require.NoError(i.t, err)
	return text + "." + encode(signature)
}
