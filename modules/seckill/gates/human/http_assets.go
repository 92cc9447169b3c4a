package human

import (
	"crypto/sha256"
	"embed"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

//go:embed assets/human.js assets/human_worker.js
var assets embed.FS

// RegisterAssets adds the scripts that solve a proof of work in a browser: /assets/human.js, which a page
// loads, and /assets/human_worker.js, which it runs in a worker. They need no token and run under the policy
// script-src 'self'; worker-src 'self'.
func RegisterAssets(r fiber.Router) error {
	for _, name := range []string{"human.js", "human_worker.js"} {
		data, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return fmt.Errorf("human check: %w", err)
		}
		r.Get("/assets/"+name, script(data))
	}
	return nil
}

// script answers with a script. Browsers may cache it but must revalidate it, since a new release uses the
// same path.
func script(data []byte) fiber.Handler {
	sum := sha256.Sum256(data)
	tag := fmt.Sprintf(`"%x"`, sum[:8])
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderCacheControl, "no-cache")
		c.Set(fiber.HeaderETag, tag)
		c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
		c.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'") // of the worker
		if web.HasTag(c, tag) {
			return c.SendStatus(fiber.StatusNotModified)
		}
		c.Set(fiber.HeaderContentType, "text/javascript; charset=utf-8")
		return c.Send(data)
	}
}
