//go:build large

package browser_test

import (
	"fmt"
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
	page.Do(t, click(".more-figures summary"))
	reads(t, page, "#figure-paid_rate", "50%")
	reads(t, page, "#figure-coming_back", `back\s+0\s`) // bob has more than five minutes left
	reads(t, page, "#room", "There is none")
	page.Do(t, click("#room summary"))
	put(t, page, "rate", "5")
	page.Do(t, click("#room-set"))
	reads(t, page, "dialog", `buyers wait: 5 a second come in\. 1,000 visitors would wait up to 3:20`)
	page.Do(t, click("dialog .go"))
	reads(t, page, "#room", "Admits 5 a second")
	orders := browser.Run[string](t, page, `return document.querySelector('.tabs [href^="#/money/orders"]').href`)
	assert.Contains(t, orders, sale)
	page.Do(t, see("#room button[disabled]"))
	put(t, page, "rate", "20")
	assert.Equal(t, "20 a second", browser.Run[string](t, page,
		`return document.querySelector('.slider input').getAttribute('aria-valuetext')`))
	page.Do(t, click("#room-set"))
	reads(t, page, "#room", "Admits 20 a second")
	assert.EqualValues(t, 20, rate())
	page.Do(t, click("#room-end"), click("dialog .go"))
	reads(t, page, "#room", "There is none")
	assert.Nil(t, rate())
	assert.Empty(t, page.Errors())
}

// speakers gives a page a sound that counts its tones, and whose state is at first the given one.
func speakers(t *testing.T, page *browser.Page, state string) {
	t.Helper()
	browser.Run[bool](t, page, `
		Object.assign(window, { tones: 0, pressed: false });
		addEventListener('pointerdown', () => { window.pressed = true }, true);
		window.AudioContext = class extends EventTarget {
			currentTime = 0;
			state = '`+state+`';
			createOscillator() {
				return { frequency: {}, connect: (to) => to, start() { window.tones++; }, stop() {} };
			}
			createGain() { return { gain: {}, connect() {} }; }
			resume() {
				const { promise, resolve } = Promise.withResolvers();
				this.held = [...this.held ?? [], resolve];
				if (this.state === 'running' || pressed) {
					this.state = 'running';
					this.dispatchEvent(new Event('statechange'));
					this.held.forEach((allowed) => allowed());
				}
				return promise;
			}
		};
		return true`)
}

// What goes wrong is in the page's title, and is heard by those who want that.
func TestASaleThatGoesWrongRaisesTheAlarm(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell"})
	speakers(t, page, "running")
	at(t, page, "#/live/"+sale)
	page.Do(t, see("#figure-drift"), browser.Until(`document.title.startsWith('Sale')`))
	assert.Equal(t, "Sound off", text(t, page, "#sound"))
	dead := map[string]string{`\/stats`: `body.queue.dead = 3`}
	answers(t, page, dead)
	reads(t, page, "#alarm-dead", `^Orders can't be stored: 3\. Their buyers can't pay yet\.\s+Try again\s+Queue$`)
	page.Do(t, browser.Until(`document.title.startsWith('(1!) Sale')`))
	assert.Zero(t, browser.Run[int](t, page, `return tones`), "nobody asked for a sound")
	page.Screenshot(t, "console-alarm")
	answers(t, page, nil)
	page.Do(t, browser.Until(`document.title.startsWith('Sale')`), click("#sound"))
	asked := browser.Run[int](t, page, `return tones`)
	answers(t, page, map[string]string{
		`\/audit`: `Object.assign(body, { ok: false }); body.items[0].drift = 2`,
	})
	reads(t, page, "#alarm-drift", "Units not accounted for: 2")
	page.Do(t, browser.Until(`tones > `+strconv.Itoa(asked)))
	browser.Run[bool](t, page, `
		window.asked = 0;
		window.fetch = () => new Promise(() => asked++);
		return true`)
	page.Do(t, browser.Until(`asked > 1`))
	later(t, page)
	page.Do(t, see("#alarm-stale"))
	page.Do(t, chromedp.Reload())
	reads(t, page, "#sound", "^Sound on$") // it is kept
}

// The sound calls for what is new on the list of Today, whatever view is shown, and not for what was there before.
func TestTheSoundCallsFromEveryView(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	s.Open(t, site.Sale{SKU: "bell"})
	pause := func(job string) {
		paused := s.Operator(t).Call(t, http.MethodPost, operators+"/jobs/"+job+"/pause", job, nil)
		require.Equal(t, http.StatusOK, paused.Status, "%s", paused.Body)
	}
	pause("audit")
	reads(t, page, ".attention h2", "^1 thing needs attention$")
	speakers(t, page, "running")
	page.Do(t, click(".attention .sound"), browser.Until(`tones === 2`))
	reads(t, page, "#sound", "^Sound on$")
	pause("announce_sales")
	reads(t, page, ".attention h2", "^2 things need attention$")
	page.Do(t, browser.Until(`tones === 4`))
	at(t, page, "#/sales")
	page.Do(t, see("tbody tr"))
	pause("preheat")
	reads(t, page, `nav a[href="#/"]`, `Today\s+3$`)
	page.Do(t, browser.Until(`tones === 6`))
	page.Do(t, click("#sound"))
	reads(t, page, "#sound", "^Sound off$")
	assert.Empty(t, page.Errors())
}

// jumbled notes when what is above on a page is drawn below. What is drawn at once is seen at once.
const jumbled = `
	window.jumbled = false;
	new MutationObserver(() => {
		const [first, last] = [document.querySelector('main h1'), document.querySelector('%s')];
		const follows = Node.DOCUMENT_POSITION_FOLLOWING;
		if (first && last && !(first.compareDocumentPosition(last) & follows)) window.jumbled = true;
	}).observe(document.querySelector('main'), { childList: true });
	return true`

// Parts of a view that come one after another are drawn in their places: the charts of a sale, the refunds of an order.
func TestPartsThatComeLaterAreDrawnInTheirPlaces(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell"})
	order := paid(t, s, "harp", 900)
	at(t, page, "#/live/"+sale)
	page.Do(t, see("#charts-empty"), see(".account"))
	browser.Run[bool](t, page, fmt.Sprintf(jumbled, ".account"))
	page.Do(t, see(".charts"))
	assert.False(t, browser.Run[bool](t, page, `return jumbled`), "the account is above the title of the sale")

	at(t, page, "#/order/"+order)
	page.Do(t, see(".facts"))
	browser.Run[bool](t, page, fmt.Sprintf(jumbled, "main > .list"))
	s.Operator(t).Call(t, http.MethodPost, operators+"/orders/"+order+"/refund", "k", map[string]any{"amount": 100})
	reads(t, page, "main", `Refunds\s+Refund[^]*¥1\.00`)
	assert.False(t, browser.Run[bool](t, page, `return jumbled`), "the notes are above the title of the order")
	assert.Empty(t, page.Errors())
}

// The pause of a sale stays in view wherever the reader is on its page, and the form has it as well.
func TestThePauseOfASaleIsAlwaysAtHand(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell"})
	at(t, page, "#/live/"+sale)
	for _, width := range []int64{1280, 390} {
		page.Do(t, chromedp.EmulateViewport(width, 700), see("#pause"), see(".account"))
		hit := browser.Run[string](t, page, `
			scrollTo(0, document.documentElement.scrollHeight);
			await new Promise(requestAnimationFrame);
			const { left, top, width, height } = document.querySelector('#pause').getBoundingClientRect();
			return [scrollY > 200, document.elementFromPoint(left + width / 2, top + height / 2)?.id].join()`)
		assert.Equal(t, "true,pause", hit, "%d", width)
	}
	at(t, page, "#/edit/"+sale)
	reads(t, page, ".heading [role=timer]", "^Ends in")
	assert.False(t, browser.Run[bool](t, page, `return document.querySelector('#close').checkVisibility()`))
	page.Do(t, click("#pause"), click("dialog .go"), see(".heading .badge.paused"), click("#resume"),
		see(".heading .badge.running"))
	assert.Empty(t, page.Errors())
}

// A hidden page still reads, but seldom: browsers slow its timers. That is nothing to raise the alarm for.
func TestTheAlarmOfAHiddenPageIsNotFalse(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell"})
	speakers(t, page, "running")
	at(t, page, "#/live/"+sale)
	page.Do(t, see("#figure-drift"))
	browser.Run[bool](t, page, `
		Object.defineProperty(document, 'hidden', { get: () => true });
		dispatchEvent(new Event('visibilitychange'));
		const [real, now] = [window.fetch, Date.now];
		Object.assign(window, { late: 0, reads: 0, alarms: 0 });
		Date.now = () => now() + late;
		window.fetch = async (url, options) => {
			const answer = await real(url, options);
			if (url.includes('/stats')) {
				window.reads++;
				setTimeout(() => { window.late += 60_000; }, 100); // until the next read
			}
			return answer;
		};
		setInterval(() => { window.alarms += document.title.startsWith('(') }, 50);
		return true`)
	page.Do(t, browser.Until(`reads > 1`))
	assert.Zero(t, browser.Run[int](t, page, `return alarms`))
	assert.Zero(t, browser.Run[int](t, page, `return document.querySelectorAll('#alarm-stale').length`))
	assert.Empty(t, page.Errors())
}

// A page that was loaded again has no sound until its reader presses something. It says so.
func TestASoundThatTheBrowserHoldsBackIsSaid(t *testing.T) {
	t.Parallel()
	s, page := openConsole(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{SKU: "bell"})
	speakers(t, page, "suspended")
	browser.Run[bool](t, page, `
		localStorage.setItem('alarm_sound', 'on');
		dispatchEvent(new StorageEvent('storage'));
		return true`)
	at(t, page, "#/live/"+sale)
	answers(t, page, map[string]string{`\/stats`: `body.queue.dead = 3`})
	reads(t, page, "#sound-waits", "Press anywhere to allow the sound")
	page.Do(t, see("#alarm-dead"))
	assert.Zero(t, browser.Run[int](t, page, `return tones`))
	page.Do(t, click("h1"), browser.Until(`tones === 2 && !document.querySelector('#sound-waits').innerText`))
	assert.Empty(t, page.Errors())
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
	page.Do(t, click(".more-figures summary"))
	reads(t, page, "#figure-in_room", `room\s+[23]\s`)
	reads(t, page, "#room-line", `^Waiting [23] · Admitted \d · The last one waits \d+:\d\d$`)
	reads(t, page, "#room", `Admits 1 every 100\ss\.`)
	rows := browser.Run[[]int](t, page, `
		const tops = [...document.querySelectorAll('main > .figures > div')].map((tile) => tile.offsetTop);
		return [...new Set(tops)].map((top) => tops.filter((other) => other === top).length)`)
	assert.Equal(t, []int{3, 3}, rows, "all rows are full")

	page.Do(t, click("#pause"))
	reads(t, page, "dialog", "No order is placed until you resume it")
	page.Do(t, click("dialog .go"), see("#paused"))
	page.Screenshot(t, "console-live-paused")
	assert.Equal(t, 1, browser.Run[int](t, page, `
		return [...document.querySelectorAll('button.go')].filter((button) => button.checkVisibility()).length`),
		"one primary button: no crowd is sent into a paused sale")
	assert.Contains(t, activity(t, s, sale), "paused_at")
	at(t, page, "#/")
	reads(t, page, ".attention", `“Sale” \(.*\d\d:\d\d\) is paused: it sells nothing`)
	page.Do(t, click("#resume-"+sale), browser.Until(`!document.querySelector('[id^=resume-]')`))
	assert.NotContains(t, activity(t, s, sale), "paused_at")
	at(t, page, "#/live/"+sale)
	page.Do(t, click("#pause"), click("dialog .go"), click("#resume"), see("#pause"))
	assert.NotContains(t, activity(t, s, sale), "paused_at")
	assert.Empty(t, page.Errors())
}
