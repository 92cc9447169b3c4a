package web

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/problem"
)

func TestAProblemHasTheBytesOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	p := Problem{
		Type: "urn:onrush:problem:x", Title: "X", Status: 409, Detail: "<a>&\"\\\u2028\xff数", Code: "x",
		Errors: []problem.Field{{Name: "a", Detail: "<b>"}}, RefreshAfterMS: 7, TaskID: "t", StartsAt: 1, ServerTime: 2,
		Version: 3, Changes: []api.Overlooked{
			{ID: "7", Fields: []api.ChangedField{{Field: "f", From: json.RawMessage(`{"a":[1]}`)}}}, {},
		},
		RequestID: "r", TraceID: "tr",
	}
	written, err := json.Marshal(p)
	require.NoError(t, err)
	//nolint:testifylint // byte for byte
	assert.Equal(t, `{"type":"urn:onrush:problem:x","title":"X","status":409,`+
		`"detail":"\u003ca\u003e\u0026\"\\\u2028\ufffd数","code":"x","errors":[{"field":"a","detail":"\u003cb\u003e"}],`+
		`"refresh_after_ms":7,"task_id":"t","starts_at":"1970-01-01T00:00:00.001Z",`+
		`"server_time":"1970-01-01T00:00:00.002Z","version":3,"changes":[{"change_id":"7","at":null,"actor":"",`+
		`"action":"","fields":[{"field":"f","from":{"a":[1]}}]},{"change_id":"","at":null,"actor":"","action":"",`+
		`"fields":null}],"request_id":"r","trace_id":"tr"}`, string(written))
}
