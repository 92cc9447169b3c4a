package problem

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOriginsAreThoseThatBrowsersSend(t *testing.T) {
	t.Parallel()
	for link, want := range map[string]string{
		"https://shop.example":                 "https://shop.example",
		"https://shop.example/paid?a=b#/c":     "https://shop.example",
		"HTTPS://Shop.Example:443/":            "https://shop.example",
		"http://shop.example:80":               "http://shop.example",
		"https://shop.example:":                "https://shop.example",
		"https://shop.example:8443/a":          "https://shop.example:8443",
		"http://[::1]:5173/a":                  "http://[::1]:5173",
		"http://[::1]/":                        "http://[::1]",
		"https://shop.example.evil.example/":   "https://shop.example.evil.example",
		"https://evil.example/@shop.example":   "https://evil.example",
		"https://evil.example?https://shop.ex": "https://evil.example",
	} {
		got, ok := OriginOf(link)
		assert.True(t, ok, link)
		assert.Equal(t, want, got, link)
	}
	for _, link := range []string{
		"", "*", "null", "shop.example", "//shop.example", "https:/shop.example", "https:shop.example", "https://",
		"https:///shop.example", "ftp://shop.example", "javascript://shop.example/%0aalert(1)", "file:///etc/passwd",
		"https://shop.example@evil.example/", "https://user:secret@shop.example/",
		`https://shop.example\@evil.example/`,
		`https://evil.example\.shop.example`, "https://shop.example evil", "https://shop.example\n",
		"https://shöp.example",
		"https://shop.example%2eevil", "https://shop。example", "https://*.shop.example", "https://shop.example:x",
		"https://[fe80::1%25eth0]/", "https://a,b", "\thttps://shop.example",
	} {
		_, ok := OriginOf(link)
		assert.False(t, ok, link)
	}
}
