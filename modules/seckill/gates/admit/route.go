package admit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"onrush/modules/sign"
)

// maxAnswer is the length of the longest answer that is read, in bytes.
const maxAnswer = 4 << 10

// Route is a route of the shop's that answers whether a buyer is admitted.
type Route struct {
	url    string
	keys   sign.WebhookKeys
	now    func() time.Time
	newID  func() string
	client *http.Client
}

// ParseRoute reads a setting: an address, a space, and the secrets, whsec_ and base64, with semicolons between them.
// Errors don't have the secrets.
func ParseRoute(text string, now func() time.Time, newID func() string) (*Route, error) {
	words := strings.Fields(text)
	if len(words) != 2 {
		return nil, errors.New("must be an address, a space and its secrets")
	}
	if err := sign.CheckURL(words[0]); err != nil {
		return nil, fmt.Errorf("its address %w", err)
	}
	keys, err := sign.NewWebhookKeys(sign.ParseSecrets(words[1]))
	if err != nil {
		return nil, err
	}
	return &Route{
		url: words[0], keys: keys, now: now, newID: newID,
		client: &http.Client{
			Transport: &http.Transport{
				Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: 64 << 10, MaxConnsPerHost: maxAsked,
				MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// CloseIdleConnections closes the connections that are kept for the next questions.
func (r *Route) CloseIdleConnections() { r.client.CloseIdleConnections() }

// Ask is an Asker. Only status 200 with an object whose admitted is true or false is an answer: all else may be of a
// proxy, or of another program at the address.
func (r *Route) Ask(ctx context.Context, a Admission) error {
	body, err := json.Marshal(struct {
		Activity string `json:"activity_id"`
		SKU      string `json:"sku_id"`
		User     string `json:"user_id"`
		Address  string `json:"address,omitempty"`
	}(a))
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("its address can't be read")
	}
	if err := r.keys.Sign(req.Header, "admit-"+r.newID(), r.now(), body); err != nil {
		return err
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	read, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	var answer struct {
		Admitted *bool  `json:"admitted"`
		Reason   string `json:"reason"`
	}
	switch {
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("it answered with status %d", resp.StatusCode)
	case err != nil:
		return fmt.Errorf("read the answer: %w", err)
	case len(read) > maxAnswer:
		return errors.New("its answer is too long")
	case !jsontext.Value(read).IsValid(): // malformed, or with a key twice, which parsers read differently
		return errors.New("its answer is not JSON")
	case json.Unmarshal(read, &answer) != nil || answer.Admitted == nil:
		return errors.New(`its answer is no JSON with "admitted"`)
	case !*answer.Admitted:
		return &Refused{Reason: answer.Reason}
	}
	return nil
}
