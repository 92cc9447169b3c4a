// Package browser lets tests look at pages with a real headless Chromium.
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Require is the variable that turns a missing Chromium from a skip into a failure, if "1".
const Require = "ONRUSH_TEST_REQUIRE_BROWSER"

// Screenshots is the variable that makes tests write pictures of pages, if "1".
const Screenshots = "ONRUSH_TEST_SCREENSHOTS"

// within bounds one action in a page; a busy machine starts Chromium slowly.
const within = 2 * time.Minute

// The sizes of pages, in pixels: all open at the width of a desk.
const phoneWidth, deskWidth, height = 390, 1280, 844

// Browser is a Chromium, or a part of the shared one with cookies and a storage of its own.
type Browser struct {
	ctx context.Context //nolint:containedctx // chromedp keeps the browser in it
}

// shared is the Chromium of this test process, in which each test has its own part: starting one takes longer than most
// tests.
var shared struct {
	once sync.Once
	ctx  context.Context //nolint:containedctx // as in Browser
	err  error
	stop func()
}

// Close ends the shared Chromium, after the last test.
func Close() {
	shared.once.Do(func() {})
	if shared.stop != nil {
		shared.stop()
	}
}

// Page is one page of a browser. It is used by the test's own goroutine.
type Page struct {
	ctx     context.Context //nolint:containedctx // chromedp keeps the page in it
	browser *Browser

	mu     sync.Mutex
	errors []string // of its console
}

// Open gives a test a browser with an empty profile. The test is skipped if there is no Chromium on the PATH, or fails
// if Require is set. With flags of Chromium, it is one of its own.
func Open(tb testing.TB, flags ...chromedp.ExecAllocatorOption) *Browser {
	tb.Helper()
	program := find()
	if program == "" {
		if os.Getenv(Require) == "1" {
			tb.Fatal("chromium is not installed")
		}
		tb.Skip("chromium is not installed")
	}
	if len(flags) > 0 {
		ctx, stop, err := start(program, tb.TempDir(), flags...)
		tb.Cleanup(stop)
		require.NoError(tb, err, "start chromium")
		return &Browser{ctx}
	}
	shared.once.Do(func() {
		var dir string
		if dir, shared.err = os.MkdirTemp("", "onrush-browser-"); shared.err != nil {
			return
		}
		var stop func()
		shared.ctx, stop, shared.err = start(program, dir)
		shared.stop = func() {
			stop()
			_ = os.RemoveAll(dir)
		}
	})
	require.NoError(tb, shared.err, "start chromium")
	ctx, end := chromedp.NewContext(shared.ctx, chromedp.WithNewBrowserContext())
	tb.Cleanup(end)
	require.NoError(tb, chromedp.Do(ctx), "open a part of chromium")
	return &Browser{ctx}
}

// find returns the path of Chromium, "" if there is none. The headless shell comes first: the whole browser draws a
// window around each page, which takes more time than the page.
func find() string {
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// start starts a Chromium with its profile in dir.
func start(program, dir string, flags ...chromedp.ExecAllocatorOption) (ctx context.Context, stop func(), err error) {
	options := slices.Concat(chromedp.DefaultExecAllocatorOptions[:], []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(program), chromedp.UserDataDir(dir),
		chromedp.NoSandbox, // CI runs as root
	}, flags)
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeBrowser := chromedp.NewContext(allocator)
	stop = func() {
		_ = chromedp.Cancel(ctx)
		closeBrowser()
		end()
	}
	return ctx, stop, chromedp.Do(ctx)
}

// Page opens a page at a URL.
func (b *Browser) Page(tb testing.TB, url string) *Page {
	tb.Helper()
	ctx, closePage := chromedp.NewContext(b.ctx)
	tb.Cleanup(closePage)
	require.NoError(tb, chromedp.Do(ctx)) // without it, the page would end at the first action's deadline
	p := &Page{ctx: ctx, browser: b}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type == chromedp.ConsoleException || m.Type == "error" {
				p.mu.Lock()
				p.errors = append(p.errors, m.Text)
				p.mu.Unlock()
			}
		}
	}()
	p.Do(tb, chromedp.EmulateViewport(deskWidth, height), chromedp.Navigate(url))
	return p
}

// Tab opens another page of the same browser.
func (p *Page) Tab(tb testing.TB, url string) *Page {
	tb.Helper()
	return p.browser.Page(tb, url)
}

// Errors returns what the page has complained of: exceptions, errors of its console, and requests that failed.
func (p *Page) Errors() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.errors)
}

// Do acts in the page.
func (p *Page) Do(tb testing.TB, actions ...chromedp.Action[chromedp.Void]) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, within)
	defer cancel()
	err := chromedp.Do(ctx, actions...)
	require.NoError(tb, err, "the page has complained of %q", p.Errors())
}

// Reaches acts in the page, and reports whether it could.
func (p *Page) Reaches(actions ...chromedp.Action[chromedp.Void]) bool {
	ctx, cancel := context.WithTimeout(p.ctx, within)
	defer cancel()
	return chromedp.Do(ctx, actions...) == nil
}

// Take returns what an action reads from a page.
func Take[T any](tb testing.TB, p *Page, action chromedp.Action[T]) T {
	tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, within)
	defer cancel()
	got, err := chromedp.Run(ctx, action)
	require.NoError(tb, err, "the page has complained of %q", p.Errors())
	return got
}

// At returns the URL at which the page is. It doesn't run in the page, which may be leaving it.
func (p *Page) At(tb testing.TB) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, within)
	defer cancel()
	at, err := chromedp.Call(ctx, target.GetTargetInfo, target.GetTargetInfoParams{})
	require.NoError(tb, err)
	return at.TargetInfo.URL
}

// Run runs the body of an async function in a page, and returns what it returns.
func Run[T any](tb testing.TB, p *Page, body string) T {
	tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, within)
	defer cancel()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[T]("(async () => {"+body+"})()", chromedp.EvalAwaitPromise))
	require.NoError(tb, err, "the page has complained of %q", p.Errors())
	return got
}

// Screenshot writes a picture of the page to screenshots/<name>-<width>-<scheme>.png, which git ignores, at the width
// of a phone and of a desk, in light and dark, if the variable Screenshots is "1": they are for people, and take longer
// than the tests that make them.
func (p *Page) Screenshot(tb testing.TB, name string) {
	tb.Helper()
	if os.Getenv(Screenshots) != "1" {
		return
	}
	require.NoError(tb, os.MkdirAll("screenshots", 0o750))
	ctx, cancel := context.WithTimeout(p.ctx, within)
	defer cancel()
	Run[bool](tb, p, `scrollTo(0, 0); return true`) // or what sticks to the top would be in the middle
	for _, width := range []int64{phoneWidth, deskWidth} {
		for _, scheme := range []string{"light", "dark"} {
			require.NoError(tb, chromedp.Do(ctx, chromedp.EmulateViewport(width, height)))
			p.Scheme(tb, scheme)
			picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
			require.NoError(tb, err)
			file := fmt.Sprintf("screenshots/%s-%d-%s.png", name, width, scheme)
			require.NoError(tb, os.WriteFile(file, picture, 0o600))
		}
	}
}

// Scheme shows the page in light or dark.
func (p *Page) Scheme(tb testing.TB, scheme string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, within)
	defer cancel()
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	require.NoError(tb, err)
}

// Zone puts the page into a time zone, such as Asia/Shanghai.
func (p *Page) Zone(tb testing.TB, name string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, within)
	defer cancel()
	_, err := chromedp.Call(ctx, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: name})
	require.NoError(tb, err)
}

// Swipe moves a finger to the left, by some pixels, over the first element that a selector matches.
func (p *Page) Swipe(tb testing.TB, selector string, pixels float64) {
	tb.Helper()
	middle := Run[[]float64](tb, p, fmt.Sprintf(`
		const { left, top, width, height } = document.querySelector(%q).getBoundingClientRect();
		return [left + width / 2, top + height / 2]`, selector))
	ctx, cancel := context.WithTimeout(p.ctx, within)
	defer cancel()
	_, err := chromedp.Call(ctx, emulation.SetTouchEmulationEnabled,
		emulation.SetTouchEmulationEnabledParams{Enabled: true})
	require.NoError(tb, err)
	const steps = 10
	touch := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) {
		_, err := chromedp.Call(ctx, input.DispatchTouchEvent,
			input.DispatchTouchEventParams{Type: kind, TouchPoints: append([]*input.TouchPoint{}, points...)})
		require.NoError(tb, err)
	}
	at := func(step int) *input.TouchPoint {
		return &input.TouchPoint{X: middle[0] + pixels/2 - pixels*float64(step)/steps, Y: middle[1]}
	}
	touch(input.DispatchTouchEventTypeTouchStart, at(0))
	for step := range steps {
		touch(input.DispatchTouchEventTypeTouchMove, at(step+1))
	}
	touch(input.DispatchTouchEventTypeTouchEnd)
}

// Paper shows the page as it is printed.
func (p *Page) Paper(tb testing.TB) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, within)
	defer cancel()
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	require.NoError(tb, err)
}

// emulateNetwork is a command of Chromium's network domain, which is known by this name in all its versions.
var emulateNetwork = cdp.Command[network.OverrideNetworkStateParams, cdp.Empty]{
	Method: "Network.emulateNetworkConditions",
}

// Offline takes the network from the page, or gives it back.
func (p *Page) Offline(tb testing.TB, offline bool) {
	tb.Helper()
	p.network(tb, network.OverrideNetworkStateParams{Offline: offline, DownloadThroughput: -1, UploadThroughput: -1})
}

// SendsSlowly bounds what the page sends to some bytes a second; -1 takes the bound away.
func (p *Page) SendsSlowly(tb testing.TB, bytes float64) {
	tb.Helper()
	p.network(tb, network.OverrideNetworkStateParams{DownloadThroughput: -1, UploadThroughput: bytes})
}

func (p *Page) network(tb testing.TB, params network.OverrideNetworkStateParams) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, within)
	defer cancel()
	_, err := chromedp.Call(ctx, emulateNetwork, params)
	require.NoError(tb, err)
}

// Before runs a script in each document that the page loads, before its own, until forget is called.
func (p *Page) Before(tb testing.TB, js string) (forget func()) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, within)
	defer cancel()
	added, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: js})
	require.NoError(tb, err)
	return func() {
		ctx, cancel := context.WithTimeout(p.ctx, within)
		defer cancel()
		_, err := chromedp.Call(ctx, page.RemoveScriptToEvaluateOnNewDocument,
			page.RemoveScriptToEvaluateOnNewDocumentParams(added))
		require.NoError(tb, err)
	}
}

// PollEvery is the interval between two looks at a page. By default, chromedp asks for another frame each time, which
// makes Chromium draw all pages without a pause, and looks for elements 200 times a second.
const PollEvery = 20 * time.Millisecond

// Until waits until an expression is true in the page.
func Until(expression string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Poll[bool]("Boolean("+expression+")", chromedp.WithPollingInterval(PollEvery),
			chromedp.WithPollingTimeout(within))(ctx, target)
		return chromedp.Void{}, err
	}
}

// Front brings the page before the others of its browser.
func (p *Page) Front(tb testing.TB) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, within)
	defer cancel()
	_, err := chromedp.Call(ctx, page.BringToFront, cdp.Empty{})
	require.NoError(tb, err)
}
