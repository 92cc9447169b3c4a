package line

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/ids"
	"onrush/modules/sign"
)

const secret = "a secret of the sale, long enough"

var testSealer = newSealer(sign.Secrets{secret})

func FuzzOpenPlace(f *testing.F) {
	f.Add("ada", testSealer.seal("ada", place{activity: "a1", position: early}))
	f.Add("ada", testSealer.seal("ada", place{activity: "a1", position: 1 << 40})+"\n")
	f.Add("ada", testSealer.seal("eve", place{activity: strings.Repeat("a", 32), position: 7}))
	f.Add("", "")
	f.Fuzz(func(t *testing.T, user, sealed string) {
		p, ok := testSealer.open(user, sealed)
		if ok {
			require.Equal(t, testSealer.seal(user, p), sealed, "a place has one form")
		}
	})
}

func TestAPlaceOpensForItsUserOnlyAndInOneForm(t *testing.T) {
	t.Parallel()
	for _, p := range []place{
		{activity: "a1", position: early},
		{activity: "a1"},
		{activity: strings.Repeat("x", ids.Max), position: 1 << 40},
	} {
		sealed := testSealer.seal("ada", p)
		opened, ok := testSealer.open("ada", sealed)
		assert.True(t, ok)
		assert.Equal(t, p, opened)
		for _, other := range []string{"eve", "", "ad", "ada ", p.activity} {
			_, ok := testSealer.open(other, sealed)
			assert.False(t, ok, other)
		}
		for i := range len(sealed) + 1 {
			for _, b := range []string{"A", "_", "0", "\n", "\r", "=", "\x00", ""} {
				inserted, replaced := sealed[:i]+b+sealed[i:], sealed[:i]+b+sealed[min(i+1, len(sealed)):]
				for _, changed := range []string{inserted, replaced} {
					if changed != sealed {
						_, ok := testSealer.open("ada", changed)
						require.False(t, ok, "%q", changed)
					}
				}
			}
		}
	}
	_, ok := testSealer.open("ada", testSealer.seal("ada", place{activity: strings.Repeat("x", ids.Max+1)}))
	assert.False(t, ok, "too long")
}

func TestPlacesOfThePreviousSecretAreAcceptedAndThoseOfOthersAreNot(t *testing.T) {
	t.Parallel()
	sealed := testSealer.seal("ada", place{activity: "a1"})
	changed := newSealer(sign.Secrets{"another secret, which is long enough, too", secret})
	_, ok := changed.open("ada", sealed)
	assert.True(t, ok)
	assert.NotEqual(t, sealed, changed.seal("ada", place{activity: "a1"}))
	_, ok = testSealer.open("ada", changed.seal("ada", place{activity: "a1"}))
	assert.False(t, ok)
}

func TestScoresHaveFiftyTwoBitsAndDependOnUserAndActivity(t *testing.T) {
	t.Parallel()
	score, spread := testSealer.score("a1", "ada")
	again, _ := testSealer.score("a1", "ada")
	assert.Equal(t, score, again)
	for _, other := range [][2]string{{"a1", "eve"}, {"a2", "ada"}, {"a", "1ada"}} {
		different, _ := testSealer.score(other[0], other[1])
		assert.NotEqual(t, score, different)
	}
	assert.Less(t, score, int64(1)<<52)
	assert.Positive(t, score)
	assert.True(t, spread >= 0 && spread < 1)
}

func BenchmarkOpenPlace(b *testing.B) {
	sealed := testSealer.seal("ada", place{activity: "a1", position: 7})
	b.ReportAllocs()
	for b.Loop() {
		testSealer.open("ada", sealed)
	}
}
