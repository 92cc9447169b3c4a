//go:build large

package browser_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// Over a slow line one sees how much of a picture was sent, and may stop; the next try is as if nothing had been.
func TestAnUploadShowsHowMuchWasSentAndCanBeStopped(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	s.Open(t, site.Sale{SKU: "bell"})
	at(t, page, "#/goods")
	page.Do(t, click("tbody tr button"), see(".upload button"))
	file := pictureFile(t, "lamp.png", 900, 800)
	page.SendsSlowly(t, 50_000)
	chooses(t, page, file)
	page.Do(t, browser.Until(`document.querySelector('.upload progress')?.value > 0`))
	reads(t, page, ".upload [role=status]", `^Uploading lamp\.png …$`)
	page.Screenshot(t, "console-upload")
	page.Do(t, click(".upload .sending button"), browser.Until(`!document.querySelector('.upload progress')`))
	assert.Empty(t, value(t, page, "image_url"))
	assert.Empty(t, text(t, page, ".upload [role=status]"))

	page.SendsSlowly(t, -1)
	chooses(t, page, file)
	reads(t, page, ".upload [role=status]", `^lamp\.png is uploaded\. Save to use it\.$`)
	assert.Regexp(t, `^/pictures/[\w-]{22}$`, value(t, page, "image_url"))
	assert.Zero(t, count(t, page, ".upload progress"))
}
