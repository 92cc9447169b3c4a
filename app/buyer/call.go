package buyer

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

const (
	// OK is the code of an answer that is no problem.
	OK = "ok"
	// NoAnswer is the code where a request was sent and nothing came back, so that its outcome is unknown.
	NoAnswer = "no_answer"
)

// Answer is what a buyer reads of an answer.
type Answer struct {
	Code           string // OK, NoAnswer or the problem's code; "" if no request was sent
	Status         int    // of HTTP; 0 without an answer
	RefreshAfterMS int64  // when to ask again
	Body           []byte
	Took           time.Duration // since the request was due
}

// Read reads the body of an answer, and reports whether it is a success of that form.
func (a *Answer) Read(into any) bool { return a.Code == OK && json.Unmarshal(a.Body, into) == nil }

// Call sends a request once there is a slot for it.
func (b *Buyer) Call(ctx context.Context, name, method, url, key string, body any) Answer {
	due := b.Due
	b.Due = time.Time{}
	if due.IsZero() {
		due = b.Now()
	}
	free, taken := take(ctx, b.Requests)
	if !taken {
		return Answer{}
	}
	defer free()
	var res fasthttp.Response
	a := Answer{Code: NoAnswer}
	if err := b.Program.Send(ctx, b.Address, NewRequest(b.Token, method, url, key, body), &res); err == nil {
		a = read(&res)
	}
	a.Took = b.Now().Sub(due)
	b.Answered(name, a)
	return a
}

// NewRequest returns a request with a token, an Idempotency-Key and a body of JSON, unless they are empty.
func NewRequest(token, method, url, key string, body any) *fasthttp.Request {
	var r fasthttp.Request
	r.Header.SetMethod(method)
	r.SetRequestURI(url)
	r.Header.SetHost("localhost")
	if token != "" {
		r.Header.Set(fiber.HeaderAuthorization, "Bearer "+token)
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			panic(err) // the bodies are structs of texts and numbers
		}
		r.Header.SetContentType(fiber.MIMEApplicationJSON)
		r.SetBody(data)
	}
	return &r
}

// read reads an answer. Successes and problems have the time after which to ask again in the same field.
func read(r *fasthttp.Response) Answer {
	a := Answer{Body: r.Body(), Status: r.StatusCode(), Code: OK}
	var says struct {
		Code           string `json:"code"`
		RefreshAfterMS int64  `json:"refresh_after_ms"`
	}
	err := json.Unmarshal(a.Body, &says)
	a.RefreshAfterMS = says.RefreshAfterMS
	if a.Status < fiber.StatusBadRequest && err == nil {
		return a
	}
	if a.Code = says.Code; err != nil || a.Code == "" {
		a.Code = strconv.Itoa(a.Status)
	}
	seconds, err := strconv.Atoi(string(r.Header.Peek(fiber.HeaderRetryAfter)))
	if err == nil && a.RefreshAfterMS == 0 {
		a.RefreshAfterMS = (time.Duration(seconds) * time.Second).Milliseconds()
	}
	return a
}
