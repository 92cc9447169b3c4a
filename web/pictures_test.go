package web

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/modules/problem"
)

func TestAPictureIsALinkOrAPathOnThisHost(t *testing.T) {
	t.Parallel()
	for _, picture := range []string{
		"/assets/lamp.jpg", "/", "/a?b=c#d", "https://img.example/1.png", "http://a/b",
		"",
	} {
		assert.True(t, isPicture(picture), picture)
	}
	for _, picture := range []string{
		"lamp.jpg", "//img.example/1.png", `/\img.example`, "/a b", "/a\nb", "javascript:alert(1)",
		"data:image/png;base64,AA", "ftp://img.example/1.png", "https://", `/"`, "/%",
	} {
		assert.False(t, isPicture(picture), picture)
	}
}

func TestAPictureOfAnotherHostIsRefusedWithTheAllowedHosts(t *testing.T) {
	t.Parallel()
	refusal := func(p Pictures, picture string) string {
		var checks problem.Checks
		p.Check(&checks, "image_url", picture)
		if len(checks) == 0 {
			return ""
		}
		assert.Equal(t, "image_url", checks[0].Name)
		return checks[0].Detail
	}
	hosts := []string{"https://img.example", "https://cdn.example:8443"}
	shown := OnlyPicturesOf([]string{"https://shop.example"}, func() []string { return hosts })
	for _, picture := range []string{
		"", "/assets/lamp.jpg", "https://shop.example/1.png", "https://IMG.example/1.png",
		"https://img.example:443/1.png",
		"https://cdn.example:8443/1.png",
	} {
		assert.Empty(t, refusal(shown, picture), picture)
		assert.Empty(t, refusal(Pictures{}, picture), picture)
	}
	for _, picture := range []string{
		"http://img.example/1.png", "https://img.example.evil.example/1.png", "https://cdn.example/1.png",
		"https://img.example@evil.example/1.png", "//img.example/1.png",
	} {
		assert.Equal(t, "must be a path on this host, such as /assets/lamp.jpg, or a URL of https://img.example, "+
			"https://cdn.example:8443: the shop shows pictures of no other host (the setting image_hosts, or "+
			"ONRUSH_IMAGE_HOSTS)",
			refusal(shown, picture), picture)
		assert.Empty(t, refusal(Pictures{}, picture), picture)
	}
	hosts = nil
	assert.True(t, strings.HasPrefix(refusal(shown, "https://img.example/1.png"),
		"must be a path on this host, such as /assets/lamp.jpg: the shop"))
}
