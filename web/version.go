package web

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
)

// NewOnly is the version of a thing that must not exist yet, in requests with "If-None-Match: *".
const NewOnly = -1

// Version returns the version of a thing from which a request was made. It reads the header If-Match, or else takes
// inBody, the version in the body, 0 if the body has none. The result is 0 if the request names no version, so that it
// is carried out for any version, and NewOnly if the header If-None-Match is *.
//
// A weak tag is taken as a strong one: proxies that compress answers weaken tags, and a version says the same of every
// form of an answer.
func Version(c *fiber.Ctx, inBody int64) (int64, error) {
	none := strings.TrimSpace(c.Get(fiber.HeaderIfNoneMatch))
	match := strings.TrimSpace(c.Get(fiber.HeaderIfMatch))
	switch {
	case none != "" && none != "*":
		return 0, problem.Invalid(fiber.HeaderIfNoneMatch, "must be *")
	case none != "" && (match != "" || inBody != 0):
		return 0, problem.Invalid(fiber.HeaderIfNoneMatch, "can't be combined with a version")
	case none != "":
		return NewOnly, nil
	case match == "":
		return inBody, nil
	}
	tag, opened := strings.CutPrefix(strings.TrimPrefix(match, "W/"), `"`)
	tag, closed := strings.CutSuffix(tag, `"`)
	version, err := strconv.ParseInt(tag, 10, 64)
	if !opened || !closed || err != nil || version <= 0 {
		return 0, problem.Invalid(fiber.HeaderIfMatch, `must be the ETag of an answer, such as "1767323045678"`)
	}
	if inBody != 0 && inBody != version {
		return 0, problem.Invalid("version", "is not the version of the header If-Match")
	}
	return version, nil
}

// SetVersion sets the header ETag of an answer to the version of the thing that it shows.
func SetVersion(c *fiber.Ctx, version int64) {
	c.Set(fiber.HeaderETag, `"`+strconv.FormatInt(version, 10)+`"`)
}
