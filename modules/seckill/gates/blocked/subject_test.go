package blocked

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
)

func TestSubjectIsAnAddressWhereItLooksLikeOneUnlessItIsNamedAUser(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Subject{
		"alice":                            {User, "alice"},
		"user:192.0.2.7":                   {User, "192.0.2.7"},
		"user:user:bob":                    {User, "user:bob"},
		"user:address:1":                   {User, "address:1"},
		"300.1.1.1":                        {User, "300.1.1.1"},
		"192.0.2.7":                        {Address, "192.0.2.7"},
		"192.0.2.7/32":                     {Address, "192.0.2.7"},
		"192.0.2.0/24":                     {Address, "192.0.2.0/24"},
		"address:192.0.2.0/24":             {Address, "192.0.2.0/24"},
		"2001:DB8:0::1":                    {Address, "2001:db8::1"},
		"2001:db8::/64":                    {Address, "2001:db8::/64"},
		"user:" + strings.Repeat("ü", 64):  {User, strings.Repeat("ü", 64)},
		"fe80::1%eth0":                     {User, "fe80::1%eth0"}, // no address as clients have them
		"https://shop.example/users/alice": {User, "https://shop.example/users/alice"},
	} {
		got, err := ParseSubject(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{
		"", "user:", "address:", "address:alice", "address:fe80::1%eth0", "192.0.2.7/24", "::ffff:192.0.2.7",
		"::ffff:0:0/96", "2001:db8::1/64", "bob ", "a\nb", strings.Repeat("a", 65), "\xff",
	} {
		_, err := ParseSubject(text)
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err), "%q", text)
	}
}
