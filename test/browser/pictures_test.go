package browser_test

import (
	"bytes"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// pictureFile writes a PNG of a width and height with noise, which compresses badly, and returns its path.
func pictureFile(t *testing.T, name string, width, height int) string {
	t.Helper()
	drawn := image.NewGray(image.Rect(0, 0, width, height))
	noise := rand.New(rand.NewPCG(1, 2))
	for i := range drawn.Pix {
		drawn.Pix[i] = uint8(noise.Uint32())
	}
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, drawn))
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
	return path
}

// chooses chooses a file in the chooser of the form, which the page hides behind a button.
func chooses(t *testing.T, page *browser.Page, path string) {
	t.Helper()
	page.Do(t, chromedp.SetUploadFiles(".upload input[type=file]", []string{path}))
}

// An operator chooses a picture in the form of goods, drops another one there, saves, and buyers see it.
func TestAnUploadedPictureIsSeenByBuyers(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	s.Open(t, site.Sale{SKU: "bell"})
	at(t, page, "#/goods")
	page.Do(t, click("tbody tr button"), see(".upload button"))
	chooses(t, page, pictureFile(t, "huge.png", 1200, 1000))
	page.Do(t, see("[name=image_url][aria-invalid=true]"))
	reads(t, page, ".field:has(.upload) [role=alert]", "larger than 1 MB")
	chooses(t, page, pictureFile(t, "lamp.png", 400, 300))
	page.Do(t, see(".upload img"))
	reads(t, page, ".upload", `lamp\.png is uploaded\. Save to use it\.`)
	assert.Zero(t, count(t, page, ".field:has(.upload) [role=alert]"))
	reads(t, page, "dialog button.go", "^Save$")
	first := value(t, page, "image_url")
	assert.Regexp(t, `^/pictures/[\w-]{22}$`, first)
	browser.Run[bool](t, page, `document.querySelector('.upload').scrollIntoView({ block: 'center' }); return true`)
	page.Screenshot(t, "console-goods-picture")

	browser.Run[bool](t, page, `
		const data = new DataTransfer();
		const canvas = new OffscreenCanvas(30, 20);
		canvas.getContext('2d').fillRect(0, 0, 10, 10);
		const file = new File([await canvas.convertToBlob()], 'dropped.png', { type: 'image/png' });
		data.items.add(file);
		const place = document.querySelector('.upload');
		place.dispatchEvent(new DragEvent('dragover', { dataTransfer: data, bubbles: true, cancelable: true }));
		place.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
		return true`)
	page.Do(t, browser.Until(`document.querySelector('.upload').innerText.includes('dropped.png is uploaded')`))
	dropped := value(t, page, "image_url")
	assert.NotEqual(t, first, dropped)
	page.Do(t, click("dialog button.go"), browser.Until(`!document.querySelector('dialog')`))

	page.Do(t, chromedp.Navigate(s.URL+"/#/goods"), see(".picture"))
	assert.Equal(t, []any{dropped, 30.0}, browser.Run[[]any](t, page, `
		const shown = document.querySelector('img.picture');
		await shown.decode();
		return [shown.getAttribute('src'), shown.naturalWidth]`))
	assert.Empty(t, page.Errors())
}
