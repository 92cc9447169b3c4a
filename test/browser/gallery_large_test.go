//go:build large

package browser_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
)

// showsPicture waits until the strip shows one picture, the nth, and nothing of the others, and its button says so.
func showsPicture(t *testing.T, page *browser.Page, n int) {
	t.Helper()
	page.Do(t, browser.Until(fmt.Sprintf(`(() => {
		const strip = document.querySelector('.strip').getBoundingClientRect();
		const shown = document.querySelectorAll('.strip > *')[%d].getBoundingClientRect();
		const pressed = [...document.querySelectorAll('.thumbs button')].map((b) => b.ariaPressed).join();
		const wanted = [...document.querySelectorAll('.thumbs button')].map((_, i) => String(i === %[1]d)).join();
		return Math.abs(shown.left - strip.left) < 1 && Math.abs(shown.width - strip.width) < 1 && pressed === wanted;
	})()`, n-1)))
}

// openGallery opens the demo's sale of three skus, whose pictures follow the picture of the sale, and returns the page.
func openGallery(t *testing.T) *browser.Page {
	t.Helper()
	s, page := openShop(t, kit.OnEmbedded(t))
	require.NoError(t, s.Server.Demo(t.Context()))
	sale, _ := demoSales(t, s)
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), see(".strip"))
	return page
}

// On a phone a finger moves from picture to picture; so do the arrow keys and the dots, which have room for a finger.
func TestABuyerSwipesBetweenThePicturesOfASale(t *testing.T) {
	t.Parallel()
	page := openGallery(t)
	page.Do(t, chromedp.EmulateViewport(390, 844))
	showsPicture(t, page, 1)
	assert.True(t, browser.Run[bool](t, page, `
		const [strip, dots] = ['.strip', '.thumbs'].map((name) => document.querySelector(name).getBoundingClientRect());
		return Math.abs(strip.width / strip.height - 4 / 3) < 0.02 && dots.top >= strip.bottom`),
		"nothing is cut off or covered")
	page.Swipe(t, ".strip", 250)
	showsPicture(t, page, 2)
	page.Swipe(t, ".strip", -250)
	showsPicture(t, page, 1)
	page.Do(t, chromedp.Focus(chromedp.CSS(".strip")), chromedp.KeyEvent(kb.ArrowRight))
	showsPicture(t, page, 2)
	page.Do(t, click(".thumbs button:nth-child(3)"))
	showsPicture(t, page, 3)
	for _, width := range []int64{844, 390, 1280, 390} { // the phone is turned, and a window gets another width
		page.Do(t, chromedp.EmulateViewport(width, 844), browser.Until(fmt.Sprintf(`innerWidth === %d`, width)))
		assert.Less(t, browser.Run[float64](t, page, `
			for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
			const [strip, third] = ['.strip', '.strip > :nth-child(3)'].map((name) => document.querySelector(name));
			return Math.abs(strip.getBoundingClientRect().left - third.getBoundingClientRect().left)`), 1.0, "at once")
		showsPicture(t, page, 3)
	}
	named := browser.Run[[]string](t, page, `
		return [...document.querySelectorAll('.strip img')].map((img) => img.alt)`)
	assert.Equal(t, []string{"Picture 1 of 4", "Picture 2 of 4", "Picture 3 of 4", "Picture 4 of 4"}, named)
	small := browser.Run[[]string](t, page, `
		return [...document.querySelectorAll('.thumbs button')].map((button) => button.getBoundingClientRect())
			.filter(({ width, height }) => width < 24 || height < 24)
			.map(({ width, height }) => width + ' × ' + height)`)
	assert.Empty(t, small, "too small for a finger")
	assert.Equal(t, 0, browser.Run[int](t, page, `return scrollX`), "the page itself stays")
	browser.Run[bool](t, page, `scrollTo(0, 0); return true`)
	inView(t, page, "#reason", "^Online course × 1 · then 5 minutes to pay$")
	inView(t, page, ".sku:first-of-type .price", `^¥9\.00`) // the choice is seen without scrolling
	loadAxe(t, page)("pictures of a sale")
	page.Screenshot(t, "gallery")
	page.Do(t, chromedp.EmulateViewport(390, 844))
	assert.False(t, shows(t, page, ".top nav, .brand"), "the goods have the room of the menu")
	page.Do(t, click(".top .back"), see(".cards"), see(".top nav"))
	assert.False(t, shows(t, page, ".top .back"))
}

// On a small phone a description ends at its second line, and the button for the rest of it ends that line.
func TestALongDescriptionIsFoldedOnAPhone(t *testing.T) {
	t.Parallel()
	page := openGallery(t)
	assert.Zero(t, count(t, page, ".folded > .link"), "a desk has room for it")
	page.Do(t, chromedp.EmulateViewport(560, 844), browser.Until(`!document.querySelector('.shut')`)) // for a line
	reads(t, page, ".folded", "while units last.$")
	page.Do(t, chromedp.EmulateViewport(320, 844), chromedp.Reload(), see(".folded > .link"))
	reads(t, page, ".folded", "Read more$")
	assert.True(t, browser.Run[bool](t, page, `
		const [text, more] = ['.shut', '.folded > .link'].map((name) => document.querySelector(name));
		const [above, at] = [text, more].map((part) => part.getBoundingClientRect());
		const lines = text.clientHeight / parseFloat(getComputedStyle(text).lineHeight);
		return Math.round(lines) === 2 && Math.abs(at.bottom - above.bottom) < 2`))
	loadAxe(t, page)("folded description")
	page.Do(t, click(".folded > .link"), browser.Until(`!document.querySelector('.folded > .link')`))
	assert.Zero(t, count(t, page, ".shut"))
}

// On a desk small pictures stand below and choose the large one, which also follows the choice of the goods.
func TestThePictureOfASaleFollowsTheChoice(t *testing.T) {
	t.Parallel()
	page := openGallery(t)
	for _, n := range []int{4, 1, 3} {
		thumb := ".thumbs button:nth-child(" + strconv.Itoa(n) + ")"
		page.Do(t, see(thumb+" img"), click(thumb))
		showsPicture(t, page, n)
	}
	page.Do(t, click(".sku input[value=lamp]"))
	showsPicture(t, page, 2)
	page.Do(t, click(".sku input[value=course]"), click("#buy"), click("#place"), see(".won img"))
	assert.True(t, browser.Run[bool](t, page, `
		const [picture, words] = ['.won img', '.order .items'].map((name) => document.querySelector(name));
		return Math.abs(picture.clientWidth - words.clientWidth) < 1 && picture.clientHeight <= 240`),
		"as wide as the card")
}
