package alipay

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// The text below was put together by hand from the rules, so that it does not lean on signedText.
func TestAlipaySignsSortedParametersBeforeEscaping(t *testing.T) {
	t.Parallel()
	form := url.Values{"b": {"2 &"}, "a": {"1="}, "sign": {"x"}, "sign_type": {"RSA2"}, "A": {"商"}}
	require.Equal(t, "A=商&a=1=&b=2 &", string(signedText(form, "sign", "sign_type")))
	require.Equal(t, "A=商&a=1=&b=2 &&sign_type=RSA2", string(signedText(form, "sign")))
}
