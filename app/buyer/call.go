package buyer

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"onrush/web/client"
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
	a := Answer{Code: NoAnswer}
	req := client.Request{Method: method, Path: url, Token: b.Token, Key: key, Body: body}
	if got, err := b.Program.Send(ctx, b.Address, req); err == nil {
		a = read(got)
	}
	a.Took = b.Now().Sub(due)
	b.Answered(name, a)
	return a
}

// read reads an answer. Successes and problems have the time after which to ask again in the same field.
func read(got client.Answer) Answer {
	a := Answer{Body: got.Body, Status: got.Status, Code: OK}
	var says struct {
		Code           string `json:"code"`
		RefreshAfterMS int64  `json:"refresh_after_ms"`
	}
	err := json.Unmarshal(a.Body, &says)
	a.RefreshAfterMS = says.RefreshAfterMS
	if a.Status < http.StatusBadRequest && err == nil {
		return a
	}
	if a.Code = says.Code; err != nil || a.Code == "" {
		a.Code = strconv.Itoa(a.Status)
	}
	seconds, err := strconv.Atoi(got.Header.Get("Retry-After"))
	if err == nil && a.RefreshAfterMS == 0 {
		a.RefreshAfterMS = (time.Duration(seconds) * time.Second).Milliseconds()
	}
	return a
}
