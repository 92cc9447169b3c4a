package web

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"onrush/modules/api"
	"onrush/modules/problem"
)

func TestAProblemIsEncodedAsItsTagsSay(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "sold_out", "a<b> & \"c\"\\\n\u2028", "中"}), rapid.String())
	instant := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(1, 253_402_300_799_999))
	rapid.Check(t, func(t *rapid.T) {
		p := Problem{
			Type: "urn:" + text.Draw(t, "type"), Title: "T" + text.Draw(t, "title"),
			Status: rapid.IntRange(0, 599).Draw(t, "status"),
			Detail: text.Draw(t, "detail"), Code: "c" + text.Draw(t, "code"),
			RefreshAfterMS: rapid.SampledFrom([]int64{0, 1, 5000}).Draw(t, "refresh"), TaskID: text.Draw(t, "task"),
			StartsAt: api.Millis(instant.Draw(t, "starts")), ServerTime: api.Millis(instant.Draw(t, "now")),
		}
		if rapid.Bool().Draw(t, "with fields") {
			p.Errors = []problem.Field{{Name: text.Draw(t, "name"), Detail: "is wrong"}}
		}
		if rapid.Bool().Draw(t, "with changes") {
			p.Version = rapid.Int64().Draw(t, "version")
			p.Changes = []api.Overlooked{
				{ID: "7", At: p.StartsAt, Actor: text.Draw(t, "actor"), Action: "update"},
				{Fields: []api.ChangedField{
					{Field: text.Draw(t, "field"), From: json.RawMessage(`{"a":[1]}`)}, {To: json.RawMessage("null")},
				}},
			}
		}
		want, err := json.Marshal(p)
		require.NoError(t, err)
		got, err := p.encode()
		require.NoError(t, err)
		assert.JSONEq(t, string(want), string(got))
	})
}

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
	written, err := p.encode()
	require.NoError(t, err)
	//nolint:testifylint // byte for byte
	assert.Equal(t, `{"type":"urn:onrush:problem:x","title":"X","status":409,`+
		`"detail":"\u003ca\u003e\u0026\"\\\u2028\ufffd数","code":"x","errors":[{"field":"a","detail":"\u003cb\u003e"}],`+
		`"refresh_after_ms":7,"task_id":"t","starts_at":"1970-01-01T00:00:00.001Z",`+
		`"server_time":"1970-01-01T00:00:00.002Z","version":3,"changes":[{"change_id":"7","at":null,"actor":"",`+
		`"action":"","fields":[{"field":"f","from":{"a":[1]}}]},{"change_id":"","at":null,"actor":"","action":"",`+
		`"fields":null}],"request_id":"r","trace_id":"tr"}`, string(written))
}
