package contract

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/test/site"
	"onrush/web"
)

// isProblem checks an error answer against the schema Problem, and requires that it contains no stack,
// statement or key.
func (s *shop) isProblem(t testing.TB, a site.Answer, what string) {
	t.Helper()
	assert.Equal(t, web.ProblemType, a.Header.Get("Content-Type"), what)
	var problem map[string]any
	if !assert.NoError(t, json.Unmarshal(a.Body, &problem), what) {
		return
	}
	assert.NoError(t, s.conforms(s.doc.Components.Schemas["Problem"].Value, problem), what)
	assert.EqualValues(t, a.Status, problem["status"], what)
	code, _ := problem["code"].(string)
	assert.Equal(t, "urn:onrush:problem:"+code, problem["type"], what)
	text := string(a.Body)
	for _, random := range []string{"task_id", "request_id"} { // random letters spell anything
		if id, ok := problem[random].(string); ok && id != "" {
			text = strings.ReplaceAll(text, id, "")
		}
	}
	text = strings.ReplaceAll(text, `"to":"http://127.0.0.1:`, "") // an endpoint that the test has registered
	for _, secret := range secrets {
		assert.NotContains(t, text, secret, what)
	}
	assert.NotContains(t, text, s.stores.Keys.Prefix+":", what)
}

// secrets match internals: statements, tables, keys, stacks, drivers.
var secrets = []string{
	"SELECT ", "INSERT ", "UPDATE ", "DELETE ", " FROM ", " WHERE ", "activity_stock", "stock_outbox", "order_items",
	"lock_log", "goroutine ", ".go:", "runtime error", "panic", "sql:", "Error 1", "redis:", "WRONGTYPE", "ERR ",
	"0x", "dial tcp", "127.0.0.1", "connection refused", "switched off by the test", "broken pipe", "EOF",
	"context deadline", "driver: ",
}

// timeFields are the fields of answers that are times.
var timeFields = regexp.MustCompile(`"(?:[a-z_]+_at|at|pay_before|server_time)":("[^"]*"|[^",}\]]+)`)

// oneTime is the format of times that the file describes.
var oneTime = regexp.MustCompile(`^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"$`)

// plainTimes requires that the times of an answer are RFC 3339 in UTC with milliseconds.
func plainTimes(t testing.TB, a site.Answer, what string) {
	t.Helper()
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") ||
		strings.Contains(string(a.Body), `"openapi"`) {
		return
	}
	for _, found := range timeFields.FindAllSubmatch(a.Body, -1) {
		assert.Regexp(t, oneTime, string(found[1]), what)
	}
}
