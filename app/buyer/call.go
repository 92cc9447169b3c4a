package buyer

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"onrush/modules/seckill/gates/line"
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
	Path           string
	Place          string
	PlaceStatus    line.Status
	AddressID      string
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
	if b.Requests != nil {
		select {
		case b.Requests <- struct{}{}:
		case <-ctx.Done():
			return Answer{}
		}
		defer func() { <-b.Requests }()
	}
	if ctx.Err() != nil { // both were ready
		return Answer{}
	}
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

func read(r *fasthttp.Response) (a Answer) {
	var fields struct {
		Code           string      `json:"code"`
		RefreshAfterMS int64       `json:"refresh_after_ms"`
		Path           string      `json:"path"`
		Place          string      `json:"place"`
		Status         line.Status `json:"status"` // of the place; a problem has a number
		AddressID      string      `json:"address_id"`
	}
	a.Body, a.Status = r.Body(), r.StatusCode()
	if a.Status < fiber.StatusBadRequest && json.Unmarshal(a.Body, &fields) == nil {
		a.Code, a.RefreshAfterMS = OK, fields.RefreshAfterMS
		a.Path, a.Place, a.PlaceStatus, a.AddressID = fields.Path, fields.Place, fields.Status, fields.AddressID
		return a
	}
	var problem struct {
		Code           string `json:"code"`
		RefreshAfterMS int64  `json:"refresh_after_ms"`
	}
	if err := json.Unmarshal(a.Body, &problem); err != nil || problem.Code == "" {
		problem.Code = strconv.Itoa(a.Status)
	}
	a.Code, a.RefreshAfterMS = problem.Code, problem.RefreshAfterMS
	seconds, err := strconv.Atoi(string(r.Header.Peek(fiber.HeaderRetryAfter)))
	if err == nil && a.RefreshAfterMS == 0 {
		a.RefreshAfterMS = (time.Duration(seconds) * time.Second).Milliseconds()
	}
	return a
}
