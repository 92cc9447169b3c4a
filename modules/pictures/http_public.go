package pictures

import (
	"github.com/gofiber/fiber/v2"

	"onrush/web"
)

// HTTPPublic has the route that shows pictures to everybody.
type HTTPPublic struct{ reader *Reader }

// NewHTTPPublic returns the route over reader.
func NewHTTPPublic(reader *Reader) *HTTPPublic { return &HTTPPublic{reader} }

// Show answers GET /pictures/{picture_id}. A browser takes the answer for nothing but a picture, whatever its content
// might be to other programs.
func (h *HTTPPublic) Show(c *fiber.Ctx) error {
	id, err := web.ParamID(c, "picture_id", "picture")
	if err != nil {
		return err
	}
	known, err := h.reader.header(c.UserContext(), id)
	if err != nil {
		return err
	}
	var data []byte
	tag := `"` + id + `"`
	hasTag, isHead := web.HasTag(c, tag), c.Method() == fiber.MethodHead
	if !hasTag && !isHead {
		if data, err = h.reader.content(c.UserContext(), known); err != nil {
			return err
		}
	}
	c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	c.Set(fiber.HeaderETag, tag)
	c.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; sandbox")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set("Cross-Origin-Resource-Policy", "cross-origin") // the shop's own pages may be at another origin
	if hasTag {
		return c.SendStatus(fiber.StatusNotModified)
	}
	c.Set(fiber.HeaderContentType, known.MediaType)
	if isHead {
		c.Response().Header.SetContentLength(known.Bytes)
		return nil
	}
	return c.Send(data)
}
