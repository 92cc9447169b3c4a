package seckill

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/sync/singleflight"

	"onrush/modules/api"
	"onrush/modules/bounded"
	"onrush/modules/clock"
	"onrush/modules/panics"
	"onrush/web"
)

const (
	// encodedFor is how long an answer that is the same for all buyers is sent without encoding it again.
	encodedFor = 20 * time.Millisecond
	// encodeWithin bounds the making of one answer, for which all who want it wait.
	encodeWithin = 3 * time.Second
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
	clock   *clock.Clock
	changes *atomic.Int64
	making  singleflight.Group
	kept    *bounded.Map[listing, *encodedAnswer]
}

// newEncodedAnswers returns an empty cache. An answer is not used after changes has changed.
func newEncodedAnswers(clock *clock.Clock, changes *atomic.Int64) *encodedAnswers {
	weigh := func(_ listing, a *encodedAnswer) int { return overhead + len(a.body) }
	return &encodedAnswers{clock: clock, changes: changes, kept: bounded.Weighed(maxEncoded, weigh)}
}

// send answers with the JSON of the value that answer returns, or returned less than encodedFor ago. Requests that
// come while an answer is made wait for it.
func (e *encodedAnswers) send(c *fiber.Ctx, of listing, answer func(ctx context.Context) (any, error)) error {
	now, changes := e.clock.NowMS(), e.changes.Load()
	a, ok := e.kept.Get(of)
	if !ok || a.changes != changes || now < a.asOfMS || now-a.asOfMS >= encodedFor.Milliseconds() {
		ctx := context.WithoutCancel(c.UserContext())
		made, err, _ := e.making.Do(fmt.Sprint(of, changes), func() (any, error) {
			return panics.RecoveredValue(func() (*encodedAnswer, error) { return e.make(ctx, of, changes, answer) })
		})
		if err != nil {
			return err
		}
		a, _ = made.(*encodedAnswer)
	}
	return web.SendJSON(c, a.body)
}

// make encodes an answer and keeps it. Its age counts from the begin, when the stores may have been read.
func (e *encodedAnswers) make(
	ctx context.Context, of listing, changes int64, answer func(ctx context.Context) (any, error),
) (*encodedAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, encodeWithin)
	defer cancel()
	a := &encodedAnswer{asOfMS: e.clock.NowMS(), changes: changes}
	value, err := answer(ctx)
	if err != nil {
		return nil, err
	}
	if a.body, err = json.Marshal(value); err != nil {
		return nil, err
	}
	e.kept.Set(of, a)
	return a, nil
}
