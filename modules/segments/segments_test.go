package segments_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"onrush/modules/segments"
)

const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789_-"

func TestANameHas1To32CharactersOfTheAlphabet(t *testing.T) {
	t.Parallel()
	for c := range 0x100 {
		assert.Equal(t, strings.ContainsRune(alphabet, rune(c)), segments.Valid(string(rune(c))), "%q", rune(c))
	}
	assert.True(t, segments.Valid(strings.Repeat("a", 32)))
	for _, name := range []string{"", strings.Repeat("a", 33), "a b", "a\x00", "gold\n", "\xff"} {
		assert.False(t, segments.Valid(name), "%q", name)
	}
}

// names returns a list of n different names as JSON has it.
func names(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"n%02d"`, i)
	}
	return "[" + strings.Join(list, ",") + "]"
}

func TestSegmentsAreAListOfNamesOrOneName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]segments.Set{
		`null`: "", `[]`: "", `"gold"`: "gold", `["gold"]`: "gold",
		`["vip","gold","vip"]`: "gold vip", ` [ "b" , "a-1_" ] `: "a-1_ b", `["\u0061"]`: "a",
	} {
		got := segments.Set("before")
		require.NoError(t, json.Unmarshal([]byte(text), &got), text)
		assert.Equal(t, want, got, text)
	}
	var most segments.Set
	require.NoError(t, json.Unmarshal([]byte(names(32)), &most))
	assert.Len(t, most.Names(), 32)
	for _, text := range []string{
		`""`, `"a b"`, `"Gold"`, `5`, `true`, `{}`, `{"a":1}`, `["gold",5]`, `["gold",null]`, `[["gold"]]`, `[""]`,
		`["gold vip"]`, `["é"]`, `["` + strings.Repeat("a", 33) + `"]`, names(33),
		`[` + strings.Repeat(`"a",`, 32) + `"a"]`,
	} {
		got := segments.Set("before")
		require.Error(t, json.Unmarshal([]byte(text), &got), text)
		assert.Equal(t, segments.Set("before"), got, text)
	}
}

func TestTheReasonOfARefusalHasNoSegment(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`["Secret"]`: "1 to 32 lower-case", `["secret",5]`: "neither a list of names nor a name",
		names(33): "there are 33 segments; at most 32",
	} {
		var got segments.Set
		err := json.Unmarshal([]byte(text), &got)
		require.ErrorContains(t, err, want)
		assert.NotContains(t, strings.ToLower(err.Error()), "secret")
		assert.NotContains(t, err.Error(), "n07")
	}
}

// Sets are written and read, and meet as lists of names do.
func TestSetsMeetWhereTheyHaveANameInCommon(t *testing.T) {
	t.Parallel()
	list := rapid.SliceOfN(rapid.StringMatching(`[ab-]{1,2}`), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		mine, theirs := list.Draw(t, "mine"), list.Draw(t, "theirs")
		a, err := segments.Of(mine)
		require.NoError(t, err)
		b, err := segments.Of(theirs)
		require.NoError(t, err)
		want := slices.ContainsFunc(mine, func(name string) bool { return slices.Contains(theirs, name) })
		assert.Equal(t, want, a.Meets(b), "%q and %q", a, b)
		text, err := json.Marshal(a)
		require.NoError(t, err)
		var again segments.Set
		require.NoError(t, json.Unmarshal(text, &again))
		assert.Equal(t, a, again)
		var written []string
		require.NoError(t, json.Unmarshal(text, &written))
		assert.Equal(t, slices.Compact(slices.Sorted(slices.Values(mine))), append([]string(nil), written...))
	})
}

//nolint:paralleltest // allocations are counted
func TestComparingSetsAllocatesNothingAndEqualSetsShareTheirText(t *testing.T) {
	first, err := segments.Of([]string{"members", "vip"})
	require.NoError(t, err)
	second, err := segments.Of([]string{"vip", "members", "vip"})
	require.NoError(t, err)
	assert.Same(t, unsafe.StringData(string(first)), unsafe.StringData(string(second)))
	other, err := segments.Of([]string{"a", "n", "z"})
	require.NoError(t, err)
	met := false
	assert.Zero(t, testing.AllocsPerRun(100, func() { met = met || first.Meets(other) }))
	assert.False(t, met)
}
