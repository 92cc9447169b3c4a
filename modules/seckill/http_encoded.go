package seckill

import (
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/maypok86/otter/v2"

	"onrush/lua"
	"onrush/web"
	"onrush/web/api"
)

const (
	// encodedFor is how long an answer that is the same for all buyers is sent without encoding it again.
	encodedFor = 20 * time.Millisecond
	// maxEncoded bounds the bytes of all answers that are kept, each of which takes overhead beside its JSON.
	maxEncoded, overhead = 16 << 20, 400
)

// listing identifies an answer that is the same for all buyers: one activity, or a page of the list.
type listing struct {
	activity string
	state    SaleState
	page     api.Page
}

// encodedAnswer is the JSON of an answer.
type encodedAnswer struct {
	body    []byte
	asOfMS  int64
	changes int64 // of this instance before it was made
}

// encodedAnswers keeps answers that are the same for all buyers. It is safe for concurrent use.
type encodedAnswers struct {
	clock   *lua.Clock
	changes *atomic.Int64
	kept    *otter.Cache[listing, *encodedAnswer]
}

// newEncodedAnswers returns an empty cache. An answer is not used after changes has changed.
func newEncodedAnswers(clock *lua.Clock, changes *atomic.Int64) *encodedAnswers {
	weigh := func(_ listing, a *encodedAnswer) uint32 { return uint32(overhead + len(a.body)) } //nolint:gosec // a page
	return &encodedAnswers{clock: clock, changes: changes, kept: otter.Must(&otter.Options[listing, *encodedAnswer]{
		MaximumWeight: maxEncoded, Weigher: weigh,
	})}
}

// send answers with the JSON of what answer returns, or with what it returned less than encodedFor ago.
func (e *encodedAnswers) send(c *fiber.Ctx, of listing, answer func() (any, error)) error {
	now, changes := e.clock.NowMS(), e.changes.Load()
	a, ok := e.kept.GetIfPresent(of)
	if !ok || a.changes != changes || now < a.asOfMS || now-a.asOfMS >= encodedFor.Milliseconds() {
		value, err := answer()
		if err != nil {
			return err
		}
		a = &encodedAnswer{asOfMS: now, changes: changes}
		if a.body, err = json.Marshal(value); err != nil {
			return err
		}
		e.kept.Set(of, a)
	}
	return web.SendJSON(c, a.body)
}
