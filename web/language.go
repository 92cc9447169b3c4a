package web

import (
	"bytes"

	"github.com/gofiber/fiber/v2"
)

// buyersRoutes begin the paths whose problems a buyer may read.
const buyersRoutes = "/api/v1/"

// maxAccepts bounds an Accept-Language that is read, in bytes.
const maxAccepts = 200

// prefersChinese reports whether Accept-Language prefers Chinese to English, in which problems are. Nearly every answer
// of a flash sale is a problem, so the header is read without a copy of it.
func prefersChinese(c *fiber.Ctx) bool {
	var accepted languages
	size := 0
	for _, list := range c.Request().Header.PeekAll(fiber.HeaderAcceptLanguage) {
		if size += len(list); size > maxAccepts {
			return false
		}
		accepted.add(list)
	}
	return accepted.chinese()
}

// languages has what Accept-Language says of the two languages, and of all that it doesn't name.
type languages struct {
	zh, en, others weight
	ranges         int
}

// weight is the highest weight of a language, in thousandths.
type weight struct {
	q  int
	at int // the number of its range in the header; 0 if none names the language
}

// add reads a list of ranges (RFC 9110, section 12.5.4). It leaves out invalid ranges.
func (l *languages) add(list []byte) {
	for len(list) > 0 {
		var element []byte
		element, list, _ = bytes.Cut(list, []byte(","))
		tag, parameter, weighted := bytes.Cut(element, []byte(";"))
		q, ok := mostWeight, true
		if weighted {
			q, ok = parseWeight(bytes.Trim(parameter, " \t"))
		}
		if !ok {
			continue
		}
		l.ranges++
		tag = bytes.Trim(tag, " \t")
		primary, _, _ := bytes.Cut(tag, []byte("-"))
		var of *weight
		switch {
		case bytes.EqualFold(primary, []byte("zh")):
			of = &l.zh
		case bytes.EqualFold(primary, []byte("en")):
			of = &l.en
		case string(tag) == "*":
			of = &l.others
		default:
			continue
		}
		if of.at == 0 || q > of.q {
			*of = weight{q, l.ranges}
		}
	}
}

// chinese reports whether Chinese has more weight than English. Of the same weight, the language that is named comes
// first, and English if none is.
func (l *languages) chinese() bool {
	zh, en := l.zh, l.en
	if zh.at == 0 {
		zh.q = l.others.q
	}
	if en.at == 0 {
		en.q = l.others.q
	}
	if zh.q != en.q {
		return zh.q > en.q
	}
	return zh.q > 0 && zh.at > 0 && (en.at == 0 || zh.at < en.at)
}

const mostWeight = 1000

// parseWeight reads a weight such as q=0.8, in thousandths (RFC 9110, section 12.4.2).
func parseWeight(parameter []byte) (q int, ok bool) {
	const shortest, longest = len("q=0"), len("q=0.000")
	if len(parameter) < shortest || len(parameter) > longest || parameter[0]|0x20 != 'q' || parameter[1] != '=' {
		return 0, false
	}
	digit := mostWeight
	for i, c := range parameter[len("q="):] {
		switch {
		case i == 1 && c == '.':
		case i != 1 && '0' <= c && c <= '9':
			q += int(c-'0') * digit
			digit /= 10
		default:
			return 0, false
		}
	}
	return q, q <= mostWeight
}
