// Package operator is the operators' side of the command line: a client of the operators' routes, the plan that changes
// a sale as its file says, and tables.
package operator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"onrush/modules/loop"
	"onrush/web/client"
)

const (
	within   = 70 * time.Second // for one request; the program gives its longest a minute
	pageSize = 100
)

// Client calls a running program as an operator. Any goroutine may use it.
type Client struct {
	// Patience is how long a request is repeated that the program can't answer. Zero: it isn't repeated.
	Patience time.Duration

	http  *http.Client
	bases []string     // of the program's instances
	turn  atomic.Int64 // the base that answered last, modulo their number
	take  bool         // its tokens are from POST /dev/token

	mu    sync.Mutex
	token string // guarded by mu
}

// NewClient returns a client of the program at addresses such as http://127.0.0.1:8080, which it asks in turn until one
// answers. Without a token it takes one from POST /dev/token, which programs for development have.
func NewClient(token string, addrs ...string) *Client {
	c := &Client{
		token: token, take: token == "", http: &http.Client{Timeout: within, CheckRedirect: client.KeepRedirects},
	}
	for _, addr := range addrs {
		base := strings.TrimRight(addr, "/")
		if !strings.Contains(base, "://") {
			base = "http://" + base
		}
		c.bases = append(c.bases, base)
	}
	return c
}

// Base returns the URL of the program.
func (c *Client) Base() string { return c.bases[0] }

// Refusal is the error of a request that the program refuses, and would refuse again.
type Refusal struct {
	Status int    // 0 if it was not sent
	Code   string // of the problem
	detail string
}

func (r *Refusal) Error() string { return "the program refuses: " + r.detail }

// IsNotFound reports whether what was asked for doesn't exist.
func IsNotFound(err error) bool {
	var refusal *Refusal
	return errors.As(err, &refusal) && refusal.Code == "not_found"
}

var errAway = errors.New("the program can't answer now")

// Passes reports whether the same request may succeed later.
func Passes(err error) bool {
	return errors.Is(err, errAway) || errors.As(err, new(*url.Error)) || errors.As(err, new(net.Error)) ||
		errors.Is(err, io.ErrUnexpectedEOF)
}

// Get reads the answer of a route into a value.
func (c *Client) Get(ctx context.Context, path string, into any) error {
	return c.Call(ctx, http.MethodGet, path, "", nil, into)
}

// Call sends a request, with an Idempotency-Key and a body unless they are empty, and reads its answer into a value
// unless that is nil. The error is a *Refusal if no repetition would change the answer.
func (c *Client) Call(ctx context.Context, method, path, key string, body, into any) error {
	return c.do(ctx, request{method: method, path: path, key: key, body: body}, into)
}

// Create puts something that must not exist yet, and reads the answer into a value.
func (c *Client) Create(ctx context.Context, path string, body, into any) error {
	return c.do(ctx, request{method: http.MethodPut, path: path, version: newOnly, body: body}, into)
}

// request is a request to the program. version is the version of the resource that the change was made from: 0 is none,
// and newOnly requires that the resource doesn't exist yet.
type request struct {
	method, path, key string
	version           int64
	body              any
}

const newOnly = -1

func (c *Client) do(ctx context.Context, r request, into any) error {
	repeating, cancel := context.WithTimeout(ctx, c.Patience)
	defer cancel()
	if c.Patience > 0 {
		ctx = repeating
	}
	for {
		turn := c.turn.Load()
		err := c.authorized(ctx, c.bases[turn%int64(len(c.bases))], r, into)
		if err == nil || !Passes(err) {
			return err
		}
		c.turn.CompareAndSwap(turn, turn+1)
		if loop.Wait(repeating, 100*time.Millisecond) != nil {
			return err
		}
	}
}

// authorized sends a request with the token, and with another one if that has expired and is from the program.
func (c *Client) authorized(ctx context.Context, base string, r request, into any) error {
	token, err := c.tokenNot(ctx, base, "")
	if err != nil {
		return err
	}
	err = c.send(ctx, base, r, token, into)
	var refusal *Refusal
	if !c.take || !errors.As(err, &refusal) || refusal.Status != http.StatusUnauthorized {
		return err
	}
	if token, err = c.tokenNot(ctx, base, token); err != nil {
		return err
	}
	return c.send(ctx, base, r, token, into)
}

// tokenNot returns the token, unless it is empty or the one that has expired: then it gets another one from a program
// that runs for development.
func (c *Client) tokenNot(ctx context.Context, base, expired string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.token != "" && c.token != expired {
		return c.token, nil
	}
	var answer client.Token
	body := client.TokenRequest{UserID: "operator", Role: "admin"}
	err := c.send(ctx, base, request{method: http.MethodPost, path: "/dev/token", body: body}, "", &answer)
	var refusal *Refusal
	if errors.As(err, &refusal) && refusal.Status != 0 {
		refusal.detail = "it gives no token, since it doesn't run for development; pass --token: " +
			"a key, or what onrush token USER --role admin prints"
	}
	c.token = answer.Token
	return c.token, err
}

func (c *Client) send(ctx context.Context, base string, r request, token string, into any) error {
	asked := client.Request{Method: r.method, Path: r.path, Token: token, Key: r.key, Body: r.body}
	switch {
	case r.version == newOnly:
		asked.Header = http.Header{"If-None-Match": {"*"}}
	case r.version != 0:
		asked.Header = http.Header{"If-Match": {`"` + strconv.FormatInt(r.version, 10) + `"`}}
	}
	req, err := asked.To(ctx, base)
	if err != nil {
		return &Refusal{detail: "--addr must be a URL such as http://127.0.0.1:8080"}
	}
	answer, err := client.Do(c.http, req)
	if dial := (*net.OpError)(nil); errors.As(err, &dial) && dial.Op == "dial" {
		return fmt.Errorf("%w; --addr or ONRUSH_URL is the address of the running program", err)
	}
	switch {
	case err != nil:
		return err
	case answer.Status >= http.StatusMultipleChoices:
		return refused(r.path, answer)
	case into == nil || len(answer.Body) == 0:
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(answer.Body))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}

// noRoute is the detail of the answer where the program serves no operators' routes.
const noRoute = "There is no such route."

// refused returns the error of an answer that is not a success, in the words of its problem.
func refused(path string, a client.Answer) error {
	var problem client.Problem
	said := fmt.Sprintf("%d %s", a.Status, http.StatusText(a.Status))
	if json.Unmarshal(a.Body, &problem) == nil && problem.Code != "" {
		said += " " + problem.Code
		first := "" // the detail of a request with one wrong field repeats its error
		if len(problem.Errors) > 0 {
			first = problem.Errors[0].Field + ": " + problem.Errors[0].Detail
		}
		if detail := problem.Detail; detail != "" && detail != first {
			said += ": " + detail
		}
		for _, e := range problem.Errors {
			said += fmt.Sprintf("\n  %s %s", e.Field, e.Detail)
		}
		for _, change := range problem.Changes {
			said += "\n  " + overlooked(change)
		}
	}
	if a.Status >= http.StatusInternalServerError || a.Status == http.StatusTooManyRequests {
		return fmt.Errorf("%w: %s", errAway, said)
	}
	if a.Status == http.StatusNotFound && strings.HasPrefix(path, "/admin/") && (problem.Code == "" ||
		problem.Detail == noRoute) {
		said += "\nOperators are answered at ONRUSH_ADMIN_ADDR alone where that is set: ONRUSH_URL, or --addr, must " +
			"be this address"
		return &Refusal{Status: a.Status, detail: said} // no IsNotFound: nobody looked for what was asked for
	}
	return &Refusal{Status: a.Status, Code: problem.Code, detail: said}
}

// overlooked describes a change that a request overlooked which was made from an older version.
func overlooked(change client.OverlookedChange) string {
	text := fmt.Sprintf("%s %s %s", change.At.UTC().Format(TimeFormat), change.Actor, change.Action)
	for _, f := range change.Fields {
		text += "\n    " + DifferenceOf(f).String()
	}
	return text
}

// List returns the items of a list, from page to page by cursor.
func (c *Client) List(ctx context.Context, path string, query url.Values) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		query := maps.Clone(query) // the next list begins at the first page again
		query.Set("page_size", fmt.Sprint(pageSize))
		for {
			var page struct {
				Items      []json.RawMessage `json:"items"`
				NextCursor string            `json:"next_cursor"`
			}
			if err := c.Get(ctx, path+"?"+query.Encode(), &page); err != nil {
				yield(nil, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
			if page.NextCursor == "" {
				return
			}
			query.Set("after", page.NextCursor)
		}
	}
}
