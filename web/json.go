package web

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// SendJSON answers with JSON that is encoded already. Nobody may change body afterwards.
func SendJSON(c *fiber.Ctx, body []byte) error {
	c.Response().Header.SetContentType(fiber.MIMEApplicationJSON)
	c.Response().SetBodyRaw(body)
	return nil
}

// SendTagged answers with a value as JSON, which a browser may keep but must ask about each time: if it has the same
// already, the answer is 304 without a body.
func SendTagged(c *fiber.Ctx, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	tag := fmt.Sprintf(`"%x"`, digest(body))
	c.Set(fiber.HeaderCacheControl, "private, no-cache")
	c.Set(fiber.HeaderETag, tag)
	if HasTag(c, tag) {
		return c.SendStatus(fiber.StatusNotModified)
	}
	return SendJSON(c, body)
}

// HasTag reports whether the client has an answer already whose ETag is made of its content; proxies that compress make
// such a tag weak. A version (SetVersion) is no such tag: it doesn't rise with all that an answer shows.
func HasTag(c *fiber.Ctx, tag string) bool {
	for had := range strings.SplitSeq(c.Get(fiber.HeaderIfNoneMatch), ",") {
		if had = strings.TrimSpace(had); had == "*" || strings.TrimPrefix(had, "W/") == tag {
			return true
		}
	}
	return false
}
