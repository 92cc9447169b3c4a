package drill

import (
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/drill/wire"
	"onrush/app/operator"
	"onrush/web"
)

// Visitors of a copied sale may buy in it, whomever it is for.
func TestTokensNameTheSegmentsOfTheSale(t *testing.T) {
	t.Parallel()
	signed, err := wire.NewSigned(t.Context(), web.AuthConfig{Secret: strings.Repeat("secret", 6)})
	require.NoError(t, err)
	for file, want := range map[string]any{
		"activity_id: a\nsegments: [vip, 2026]": []any{"vip", "2026"}, "activity_id: a": nil, "": nil,
	} {
		r := &run{cfg: Config{Tokens: signed}}
		if file != "" {
			r.cfg.Sale, err = operator.ReadSale(strings.NewReader(file))
			require.NoError(t, err)
		}
		visitor, err := r.newShopper(t.Context(), Visitor{})
		require.NoError(t, err)
		said := jwt.MapClaims{}
		_, _, err = jwt.NewParser().ParseUnverified(visitor.Token, said)
		require.NoError(t, err)
		assert.Equal(t, want, said["segments"], file)
	}
}
