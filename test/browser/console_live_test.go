package browser_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/browser"
	"onrush/test/kit"
	"onrush/test/site"
)

// An operator sees what a running sale has earned and what may come back, and changes the rate of its waiting room.
func TestAnOperatorSeesMoneyAndSetsTheRateOfARunningSale(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "spa", Kind: catalogue.Voucher, Price: 900})
	order := s.Buyer(t, "ada").Buy(t, sale, "spa", "k").JSON(t)["order_number"].(string)
	s.Buyer(t, "bob").Buy(t, sale, "spa", "k")
	s.Drain(t)
	paid := site.Payment{
		Number:      s.Buyer(t, "ada").Pay(t, "k", order).JSON(t)["pay_number"].(string),
		Transaction: "txn-1", Amount: 900, Currency: "CNY",
	}
	s.Money(t, paid)
	told, err := s.Notify(t.Context(), paid)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, told.Status)
	rate := func() any {
		room, _ := activity(t, s, sale)["waiting_room"].(map[string]any)
		return room["paths_per_second"]
	}
	at(t, page, "#/live/"+sale)
	reads(t, page, "#figure-revenue", "9.00")
	reads(t, page, "#figure-paid_rate", "50%")
	reads(t, page, "#figure-coming_back", `back\s+0\s`) // bob has more than five minutes left
	reads(t, page, "#room", "There is none")
	put(t, page, "rate", "5")
	page.Do(t, click("#room-set"))
	reads(t, page, "#room", "It admits 5 buyers a second")
	assert.Contains(t, browser.Run[string](t, page, `return document.querySelector('#orders').href`), sale)
	page.Do(t, see("#room button[disabled]"))
	put(t, page, "rate", "20")
	assert.Equal(t, "20 a second", browser.Run[string](t, page,
		`return document.querySelector('.slider input').getAttribute('aria-valuetext')`))
	page.Do(t, click("#room-set"))
	reads(t, page, "#room", "It admits 20 buyers a second")
	assert.EqualValues(t, 20, rate())
	page.Do(t, click("#room-end"), click("dialog .go"))
	reads(t, page, "#room", "There is none")
	assert.Nil(t, rate())
	assert.Empty(t, page.Errors())
}

// What goes wrong is in the page's title, and is heard by those who want that.
func TestASaleThatGoesWrongRaisesTheAlarm(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell"})
	browser.Run[bool](t, page, `
		window.tones = 0;
		window.AudioContext = class {
			currentTime = 0;
			createOscillator() {
				return { frequency: {}, connect: (to) => to, start() { window.tones++; }, stop() {} };
			}
			createGain() { return { gain: {}, connect() {} }; }
		};
		return true`)
	at(t, page, "#/live/"+sale)
	page.Do(t, see("#figure-drift"), browser.Until(`document.title.startsWith('Sale')`))
	assert.False(t, browser.Run[bool](t, page, `return document.querySelector('#sound').checked`))
	dead := map[string]string{`\/stats`: `body.queue.dead = 3`}
	answers(t, page, dead)
	reads(t, page, "#alarm-dead", "Orders can't be stored: 3")
	page.Do(t, browser.Until(`document.title.startsWith('(1!) Sale')`))
	assert.Zero(t, browser.Run[int](t, page, `return tones`), "nobody asked for a sound")
	page.Screenshot(t, "console-alarm")
	answers(t, page, nil)
	page.Do(t, browser.Until(`document.title.startsWith('Sale')`), click("#sound"))
	asked := browser.Run[int](t, page, `return tones`)
	answers(t, page, map[string]string{
		`\/audit`: `Object.assign(body, { ok: false }); body.items[0].drift = 2`,
	})
	reads(t, page, "#alarm-drift", "2 too many or too few")
	page.Do(t, browser.Until(`tones > `+strconv.Itoa(asked)))
	browser.Run[bool](t, page, `
		const began = Date.now;
		Date.now = () => began() + 60_000; // the last figures are a minute old
		window.fetch = () => new Promise(() => {});
		return true`)
	page.Do(t, see("#alarm-stale"))
	page.Do(t, chromedp.Reload(), see("#sound"))
	assert.True(t, browser.Run[bool](t, page, `return document.querySelector('#sound').checked`), "it is kept")
}

// An operator pauses a sale and resumes it, on its page and from the first page, and sees how many users wait.
func TestAnOperatorPausesASaleAndSeesItsWaitingRoom(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "lamp", PathsPerSecond: 0.01})
	for _, name := range []string{"ada", "bob", "eve"} {
		s.Buyer(t, name).Call(t, http.MethodPost, "/api/v1/seckill/line", "", map[string]string{"activity_id": sale})
	}
	at(t, page, "#/live/"+sale)
	reads(t, page, "#figure-in_room", `room\s+[23]\s`)
	reads(t, page, "#room-line", `Waiting: [23]\. Admitted: \d\. At 0\.01 a second, the last one waits \d\d:\d\d\.`)
	rows := browser.Run[[]int](t, page, `
		const tops = [...document.querySelectorAll('.figures > div')].map((tile) => tile.offsetTop);
		return [...new Set(tops)].map((top) => tops.filter((other) => other === top).length)`)
	assert.Equal(t, []int{4, 4, 4}, rows, "all rows are full")

	page.Do(t, click("#pause"))
	reads(t, page, "dialog", "No order is placed until you resume it")
	page.Do(t, click("dialog .go"), see("#paused"))
	page.Screenshot(t, "console-live-paused")
	assert.Contains(t, activity(t, s, sale), "paused_at")
	at(t, page, "#/")
	reads(t, page, ".attention", "“Sale” is paused: it sells nothing")
	page.Do(t, click("#resume-"+sale), browser.Until(`!document.querySelector('[id^=resume-]')`))
	assert.NotContains(t, activity(t, s, sale), "paused_at")
	at(t, page, "#/live/"+sale)
	page.Do(t, click("#pause"), click("dialog .go"), click("#resume"), see("#pause"))
	assert.NotContains(t, activity(t, s, sale), "paused_at")
	assert.Empty(t, page.Errors())
}
