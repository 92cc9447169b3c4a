package api

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestACursorIsReadInOneSpelling(t *testing.T) {
	t.Parallel()
	good := FormatCursor("1795170245195", "lamp")
	keys, ok := ParseCursor(good, 2)
	require.True(t, ok)
	assert.Equal(t, []string{"1795170245195", "lamp"}, keys)
	for _, text := range []string{good + "\n", "\r" + good, good[:8] + "\n" + good[8:], good + "=", good + "A", ""} {
		_, ok := ParseCursor(text, 2)
		assert.False(t, ok, "%q", text)
	}
	_, ok = ParseCursor(good, 1)
	assert.False(t, ok, "it has two keys")
}

func FuzzParseCursor(f *testing.F) {
	for _, text := range []string{
		"", "YzE", FormatCursor("a"), FormatCursor("", ""), FormatCursor("page", "2") + "\n", "____",
	} {
		f.Add(text, uint8(2))
	}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		count := 1 + int(n)%4
		keys, ok := ParseCursor(text, count)
		if ok {
			require.Len(t, keys, count)
			require.Equal(t, text, FormatCursor(keys...), "it was given out so")
		}
		if number, ok := ParseNext(text); ok {
			require.Equal(t, text, Page{Page: number - 1, Size: 1}.Next(int64(number)))
		}
	})
}
