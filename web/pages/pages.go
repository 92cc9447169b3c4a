// Package pages serves the pages of the program: the shop, a client of the public interface.
package pages

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"path"
	"strings"

	"github.com/gofiber/fiber/v2"

	"onrush/web/problem"
)

//go:embed shop
var files embed.FS

// kinds are the media types of the files.
var kinds = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".txt": "text/plain; charset=utf-8",
}

// Settings are what the pages must know of the program.
type Settings struct {
	// DevTokens is whether POST /dev/token exists.
	DevTokens bool `json:"dev_tokens"`
	// Channels are the payment channels.
	Channels []string `json:"channels"`
	// ReturnURL is whether payments take a return_url at the origin of the pages.
	ReturnURL bool `json:"return_url"`
	// ImageHosts are the sources of pictures in a Content-Security-Policy, such as https://img.example.
	ImageHosts []string `json:"-"`
}

// Register adds the shop at / and its files at /assets/shop/:version/:file, which browsers may keep for ever: another
// release has another version.
func Register(r fiber.Router, s Settings) error {
	entries, err := files.ReadDir("shop")
	if err != nil {
		return fmt.Errorf("pages: %w", err)
	}
	sum, assets := sha256.New(), map[string]fiber.Handler{}
	var page []byte
	for _, entry := range entries {
		data, err := files.ReadFile("shop/" + entry.Name())
		if err != nil {
			return fmt.Errorf("pages: %w", err)
		}
		_, _ = fmt.Fprintf(sum, "%s %d %s", entry.Name(), len(data), data)
		if entry.Name() == "index.html" {
			page = data
		} else if assets[entry.Name()], err = asset(data, kinds[path.Ext(entry.Name())]); err != nil {
			return fmt.Errorf("pages: %s: %w", entry.Name(), err)
		}
	}
	current := fmt.Sprintf("%x", sum.Sum(nil)[:8])
	index, err := s.index(string(page), "/assets/shop/"+current)
	if err != nil {
		return fmt.Errorf("pages: %w", err)
	}
	policy := s.policy()
	r.Get("/", func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderCacheControl, "no-cache")
		c.Set(fiber.HeaderContentSecurityPolicy, policy)
		c.Set(fiber.HeaderReferrerPolicy, "same-origin")
		c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
		c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
		return c.Send(index)
	})
	r.Get("/assets/shop/:version/:file", func(c *fiber.Ctx) error {
		if serve, ok := assets[c.Params("file")]; ok && c.Params("version") == current {
			return serve(c)
		}
		return problem.NotFound("file")
	})
	return nil
}

// index returns the page, with the folder of its files and its settings.
func (s Settings) index(text, base string) ([]byte, error) {
	page, err := template.New("index").Parse(text)
	if err != nil {
		return nil, err
	}
	settings, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = page.Execute(&out, map[string]any{"Assets": base, "Settings": string(settings)})
	return out.Bytes(), err
}

// policy lets the page load its own scripts and styles, call this program, and show pictures of its hosts.
func (s Settings) policy() string {
	images := strings.Join(append([]string{"'self'", "data:"}, s.ImageHosts...), " ")
	return "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; worker-src 'self'; " +
		"img-src " + images + "; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

// asset answers with a file whose path changes when it changes, compressed for browsers that take gzip.
func asset(data []byte, kind string) (fiber.Handler, error) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
		c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
		c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
		c.Set(fiber.HeaderContentType, kind)
		if c.AcceptsEncodings("gzip") != "gzip" {
			return c.Send(data)
		}
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return c.Send(packed.Bytes())
	}, nil
}
