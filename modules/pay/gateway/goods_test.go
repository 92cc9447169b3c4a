package gateway_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/modules/pay/gateway"
)

func TestADescriptionNamesTheGoods(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ subject, goods, want string }{
		{"", "", "Order 12"},
		{"Tea shop", "", "Tea shop 12"},
		{"", "Kettle × 2, Cup", "Kettle × 2, Cup"},
		{"Tea shop", "Kettle", "Tea shop Kettle"},
		{"", "A&B=C/D\n\x00E", "A B C D  E"},
		{"", "Cup\xff", "Cup "},
	} {
		got := gateway.Describe(c.subject, &pay.Payment{Number: 12, Goods: c.goods}, 100, "/=&")
		require.Equal(t, c.want, got)
	}
	for most := 10; most < 30; most++ {
		got := gateway.Describe("", &pay.Payment{Goods: strings.Repeat("茶", 20)}, most, "")
		require.LessOrEqual(t, len(got), most)
		require.True(t, utf8.ValidString(got))
		require.True(t, strings.HasSuffix(got, "茶…"), got)
	}
}
