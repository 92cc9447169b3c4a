package gateway

import (
	"cmp"
	"strings"
	"unicode"

	"onrush/modules/pay"
)

// Describe returns what the buyer reads of a payment in the gateway's app: the names of the goods after the subject
// that the merchant configured, if any, or the pay number if they have no names. It has at most most bytes, and none
// of the characters of without nor controls.
func Describe(subject string, p *pay.Payment, most int, without string) string {
	text := strings.TrimSpace(subject + " " + p.Goods)
	if p.Goods == "" {
		text = cmp.Or(subject, "Order") + " " + p.Number.String()
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || strings.ContainsRune(without, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	const more = "…"
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most-len(more)], "") + more
	}
	return text
}
