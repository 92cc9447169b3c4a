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
