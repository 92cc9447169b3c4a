package sandbox

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// Action is an action of the page on a payment.
type Action string

// The actions, as in the path of requests.
const (
	SandboxPay     Action = "pay"
	SandboxFail    Action = "fail"
	SandboxTwice   Action = "pay-twice"    // two transactions
	SandboxLate    Action = "pay-late"     // after a delay, even if the payment is closed by then
	SandboxWrong   Action = "wrong-amount" // one minor unit too much
	SandboxUnheard Action = "pay-unheard"  // the money comes, but no notification
)

// NoticeState is the state of a notice.
type NoticeState string

// The states of a notice.
const (
	noticeWaiting      NoticeState = "waiting" // not yet acknowledged
	noticeAcknowledged NoticeState = "acknowledged"
	noticeGivenUp      NoticeState = "given_up"
	noticeStopped      NoticeState = "stopped" // the program stopped; it is sent at the next start
	noticeUnheard      NoticeState = "unheard" // it is never sent
)

// noticeRow is a notification, and how the webhook answered.
type noticeRow struct {
	Event       string       `db:"event_id"`
	Payment     order.Number `db:"pay_number"`
	Type        string       `db:"type"`
	Transaction string       `db:"transaction_id"` // "" for a failed payment
	Amount      int64        `db:"amount"`
	Currency    string       `db:"currency"`
	MadeMS      int64        `db:"made_ms"`
	DueMS       int64        `db:"due_ms"`
	State       NoticeState  `db:"state"`
	Attempts    int          `db:"attempts"`
	Answer      int          `db:"answer"` // the last HTTP status, 0 for none
}

// Act performs an action of the page: it stores the money, and sends the notifications in the background.
// after is the delay of SandboxLate. A closed payment accepts only late money. Late notifications have
// their own bound, so that long delays don't block the others.
func (g *Gateway) Act(ctx context.Context, n order.Number, action Action, after time.Duration) error {
	planned := g.plan(n, action, after)
	if planned == nil {
		return problem.NotFound("action")
	}
	late, slots := action == SandboxLate, g.slots
	if late {
		slots = g.late
	}
	if !slots.TryAcquire(int64(len(planned))) {
		return problem.Errorf(problem.CodeOverloaded, "Too many notifications are being sent.").After(time.Second)
	}
	var notices []*noticeRow
	err := g.db.InTx(ctx, func(tx *sqlx.Tx) (err error) {
		notices, err = g.storeNotices(ctx, tx, n, planned, late)
		return err
	})
	if err != nil {
		slots.Release(int64(len(planned)))
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return problem.NotFound("payment")
		case problem.Is(err):
			return err
		}
		return problem.Unavailable(err, "The sandbox can't store the action right now.")
	}
	for _, notice := range notices {
		g.sending.Go(func() { //nolint:contextcheck // it outlives the request, and ends with the program
			defer slots.Release(1)
			g.send(notice, late, after)
		})
	}
	return nil
}

// plan returns the notices of an action, with amounts relative to the payment's; nil if there is no such
// action.
func (g *Gateway) plan(n order.Number, action Action, after time.Duration) []*noticeRow {
	at := g.now()
	newNotice := func(kind string) *noticeRow {
		notice := &noticeRow{
			Event: "evt_" + g.newID(), Payment: n, Type: kind, MadeMS: at.UnixMilli(), DueMS: at.UnixMilli(),
			State: noticeWaiting,
		}
		if kind == succeeded {
			notice.Transaction = "txn_" + g.newID()
		}
		return notice
	}
	switch action {
	case SandboxPay:
		return []*noticeRow{newNotice(succeeded)}
	case SandboxFail:
		return []*noticeRow{newNotice(failed)}
	case SandboxTwice:
		return []*noticeRow{newNotice(succeeded), newNotice(succeeded)}
	case SandboxLate:
		notice := newNotice(succeeded)
		notice.DueMS = at.Add(after).UnixMilli()
		return []*noticeRow{notice}
	case SandboxWrong:
		notice := newNotice(succeeded)
		notice.Amount = 1 // added to the correct amount
		return []*noticeRow{notice}
	case SandboxUnheard:
		notice := newNotice(succeeded)
		notice.State = noticeUnheard
		return []*noticeRow{notice}
	}
	return nil
}

// storeNotices stores the planned notices, and the money of each notice that is not late. It returns the notices with
// their amounts.
func (g *Gateway) storeNotices(
	ctx context.Context, tx *sqlx.Tx, n order.Number, planned []*noticeRow, late bool,
) ([]*noticeRow, error) {
	p, err := lockPayment(ctx, tx, n)
	if err != nil {
		return nil, err
	}
	if p.ClosedMS != 0 && !late {
		return nil, problem.Errorf(problem.CodeConflict, "The payment is closed; it accepts only late money.")
	}
	var had []NoticeState
	if err := tx.SelectContext(ctx, &had, `SELECT state FROM sandbox_notices WHERE pay_number = ?`, n); err != nil {
		return nil, fmt.Errorf("select notices: %w", err)
	}
	switch {
	case len(had)+len(planned) > g.cfg.Notices:
		return nil, problem.Errorf(problem.CodeConflict, "The payment has had the maximum number of notifications.")
	case planned[0].State == noticeUnheard && slices.Contains(had, noticeUnheard):
		// An action may be repeated that was carried out, and a query finds one transaction only.
		return nil, problem.Errorf(problem.CodeConflict, "The payment has had money that is unheard of.")
	}
	notices := make([]*noticeRow, 0, len(planned))
	for _, notice := range planned {
		full := *notice // a copy, since the transaction may run again
		full.Amount, full.Currency = p.Amount+notice.Amount, p.Currency
		if full.Transaction != "" && !late {
			if err := g.take(ctx, tx, &full); err != nil {
				return nil, err
			}
		}
		const insert = `INSERT INTO sandbox_notices (event_id, pay_number, type, transaction_id, amount, currency,
			made_ms, due_ms, state, attempts, answer)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)`
		if _, err := tx.ExecContext(ctx, insert, full.Event, n, full.Type, full.Transaction, full.Amount, full.Currency,
			full.MadeMS, full.DueMS, full.State); err != nil {
			return nil, fmt.Errorf("insert notice: %w", err)
		}
		notices = append(notices, &full)
	}
	return notices, nil
}

// take stores money that came in, once.
func (g *Gateway) take(ctx context.Context, q sqlx.ExecerContext, notice *noticeRow) error {
	const insert = `INSERT INTO sandbox_transactions (transaction_id, pay_number, amount, currency, at_ms)
		VALUES (?, ?, ?, ?, ?)`
	_, err := q.ExecContext(ctx, insert, notice.Transaction, notice.Payment, notice.Amount, notice.Currency,
		g.now().UnixMilli())
	if err != nil && !sqldb.IsDuplicate(err) {
		return fmt.Errorf("insert transaction: %w", err)
	}
	return nil
}

// send waits until the notice is due and, if it is late, for a slot. Then it sends the notice until it is
// acknowledged.
func (g *Gateway) send(notice *noticeRow, late bool, after time.Duration) {
	if notice.State == noticeUnheard {
		return
	}
	var err error
	if late {
		if err = g.pause(g.stop, after); err == nil {
			err = g.slots.Acquire(g.stop, 1)
		}
		if err == nil {
			defer g.slots.Release(1)
		}
		if err == nil && notice.Transaction != "" {
			err = g.takeLate(notice)
		}
	}
	if err == nil {
		err = g.repeat(notice)
	}
	if err != nil {
		notice.State = noticeStopped
		g.log.WarnContext(g.stop, "a sandbox notification ended before it was acknowledged",
			slog.String("event_id", notice.Event), slog.Any("error", err))
		g.keep(notice)
	}
}

// takeLate takes the money of a late notice, again and again while the store is away. An error means that the program
// stops.
func (g *Gateway) takeLate(notice *noticeRow) error {
	for wait := g.cfg.Wait; ; wait = min(2*wait, g.cfg.WaitMax) {
		err := g.take(g.stop, g.db.Write, notice)
		if err == nil || g.stop.Err() != nil {
			return err
		}
		g.log.WarnContext(g.stop, "late money of the sandbox can't be stored", slog.String("event_id", notice.Event),
			slog.Any("error", err))
		if err := g.pause(g.stop, wait); err != nil {
			return err
		}
	}
}

// repeat sends a notice until it is acknowledged or Attempts is reached. An error means that it ended
// earlier.
func (g *Gateway) repeat(notice *noticeRow) error {
	body, err := notice.body()
	if err != nil {
		return err
	}
	wait, unsure := g.cfg.Wait, false
	for first := true; ; first = false {
		if !first {
			if err := g.pause(g.stop, wait); err != nil {
				return err
			}
			wait = min(2*wait, g.cfg.WaitMax)
		}
		claimed, err := g.claim(notice, unsure)
		if unsure = err != nil; unsure {
			continue // the webhook needs the store, too
		}
		if !claimed {
			return nil // another instance makes this attempt
		}
		notice.Attempts++
		if notice.Answer, err = g.post(g.stop, notice.Event, body); err != nil {
			g.log.WarnContext(g.stop, "a sandbox notification got no answer", slog.String("event_id", notice.Event),
				slog.Int("attempts", notice.Attempts), slog.Any("error", err))
		}
		switch {
		case notice.Answer/100 == 2:
			notice.State = noticeAcknowledged
		case notice.Attempts >= g.cfg.Attempts:
			notice.State = noticeGivenUp
		}
		for !g.keep(notice) {
			if err := g.pause(g.stop, wait); err != nil {
				return err
			}
		}
		if notice.State != noticeWaiting {
			return nil
		}
	}
}

func (n *noticeRow) body() ([]byte, error) {
	data := eventData{PayNumber: n.Payment, TransactionID: n.Transaction}
	if n.Type == succeeded {
		data.Amount, data.Currency = &n.Amount, n.Currency
	}
	body, err := json.Marshal(struct {
		Type string    `json:"type"`
		Data eventData `json:"data"`
	}{n.Type, data})
	if err != nil {
		return nil, fmt.Errorf("encode notification: %w", err)
	}
	return body, nil
}

// maxAnswer bounds how much of the webhook's answer is read, in bytes; it is read so that the connection
// can be reused.
const maxAnswer = 64 << 10

// post signs a notification with the current time, sends it once, and returns the status of the answer, 0
// for none.
func (g *Gateway) post(ctx context.Context, event string, body []byte) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.cfg.WebhookURL, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header = Sign(g.cfg.Secret, event, g.now(), body)
	res, err := g.client.Do(req)
	if err != nil {
		return 0, err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxAnswer)) // only the status matters
	return res.StatusCode, res.Body.Close()
}

// keepWithin bounds storing an attempt or the result of a notice, even while the program stops.
const keepWithin = 2 * time.Second

// keep stores the result of a notice, for the page, and reports whether it could.
func (g *Gateway) keep(notice *noticeRow) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(g.stop), keepWithin)
	defer cancel()
	const update = `UPDATE sandbox_notices SET state = ?, attempts = ?, answer = ? WHERE event_id = ?`
	if _, err := g.db.Write.ExecContext(ctx, update, notice.State, notice.Attempts, notice.Answer,
		notice.Event); err != nil {
		g.log.WarnContext(ctx, "the answer to a sandbox notification can't be stored",
			slog.String("event_id", notice.Event), slog.Any("error", err))
		return false
	}
	return true
}

// Wait returns when no notification is being sent. Call it after stop has ended, and before the store is
// closed.
func (g *Gateway) Wait() {
	g.sending.Wait()
	g.client.CloseIdleConnections()
}
