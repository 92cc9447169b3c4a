package browser_test

import (
	"fmt"
	"testing"

	"onrush/test/browser"
)

// refusing lets the page's requests whose method and path match a pattern, such as "GET /orders", be refused with a
// code, at once as often as the client tries. With the code "" they are never answered. It replaces what it did before,
// until the page is loaded again.
func refusing(t *testing.T, page *browser.Page, pattern, code string) {
	t.Helper()
	browser.Run[bool](t, page, fmt.Sprintf(`
		const pattern = new RegExp(%q), code = %q;
		const status = { forbidden: 403, not_found: 404, not_payable: 409 }[code] ?? 503;
		window.answered ??= window.fetch;
		window.sent = [];
		window.fetch = async (url, options = {}) => {
			const request = (options.method ?? 'GET') + ' ' + String(url).replace(location.origin, '');
			if (!pattern.test(request)) return answered(url, options);
			sent.push(request);
			if (!code) await new Promise(() => {});
			const headers = { 'Content-Type': 'application/problem+json' };
			return new Response(JSON.stringify({ code, status, refresh_after_ms: 1 }), { status, headers });
		};
		return true`, pattern, code))
}

// refusingNone lets all requests of the page through again.
func refusingNone(t *testing.T, page *browser.Page) {
	t.Helper()
	browser.Run[bool](t, page, `window.fetch = window.answered ?? window.fetch; return true`)
}

// refusingUntilClick lets all requests of the page through again, and clicks an element in the same turn: a page that
// repeats by itself might have replaced the element before a click that comes later.
func refusingUntilClick(t *testing.T, page *browser.Page, selector string) {
	t.Helper()
	browser.Run[bool](t, page, fmt.Sprintf(`
		window.fetch = window.answered ?? window.fetch;
		document.querySelector(%q).click();
		return true`, selector))
}
