package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/utils"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/tracing"
)

// ProblemType is the media type of an error answer (RFC 9457).
const ProblemType = "application/problem+json"

// Problem is an error as clients see it (RFC 9457, with the members code, errors,
// refresh_after_ms, task_id, starts_at, server_time, version and changes).
type Problem struct {
	Type           string          `json:"type"` // urn:onrush:problem:<code>
	Title          string          `json:"title"`
	Status         int             `json:"status"`
	Detail         string          `json:"detail,omitempty"`
	Code           string          `json:"code"`
	Errors         []problem.Field `json:"errors,omitempty"`
	RefreshAfterMS int64           `json:"refresh_after_ms,omitempty"`
	TaskID         string          `json:"task_id,omitempty"`
	StartsAt       api.Millis      `json:"starts_at,omitzero"`
	ServerTime     api.Millis      `json:"server_time,omitzero"`
	NextWaveAt     api.Millis      `json:"next_wave_at,omitzero"`

	Version int64            `json:"version,omitempty"`
	Changes []api.Overlooked `json:"changes,omitempty"`

	RequestID string `json:"request_id"`
	TraceID   string `json:"trace_id,omitempty"` // of a request in a sampled trace
}

// problemOf returns what a client may know of an error.
func problemOf(e *problem.Error) Problem {
	p := Problem{
		Type:           "urn:onrush:problem:" + e.Code.Name,
		Title:          title(e.Code),
		Status:         e.Status(),
		Detail:         e.Detail,
		Code:           e.Code.Name,
		Errors:         e.Fields[:min(len(e.Fields), problem.MaxFields)],
		RefreshAfterMS: e.RefreshAfter.Milliseconds(),
		TaskID:         e.TaskID,
		StartsAt:       api.Millis(e.StartsMS),
		ServerTime:     api.Millis(e.NowMS),
		NextWaveAt:     api.Millis(e.NextWaveMS),
	}
	if e.Stale != nil {
		p.Version, p.Changes = e.Stale.Version, e.Stale.Changes
	}
	if p.Status == http.StatusInternalServerError {
		// The cause is written to the log only.
		p.Code, p.Type, p.Title = problem.CodeInternal.Name, "urn:onrush:problem:internal", title(problem.CodeInternal)
		p.Detail, p.Errors = "Something went wrong here. The request id finds it in the log.", nil
	}
	return p
}

// title returns the code as words: "sold_out" is "Sold out".
func title(code problem.Code) string {
	if code == problem.CodeInternal {
		return "Internal error"
	}
	words := strings.ReplaceAll(code.Name, "_", " ")
	if words == "" {
		return words
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

// asError turns the error of a handler into an Error. An exceeded deadline is unavailable; any other
// error is internal and keeps its cause for the log.
func asError(err error) *problem.Error {
	if e, ok := errors.AsType[*problem.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*fiber.Error](err); ok {
		return fromFiber(e)
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return problem.Unavailable(err, "This took too long. Please try again.")
	}
	return &problem.Error{Code: problem.CodeInternal, Err: err}
}

// fromFiber turns an error of the router or the HTTP server into an Error.
func fromFiber(e *fiber.Error) *problem.Error {
	switch e.Code {
	case http.StatusNotFound:
		return problem.Errorf(problem.CodeNotFound, "There is no such route.")
	case http.StatusMethodNotAllowed:
		return problem.Errorf(CodeMethodNotAllowed,
			"This route doesn't know that method; the header Allow names those it knows.")
	case http.StatusRequestEntityTooLarge:
		return problem.Errorf(CodeTooLarge, "The body is larger than this server takes.")
	case http.StatusRequestHeaderFieldsTooLarge:
		return problem.Errorf(CodeHeadersTooLarge, "The request line and headers are larger than this server takes.")
	case http.StatusRequestTimeout:
		return problem.Errorf(CodeRequestTimeout, "The request did not arrive in time.")
	case http.StatusBadGateway:
		// The server returns this if the connection broke while the request was read.
		return &problem.Error{Code: CodeBadRequest, Detail: "The request broke off.", Err: e}
	case http.StatusServiceUnavailable:
		return problem.Unavailable(e, "The server is not available at the moment.")
	}
	if e.Code >= 400 && e.Code < 500 {
		return &problem.Error{Code: CodeBadRequest, Detail: "The request can't be read as HTTP.", Err: e}
	}
	return &problem.Error{Code: problem.CodeInternal, Err: e}
}

// writeProblem answers with an error and replaces what the handler has written.
func writeProblem(c *fiber.Ctx, e *problem.Error, p Problem) error {
	p.RequestID = utils.UnsafeString(c.Response().Header.Peek(HeaderRequestID)) // p lives no longer than the header
	p.TraceID = tracing.ID(c.UserContext())
	detail := problem.Chinese(p.Code)
	if detail != "" && !e.Untranslated && strings.HasPrefix(c.Path(), buyersRoutes) && prefersChinese(c) {
		p.Detail = detail
		c.Set(fiber.HeaderContentLanguage, "zh")
	}
	body, err := json.Marshal(&p)
	if err != nil {
		return err
	}
	if e.RetryAfter > 0 {
		seconds := int64((e.RetryAfter + time.Second - 1) / time.Second)
		c.Set(fiber.HeaderRetryAfter, strconv.FormatInt(seconds, 10))
	}
	if p.Status == http.StatusUnauthorized {
		c.Set(fiber.HeaderWWWAuthenticate, "Bearer")
	}
	c.Response().Header.Del(fiber.HeaderContentEncoding)
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderContentType, ProblemType)
	c.Response().SetBodyRaw(body)
	c.Status(p.Status)
	return nil
}
