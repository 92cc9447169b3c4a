//go:build large

package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// narrow returns the lines of a text, which is an expression, in a box that is as narrow as can be.
func narrow(t *testing.T, page *browser.Page, text string) []string {
	t.Helper()
	return browser.Run[[]string](t, page, `
		const box = document.createElement('p');
		box.style = 'width: 0; overflow-wrap: normal';
		box.textContent = `+text+`;
		document.body.append(box);
		const lines = [];
		const range = document.createRange();
		for (let i = 0, last; i < box.textContent.length; i++) {
			range.setStart(box.firstChild, i);
			range.setEnd(box.firstChild, i + 1);
			const { top, width } = range.getBoundingClientRect();
			if (width === 0) continue;
			lines.push((top === last ? lines.pop() : '') + box.textContent[i]);
			last = top;
		}
		box.remove();
		return lines.map((line) => line.replace(/[\u00a0\u202f]/g, ' ').trim())`)
}

// A line ends neither within a date nor between a time and its zone, which is last.
func TestALineEndsBetweenADateAndATimeOnly(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{EndsIn: 48 * time.Hour}) // the day is shown only if it is not today
	order := s.Buyer(t, "ada").Buy(t, sale, "sku", "k").JSON(t)["order_number"].(string)
	s.Drain(t)
	page.Zone(t, "UTC")
	speak(t, page, "zh", s.URL+"/admin#/order/"+order, "td time")
	reads(t, page, "thead", `\(UTC\)`)
	page.Zone(t, "Asia/Shanghai")
	for language, forms := range map[string]struct{ short, year, week, zone string }{
		"en": {`\w+ \d+,`, `\w+ \d+, 20\d\d,`, `\w+, \w+ \d+,`, `GMT\+8`},
		"zh": {`\d+月\d+日`, `20\d\d年\d+月\d+日`, `\d+月\d+日 周.`, `UTC\+8`},
	} {
		lines := func(text string, forms ...string) {
			t.Helper()
			found := narrow(t, page, text)
			assert.Regexp(t, `^`+strings.Join(forms, `\|`)+`$`, strings.Join(found, "|"))
		}
		speak(t, page, language, s.URL+"/admin#/order/"+order, "td time")
		lines(`document.querySelector('td time').innerText`, forms.short, `\d\d:\d\d:\d\d`)
		lines(`document.querySelector('td time').title`, forms.year, `\d\d:\d\d:\d\d `+forms.zone)
		reads(t, page, "thead", `\(`+forms.zone+`\)`)

		speak(t, page, language, s.URL+"/#/sale/"+sale, ".when")
		lines(`document.querySelector('.when').innerText.replace(/^\S+ /, '')`, forms.week,
			`\d+:\d\d\s?\w* `+forms.zone)
	}
}
