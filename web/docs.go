package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"sync"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
	"onrush/web/yamljson"
)

//go:embed openapi.yaml docs/index.html docs/docs.css docs/docs.js docs/samples.js
var docsFiles embed.FS

// docsPolicy lets the page load its own style, script and description, and send requests to this server.
const docsPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' " +
	"data:; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// docsAssets are the files under /docs/assets/ with their media types.
var docsAssets = map[string]string{
	"docs.css":   "text/css; charset=utf-8",
	"docs.js":    "text/javascript; charset=utf-8",
	"samples.js": "text/javascript; charset=utf-8",
}

// OpenAPI returns the description of the routes in YAML.
func OpenAPI() ([]byte, error) { return docsFiles.ReadFile("openapi.yaml") }

// openAPIAsJSON converts the description once, since the instances of a test would spend a third of their start in it.
var openAPIAsJSON = sync.OnceValues(func() ([]byte, error) {
	description, err := OpenAPI()
	if err != nil {
		return nil, err
	}
	return yamljson.Convert(description)
})

// Docs adds /openapi.yaml and /openapi.json, the description of the routes, and /docs, a page
// that renders it and can send requests. base is the path below which browsers find the routes, such as /sales.
func Docs(r fiber.Router, base string) error {
	description, err := OpenAPI()
	asJSON, jsonErr := openAPIAsJSON()
	page, pageErr := docsFiles.ReadFile("docs/index.html")
	if err := errors.Join(err, jsonErr, pageErr); err != nil {
		return fmt.Errorf("docs: %w", err)
	}
	if base != "" {
		description = bytes.Replace(description, []byte("\n  - url: /\n"), []byte("\n  - url: "+base+"\n"), 1)
		asJSON = bytes.Replace(asJSON, []byte(`"servers":[{"url":"/"}]`), []byte(`"servers":[{"url":"`+base+`"}]`), 1)
	}
	page = bytes.ReplaceAll(page, []byte("{{base}}"), []byte(base))
	r.Get("/openapi.yaml", static(description, "application/yaml; charset=utf-8"))
	r.Get("/openapi.json", static(asJSON, "application/json"))
	r.Get("/docs", static(page, "text/html; charset=utf-8"))
	assets := make(map[string]fiber.Handler, len(docsAssets))
	for name, kind := range docsAssets {
		data, err := docsFiles.ReadFile("docs/" + name)
		if err != nil {
			return fmt.Errorf("docs: %w", err)
		}
		assets[name] = static(data, kind)
	}
	r.Get("/docs/assets/:file", func(c *fiber.Ctx) error {
		if serve, ok := assets[c.Params("file")]; ok {
			return serve(c)
		}
		return problem.NotFound("file")
	})
	return nil
}

// static answers with an embedded file. Browsers may cache it but must revalidate it, since a new
// release uses the same paths.
func static(data []byte, kind string) fiber.Handler {
	tag := fmt.Sprintf(`"%x"`, digest(data))
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderCacheControl, "no-cache")
		c.Set(fiber.HeaderETag, tag)
		c.Set(fiber.HeaderContentSecurityPolicy, docsPolicy)
		c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
		if HasTag(c, tag) {
			return c.SendStatus(fiber.StatusNotModified)
		}
		c.Set(fiber.HeaderContentType, kind)
		return c.Send(data)
	}
}

// digest identifies a content.
func digest(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:12]
}
