//go:build large

package browser_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	devtools "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// picturesFolder is the variable with the folder of the README's pictures, which `task pictures` sets.
const picturesFolder = "ONRUSH_PICTURES"

// The README shows the program, and design.md its parts: each picture is of a run with the demo's goods.
func TestPicturesOfTheReadme(t *testing.T) {
	t.Parallel()
	folder := os.Getenv(picturesFolder)
	if folder == "" {
		t.Skip(picturesFolder + " names no folder; task pictures makes the pictures")
	}
	s, page := openShop(t, kit.OnEmbedded(t))
	require.NoError(t, s.Server.Demo(t.Context()))
	running, coming := demoSales(t, s)
	save := func(name string, data []byte, most int) {
		assert.Less(t, len(data), most, name)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), data, 0o600))
	}

	page.Do(t, chromedp.EmulateViewport(390, 844, chromedp.EmulateScale(2)))
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+running), see("#buy"), loaded)
	save("shop.webp", photograph(t, page, "light"), 150_000)

	page.Do(t, chromedp.EmulateViewport(1000, 900), chromedp.Navigate(s.URL+"/#/sale/"+running), see("#buy"))
	save("crowd.png", filmACrowd(t, page), 1_000_000)

	page.Do(t, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(s.URL+"/admin"), see(".attention"))
	at(t, page, "#/live/"+running)
	page.Do(t, see("#figure-held"), browser.Until(`/^\d/.test(document.querySelector('#figure-held dd').innerText)`))
	save("console.webp", photograph(t, page, "light"), 150_000)

	page.Do(t, chromedp.EmulateViewport(390, 844, chromedp.EmulateScale(2)))
	joinBehind(t, s, page, coming)
	save("waiting-room.webp", photograph(t, page, "light"), 150_000)

	page.Do(t, chromedp.EmulateViewport(900, 1100), chromedp.Navigate(s.URL+"/dev/design"), see("#problems .problem"))
	for _, section := range []string{"colours", "buttons"} {
		browser.Run[bool](t, page, `document.getElementById('`+section+`').scrollIntoView(); return true`)
		for _, scheme := range []string{"light", "dark"} {
			save("design-"+section+"-"+scheme+".webp", photograph(t, page, scheme), 80_000)
		}
	}
}

// loaded waits for the pictures that the page shows.
var loaded = browser.Until(`document.images.length > 0 &&
	[...document.images].every((i) => i.complete || !i.checkVisibility() ||
		i.getBoundingClientRect().top > innerHeight)`)

// demoSales returns the demo's sale that runs, and the one with a waiting room.
func demoSales(t *testing.T, s *site.Site) (running, coming string) {
	t.Helper()
	for _, sale := range s.Stranger().ListActivities(t, "").Items {
		if sale.State == "running" {
			running = sale.ActivityID
		} else {
			coming = sale.ActivityID
		}
	}
	require.NotEmpty(t, running)
	require.NotEmpty(t, coming)
	return running, coming
}

// joinBehind begins the sale with a waiting room, and joins it behind others.
func joinBehind(t *testing.T, s *site.Site, page *browser.Page, sale string) {
	t.Helper()
	op := s.Operator(t)
	op.ChangeActivity(t, sale, client.ActivityChange{
		Title: "Flash sale with a waiting room", StartsAt: time.Now().Add(-time.Second),
		WaitingRoom: client.WaitingRoom{PathsPerSecond: 0.2},
	})
	require.Eventually(t, func() bool {
		return s.Stranger().GetActivity(t, sale).State == "running"
	}, time.Minute, 50*time.Millisecond)
	for _, name := range []string{"bob", "carol", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy"} {
		place := s.Buyer(t, name).Call(t, http.MethodPost, "/api/v1/seckill/line", "",
			map[string]string{"activity_id": sale})
		require.Equal(t, http.StatusOK, place.Status, string(place.Body))
	}
	page.Do(t, chromedp.Navigate(s.URL+"/#/sale/"+sale), click("#buy"), see(".waiting .figure"), loaded)
	reads(t, page, ".waiting h1", `\d ahead of you`)
}

// filmACrowd sends a crowd into the sale of the page, and films what becomes of it.
func filmACrowd(t *testing.T, page *browser.Page) []byte {
	t.Helper()
	var frames []browser.Frame
	shoot := func(lasts time.Duration) {
		frames = append(frames, browser.Frame{Image: decode(t, element(t, page, ".crowd")), For: lasts})
	}
	page.Do(t, click(".demo summary"), click("#send-crowd"), see(".outcome"))
	browser.Run[bool](t, page, `document.querySelector('.crowd').scrollIntoView(); return true`)
	shoot(1500 * time.Millisecond)
	size := frames[0].Image.Bounds().Size()
	for over, last := false, time.Now(); !over; {
		over = browser.Run[bool](t, page, `return !!document.querySelector('.outcome.over')`)
		if over {
			page.Do(t, browser.Until(`document.getAnimations().length === 0`)) // the bars have their last width
		}
		shoot(4 * time.Second)
		if now := time.Now(); !over {
			frames[len(frames)-1].For, last = max(now.Sub(last), 60*time.Millisecond), now
		}
	}
	// The film is a loop, and begins with what became of the crowd: where pictures don't move, that is all they show.
	last := len(frames) - 1
	frames = append([]browser.Frame{frames[last]}, frames[:last]...)
	// The card grows as it has more to tell, and the film is as large as the largest frame.
	for _, f := range frames {
		size.X, size.Y = max(size.X, f.Image.Bounds().Dx()), max(size.Y, f.Image.Bounds().Dy())
	}
	for i, f := range frames {
		frames[i].Image = onGround(f.Image, size)
	}
	var out bytes.Buffer
	require.NoError(t, browser.WriteFilm(&out, frames))
	t.Logf("%d frames, %d bytes", len(frames), out.Len())
	return out.Bytes()
}

// onGround lays a picture on a ground of the page's colour.
func onGround(picture image.Image, size image.Point) image.Image {
	ground := image.NewRGBA(image.Rectangle{Max: size})
	for i := range ground.Pix {
		ground.Pix[i] = []uint8{0xf6, 0xf7, 0xf9, 0xff}[i%4]
	}
	b := picture.Bounds()
	for y := range b.Dy() {
		for x := range b.Dx() {
			ground.Set(x, y, picture.At(b.Min.X+x, b.Min.Y+y))
		}
	}
	return ground
}

func decode(t *testing.T, data []byte) image.Image {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	return picture
}

// element photographs an element of the page.
func element(t *testing.T, page *browser.Page, selector string) []byte {
	t.Helper()
	return browser.Take(t, page, chromedp.Screenshot(chromedp.CSS(selector)))
}

// photograph photographs what the window shows in a scheme, as WebP.
func photograph(t *testing.T, page *browser.Page, scheme string) []byte {
	t.Helper()
	page.Scheme(t, scheme)
	return browser.Take(t, page, func(ctx context.Context, _ *chromedp.Target) ([]byte, error) {
		quality := int64(90)
		picture, err := chromedp.Call(ctx, devtools.CaptureScreenshot,
			devtools.CaptureScreenshotParams{Format: devtools.CaptureScreenshotFormatWebp, Quality: &quality})
		return picture.Data, err
	})
}
