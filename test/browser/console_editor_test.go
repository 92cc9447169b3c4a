package browser_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
)

// paste pastes a text into a field of a form, as a person who copied it in a spreadsheet would.
func paste(t *testing.T, page *browser.Page, name, text string) {
	t.Helper()
	page.Do(t, see("[name="+name+"]"))
	browser.Run[bool](t, page, `
		const data = new DataTransfer();
		data.setData('text/plain', `+strconv.Quote(text)+`);
		document.querySelector('[name=`+name+`]').dispatchEvent(
			new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
		return true`)
}

// named returns the label of a field, and the texts that describe it.
func named(t *testing.T, page *browser.Page, name string) (label, texts string) {
	t.Helper()
	both := browser.Run[[2]string](t, page, `
		const field = document.querySelector('[name=`+name+`]');
		const texts = (field.getAttribute('aria-describedby') ?? '').split(' ').filter(Boolean);
		return [field.labels[0]?.innerText ?? '', texts.map((id) => document.getElementById(id).innerText).join()]`)
	return both[0], both[1]
}

// What the server refuses is said at its field, once.
func TestErrorsOfTheServerAreAtTheirFields(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	editorOf(t, s, page)
	put(t, page, "ends_at", value(t, page, "starts_at"))
	page.Do(t, click("#save"), see("#wrong"))
	reads(t, page, "#wrong", `^End\s*: The end must be after the start\.$`)
	const wrong = `[...document.querySelectorAll('.edit [aria-invalid=true]')].map((field) => field.name)`
	assert.Equal(t, []string{"ends_at"}, browser.Run[[]string](t, page, `return `+wrong))
	assert.True(t, focused(t, page, "[name=ends_at]"))
	said := browser.Run[int](t, page, `
		return document.querySelector('main').innerText.split('The end must be after the start.').length - 1`)
	assert.Equal(t, 2, said, "at the field and in the bar")
	assert.True(t, browser.Run[bool](t, page, `
		const { bottom } = document.querySelector('[name=ends_at] ~ .bad').getBoundingClientRect();
		return bottom <= document.querySelector('.bar-row').getBoundingClientRect().top`), "the bar covers no reason")
	page.Screenshot(t, "console-edit-wrong")
	page.Do(t, chromedp.EmulateViewport(390, 844), see(".bar-row .menu"))
	assert.Len(t, browser.Run[[]int](t, page, `
		const middle = (part) => (part.getBoundingClientRect().top + part.getBoundingClientRect().bottom) / 2;
		const buttons = [...document.querySelectorAll('.bar-row > :is(button, .menu)')];
		return [...new Set(buttons.map((button) => Math.round(middle(button))))]`), 1, "one row")
	page.Do(t, chromedp.EmulateViewport(1280, 844), browser.Until(`!document.querySelector('.bar-row .menu')`))
	label, texts := named(t, page, "ends_at")
	assert.Equal(t, "End", label, "the error is no part of the name")
	assert.Regexp(t, `^The end must be after the start\.,.* This is in the past\.$`, texts)

	put(t, page, "ends_at", local(time.Now().Add(5*time.Hour)))
	put(t, page, "price-1", "3.005")
	page.Do(t, click("#save"), browser.Until(wrong+`.join() === 'price-1'`))
	reads(t, page, "#wrong-price-1", "smallest unit")
	put(t, page, "price-1", "3.01")
	put(t, page, "shop_id", "other")
	page.Do(t, click("#save"), browser.Until(wrong+`.join() === 'sku-0'`))
	reads(t, page, "#wrong", `Boots: SKU\s*: This SKU belongs to another shop`)
	_, texts = named(t, page, "sku-0")
	assert.Equal(t, "This SKU belongs to another shop.", texts)
	for _, text := range page.Errors() {
		assert.Contains(t, text, "422")
	}
}
