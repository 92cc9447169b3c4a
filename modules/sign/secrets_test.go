package sign

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheOtherSecretsOfAChangeAreNewAndLongEnough(t *testing.T) {
	t.Parallel()
	a, b, c := strings.Repeat("a", MinSecret), strings.Repeat("b", MinSecret), strings.Repeat("c", MinSecret)
	for _, good := range []Secrets{
		{}, {Secret: "judged by who uses it"}, {Secret: a, Next: b}, {Secret: b, Previous: a}, {a, b, c},
	} {
		require.NoError(t, good.CheckOthers("KEY"), "%+v", good)
	}
	for refusal, bad := range map[string]Secrets{
		"KEY_NEXT is shorter":                        {Secret: a, Next: b[1:]},
		"KEY_PREVIOUS is shorter":                    {Secret: a, Previous: b[1:]},
		"KEY is missing beside KEY_NEXT":             {Next: b},
		"KEY is missing beside KEY_NEXT or KEY_PREV": {Previous: b},
		"KEY_NEXT is the same as KEY: ":              {Secret: a, Next: a},
		"KEY_PREVIOUS is the same as KEY: ":          {Secret: a, Previous: a},
		"KEY_NEXT is the same as KEY_PREVIOUS: ":     {Secret: a, Next: b, Previous: b},
		"KEY_NEXT is the same as KEY: leave it out":  {a, a, a},
	} {
		err := bad.CheckOthers("KEY")
		require.ErrorContains(t, err, refusal)
		assert.NotContains(t, err.Error(), a[:3])
	}
	assert.Equal(t, []string{a, b, c}, Secrets{a, b, c}.All())
	assert.Equal(t, []string{a, c}, Secrets{Secret: a, Previous: c}.All())
}
