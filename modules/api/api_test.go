package api

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMillisAreRFC3339InUTC(t *testing.T) {
	t.Parallel()
	type times struct {
		At   Millis `json:"at"`
		Paid Millis `json:"paid,omitzero"`
	}
	text, err := json.Marshal(times{At: 1767323045678})
	require.NoError(t, err)
	assert.JSONEq(t, `{"at":"2026-01-02T03:04:05.678Z"}`, string(text))
	text, err = json.Marshal(times{Paid: 1000})
	require.NoError(t, err)
	assert.JSONEq(t, `{"at":null,"paid":"1970-01-01T00:00:01.000Z"}`, string(text))
	assert.Equal(t, "2026-01-02T03:04:05.678Z", FormatMS(1767323045678))
	for in, want := range map[string]Millis{
		`"2026-01-02T03:04:05.678Z"`:          1767323045678,
		`"2026-01-02T05:04:05.678999+02:00"`:  1767323045678,
		`"2026-01-02T03:04:05Z"`:              1767323045000,
		`null`:                                0,
		`"9999-12-31T23:59:59.999Z"`:          maxMillis,
		`"1970-01-01T00:00:00.000Z"`:          0,
		`"2026-01-02T03:04:05.000000000001Z"`: 1767323045000,
	} {
		var got Millis
		require.NoError(t, json.Unmarshal([]byte(in), &got), in)
		assert.Equal(t, want, got, in)
	}
	for _, in := range []string{
		`1767323045678`, `"2026-01-02"`, `"2026-01-02T03:04:05"`, `"1969-12-31T23:59:59Z"`, `""`, `true`,
		`"2026-13-02T03:04:05Z"`,
	} {
		var got Millis
		require.Error(t, json.Unmarshal([]byte(in), &got), in)
	}
	_, err = json.Marshal(Millis(maxMillis + 1))
	require.Error(t, err)
}

func TestListItemsAreNeverNull(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(List[string]{PageSize: 10, Partial: true})
	require.NoError(t, err)
	assert.JSONEq(t, `{"items":[],"page_size":10,"partial":true}`, string(text))
	total := int64(0)
	text, err = json.Marshal(List[string]{Items: []string{"a"}, Page: 1, PageSize: 10, Total: &total, NextCursor: "7"})
	require.NoError(t, err)
	assert.JSONEq(t, `{"items":["a"],"page":1,"page_size":10,"total":0,"next_cursor":"7","partial":false}`,
		string(text))
}
