package server

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAPublicAddressIsOneThatBrowsersAndPagesCanUse(t *testing.T) {
	t.Parallel()
	check := func(url string) error {
		cfg := Config{Lanes: 16}
		cfg.PublicURL = url
		return cfg.Check()
	}
	for _, url := range []string{
		"", "https://shop.example", "https://shop.example/", "http://127.0.0.1:8080", "http://[::1]:8080",
		"https://shop.example/sales", "https://shop.example/sales/", "https://shop.example/a/b-c_d.e~f/1",
	} {
		require.NoError(t, check(url), url)
	}
	for _, url := range []string{
		"shop.example", "/sales", "ftp://shop.example", "https://", "https://shop.example?a=b", "https://shop.example?",
		"https://shop.example#a", "https://shop.example/sales#/", "https://shop.example#",
		"https://me:secret@shop.example", "https://shop.example/a//b",
		"https://shop.example/..",
		"https://shop.example/a/../b", "https://shop.example/.b", "https://shop.example/a%20b",
		"https://shop.example/a b",
		`https://shop.example/"><script>`, "https://shop.example/a'b", "https://shop.example/{{base}}",
		"https://shop.example/销售", "https://shop.example/a;b", "https://shop.example/`", "https://shop.example/${a}",
		"https://shop.example/\nservers:", "https://shop.example/" + strings.Repeat("a", 200),
	} {
		assert.ErrorContains(t, check(url), "ONRUSH_PUBLIC_URL", url)
	}
}
