package delivery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"onrush/modules/sign"
	"onrush/modules/tracing"
)

const (
	// answerKept is how many bytes of an answer are kept.
	answerKept = 500
	// answerRead is how many bytes of an answer are read, so that its connection can be used again.
	answerRead = 16 << 10
	// errorKept is how many bytes of an error are kept.
	errorKept = 200
)

// newClient returns the client of deliveries: no proxy, no redirect, no address that t refuses.
func newClient(t *targets, cfg Config) *http.Client {
	return &http.Client{
		Timeout: cfg.Timeout,
		Transport: &http.Transport{
			DialContext:            t.dialer(cfg.Timeout / 2),
			TLSHandshakeTimeout:    cfg.Timeout / 2,
			MaxResponseHeaderBytes: 16 << 10,
			MaxIdleConns:           cfg.InFlight * cfg.Endpoints,
			MaxIdleConnsPerHost:    cfg.InFlight,
			IdleConnTimeout:        time.Minute,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true, // a small answer must not unpack to a large one
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Message is one request of Standard Webhooks.
type Message struct {
	ID      string // the same at each attempt
	At      time.Time
	Body    []byte
	Secrets []string // whsec_…; each signs
	Trace   string   // traceparent; "" for none
}

// NewRequest returns a signed POST request. Errors don't contain the secrets.
func NewRequest(ctx context.Context, target string, m Message) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(m.Body))
	if err != nil {
		return nil, errors.New("the URL can't be read")
	}
	keys, err := sign.NewWebhookKeys(m.Secrets)
	if err != nil {
		return nil, fmt.Errorf("a secret of the endpoint is damaged: %w", err)
	}
	if err := keys.Sign(req.Header, m.ID, m.At, m.Body); err != nil {
		return nil, fmt.Errorf("sign %s: %w", m.ID, err)
	}
	req.Header.Set("User-Agent", "Onrush-Webhooks")
	if m.Trace != "" {
		req.Header.Set(tracing.Header, m.Trace)
	}
	return req, nil
}

// answer is what became of a request.
type answer struct {
	code int // 0: none came
	body string
	err  string
	took time.Duration

	after time.Duration // that it asks to wait
}

func (a *answer) ok() bool { return a.code >= 200 && a.code <= 299 }

// post sends a message. Without an answer, err says why, without the URL, which may contain a secret.
func post(ctx context.Context, client *http.Client, target string, m Message) answer {
	began := time.Now()
	req, err := NewRequest(ctx, target, m)
	if err != nil {
		return answer{err: keep(err.Error(), errorKept)}
	}
	res, err := client.Do(req)
	if err != nil {
		return answer{err: keep(reason(err), errorKept), took: time.Since(began)}
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, answerKept))
	if err == nil {
		_, err = io.CopyN(io.Discard, res.Body, answerRead)
	}
	a := answer{
		code: res.StatusCode, body: keep(string(body), answerKept), took: time.Since(began),
		after: retryAfter(res.Header, m.At),
	}
	if err != nil && !errors.Is(err, io.EOF) && !a.ok() {
		a.err = keep("read the answer: "+reason(err), errorKept)
	}
	return a
}

// reason returns why a request failed.
func reason(err error) string {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	if wait, ok := errors.AsType[net.Error](err); ok && wait.Timeout() {
		return "no answer in time"
	}
	return err.Error()
}

// keep returns at most most bytes of a text, as valid UTF-8 without NUL.
func keep(text string, most int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
