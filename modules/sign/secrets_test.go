package sign

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSecretsAreDifferentAndLongEnough(t *testing.T) {
	t.Parallel()
	a, b, c := strings.Repeat("a", MinSecret), strings.Repeat("b", MinSecret), strings.Repeat("c", MinSecret)
	d, e := strings.Repeat("d", MinSecret), strings.Repeat("e", MinSecret)
	for _, good := range []string{"", a, a + ";" + b, a + ";" + b + ";" + c + ";" + d} {
		require.NoError(t, ParseSecrets(good).Check("KEY"), good)
	}
	for bad, refusal := range map[string]string{
		a[1:]:                  "KEY is shorter than 32 bytes",
		a + ";" + b[1:]:        "KEY: secret 2 of 2 is shorter",
		a[1:] + ";" + b:        "KEY: secret 1 of 2 is shorter",
		a + ";":                "KEY: secret 2 of 2 is shorter",
		";" + a:                "KEY: secret 1 of 2 is shorter", // the variable before it was empty
		a + ";" + b + "; " + a: "KEY: secret 3 is the same as one before it",
		a + ";" + a:            "KEY: secret 2 is the same as one before it",
		a + strings.Join([]string{"", b, c, d, e}, ";"): "KEY has 5 secrets, but may have 4",
	} {
		err := ParseSecrets(bad).Check("KEY")
		require.ErrorContains(t, err, refusal)
		assert.NotContains(t, err.Error(), a[:3])
	}
	assert.Equal(t, Secrets{a, b}, ParseSecrets(a+"; "+b))
	assert.Equal(t, a, ParseSecrets(a+";"+b).First())
	assert.Empty(t, ParseSecrets("").First())
}
