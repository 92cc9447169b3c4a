//go:build large

package browser_test

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/seckill"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// wide publishes a sale of skus at points, each with 10 units, and returns its id.
func wide(tb testing.TB, s *site.Site, skus, points int) string {
	tb.Helper()
	for p := range points {
		point := catalogue.Point{ID: strconv.Itoa(p), Name: "Point", Pickup: true}
		_, err := s.Server.Catalogue.PutPoint(tb.Context(), point)
		require.NoError(tb, err)
	}
	now := time.Now()
	sale := &seckill.Activity{
		Title: "Wide", Shop: "shop",
		StartsMS: now.Add(-time.Minute).UnixMilli(), EndsMS: now.Add(time.Hour).UnixMilli(),
		PayWithinS: 900, PurchaseLimit: -1, PermitRatio: -1,
	}
	for i := range skus {
		id := fmt.Sprintf("s%d", i)
		_, err := s.Server.Catalogue.PutSKU(tb.Context(), catalogue.SKU{
			ID: id, Title: "Thing", Shop: "shop", Kind: catalogue.Physical, Price: 100, Currency: "CNY",
		})
		require.NoError(tb, err)
		sku := seckill.ActivitySKU{SKU: id, FlashPrice: 50, PurchaseLimit: -1}
		for p := range points {
			sku.Stock = append(sku.Stock, seckill.PointStock{Point: strconv.Itoa(p), Total: 10})
		}
		sale.SKUs = append(sale.SKUs, sku)
	}
	made, err := s.Server.Activities.Create(tb.Context(), sale)
	require.NoError(tb, err)
	_, err = s.Server.Activities.Publish(tb.Context(), made.ID, 0)
	require.NoError(tb, err)
	return made.ID
}

// crowdBeside sends requests, about so many a second, until the returned function is called.
func crowdBeside(tb testing.TB, s *site.Site, sale string, perSecond int) (stop func()) {
	tb.Helper()
	ada, end := s.Buyer(tb, "crowd"), make(chan struct{})
	ticker := time.NewTicker(time.Second / time.Duration(perSecond))
	var all sync.WaitGroup
	all.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-end:
				return
			case <-ticker.C:
				all.Go(func() {
					_, _ = ada.Try(tb.Context(), http.MethodPost, "/api/v1/seckill/path", "",
						map[string]string{"activity_id": sale, "sku_id": fmt.Sprintf("s%d", i%50)})
				})
			}
		}
	})
	return func() { ticker.Stop(); close(end); all.Wait() }
}

// countFrames returns how many frames a page draws in two seconds.
const countFrames = `
	let frames = 0;
	const began = performance.now();
	await new Promise((done) => {
		const next = () => {
			frames++;
			if (performance.now() - began < 2000) requestAnimationFrame(next); else done();
		};
		requestAnimationFrame(next);
	});
	return frames * 1000 / (performance.now() - began)`

// Frames a second of the live page of a sale with 50 skus at 20 points each, all shown, beside 64 requests a second;
// at least half as many as on an empty page, in the best of the turns: other programs take frames away. A single turn
// only shows that the benchmark runs.
func BenchmarkLivePage(b *testing.B) {
	s, page := openShop(b, kit.OnEmbedded(b))
	sale := wide(b, s, 50, 20)
	defer crowdBeside(b, s, sale, 64)()
	page.Do(b, chromedp.Navigate(s.URL+"/admin#/live/"+sale), click("#all-points"),
		browser.Until(`document.querySelectorAll('.account tbody tr').length === 1050`))
	empty := page.Tab(b, s.URL+"/livez")
	best := 0.0
	for b.Loop() {
		of := browser.Run[float64](b, empty, countFrames)
		page.Front(b)
		frames := browser.Run[float64](b, page, countFrames)
		empty.Front(b)
		b.ReportMetric(frames, "frames/s")
		b.ReportMetric(of, "empty-frames/s")
		best = max(best, frames/of)
	}
	if b.N > 1 {
		assert.GreaterOrEqual(b, best, 0.5)
	}
}

// Time until the shop's first page can be used, beside 64 requests a second.
func BenchmarkFirstPage(b *testing.B) {
	s, page := openShop(b, kit.OnEmbedded(b))
	sale := wide(b, s, 50, 20)
	defer crowdBeside(b, s, sale, 64)()
	for b.Loop() {
		for _, at := range []struct{ path, usable string }{{"/", "a.sale"}, {"/admin", ".attention"}} {
			page.Do(b, chromedp.Navigate(s.URL+"/docs"))
			began := time.Now()
			page.Do(b, chromedp.Navigate(s.URL+at.path), see(at.usable))
			b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms:"+at.path)
		}
	}
}

// A second in which nothing changes changes nothing in the table of the live page: only rows whose figures changed are
// drawn again.
func TestTheLivePageDrawsOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := wide(t, s, 50, 20)
	page.Do(t, chromedp.Navigate(s.URL+"/admin#/live/"+sale), click("#all-points"),
		browser.Until(`document.querySelectorAll('.account tbody tr').length === 1050`))
	browser.Run[bool](t, page, `
		window.drawn = new Set();
		const rowOf = (node) => (node instanceof Element ? node : node.parentElement).closest('tr');
		new MutationObserver((all) => all.forEach((change) => drawn.add(rowOf(change.target))))
			.observe(document.querySelector('.account table'), { subtree: true, childList: true, characterData: true });
		return true`)
	ada := s.Buyer(t, "ada")
	placed := ada.Submit(t, ada.Path(t, sale, "s7"), "k", map[string]any{
		"quantity": 1, "delivery": "pickup", "pickup_point_id": "3",
	})
	require.Equal(t, http.StatusAccepted, placed.Status, "%s", placed.Body)
	s.Drain(t)
	page.Do(t, browser.Until(`
		document.querySelector('.account tbody:nth-of-type(8) tr.sum td:nth-child(6)').innerText === '1'`))
	rows := browser.Run[[]string](t, page, `return [...drawn].map((row) => row.innerText.trim())`)
	assert.ElementsMatch(t, []string{"s7\t\t200\t199\t0\t1\t0\t0\t0", "3\t10\t9\t0\t1\t0\t0\t0"}, rows)
	assert.Empty(t, page.Errors())
}
