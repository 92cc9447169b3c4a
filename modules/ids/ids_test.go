package ids

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-"

func TestAnIDHas1To64CharactersOfTheAlphabet(t *testing.T) {
	t.Parallel()
	for _, id := range []string{
		"a", "Z", "0", "-", "_", ":", "...", "a.", "..a", ".a", "a:b", alphabet[:Max], alphabet[len(alphabet)-Max:],
	} {
		assert.True(t, Valid(id), id)
	}
	for _, id := range []string{
		"", ".", "..", strings.Repeat("a", Max+1), "a b", " a", "a ", "a\n", "a/b", "a~b", "a|b", "a%b", "{a}", "a,b",
		"a;b", "é", "a\x00", "a\xff", "ａ",
	} {
		assert.False(t, Valid(id), "%q", id)
	}
	for c := range 0x80 {
		assert.Equal(t, c != '.' && strings.ContainsRune(alphabet, rune(c)), Valid(string(rune(c))), "%q", rune(c))
	}
}

func TestJoinedIDsAreSplitIntoTheSame(t *testing.T) {
	t.Parallel()
	id := rapid.StringMatching(`[A-Za-z0-9._:-]{1,64}`).Filter(Valid)
	rapid.Check(t, func(t *rapid.T) {
		parts := append(rapid.SliceOfN(id, 0, 4).Draw(t, "ids"), rapid.String().Draw(t, "user"))
		again, ok := Split(Join(parts...), len(parts))
		assert.True(t, ok)
		assert.Equal(t, parts, again)

		_, ok = Split(Join(parts[:len(parts)-1]...), len(parts))
		assert.Equal(t, len(parts) == 1, ok, "a text of fewer parts")
	})
}

func TestTheRangeOfAStartHasExactlyTheTextsThatBeginWithIt(t *testing.T) {
	t.Parallel()
	id := rapid.StringMatching(`[A-Za-z0-9._:-]{1,3}`)
	rapid.Check(t, func(t *rapid.T) {
		start, last := id.Draw(t, "start"), rapid.StringMatching(`[ -~]{0,3}`).Draw(t, "last")
		text := rapid.SampledFrom([]string{Join(start, last), start + last, Join(id.Draw(t, "other"), last), last}).
			Draw(t, "text")
		from, to := Range(start)
		assert.Equal(t, strings.HasPrefix(text, start+Separator), from <= text && text < to, text)
	})
}
