package web

import (
	"strings"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/text/language"
)

// buyersRoutes begin the paths whose problems a buyer may read.
const buyersRoutes = "/api/v1/"

// languages are those of problems; the first one is the default.
var languages = language.NewMatcher([]language.Tag{language.English, language.Chinese})

// maxAccepts bounds an Accept-Language that is parsed, in bytes.
const maxAccepts = 200

// prefersChinese reports whether Accept-Language prefers Chinese to English. Nearly every answer of a flash sale is a
// problem, so the headers of most browsers are not parsed.
func prefersChinese(c *fiber.Ctx) bool {
	accepts := c.Get(fiber.HeaderAcceptLanguage)
	switch at := strings.Index(accepts, "zh"); {
	case at < 0, len(accepts) > maxAccepts:
		return false
	case at == 0 && (len(accepts) == 2 || strings.HasPrefix(accepts, "zh-CN,zh;q=0.9")):
		return true
	}
	_, i := language.MatchStrings(languages, accepts)
	return i == 1
}
