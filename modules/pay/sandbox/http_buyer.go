package sandbox

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/problem"
	"onrush/web"
)

//go:embed page/index.html page/sandbox.css page/sandbox.js
var pageFiles embed.FS

const pageFile = "index.html"

// assets has the media types of the files under /sandbox/assets/.
var assets = map[string]string{
	"sandbox.css": "text/css; charset=utf-8",
	"sandbox.js":  "text/javascript; charset=utf-8",
}

// pagePolicy lets the page load its own style and script, and send requests to this server.
const pagePolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' " +
	"data:; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// State is the data of the page. Everyone with the link can see it, so it has nothing about the user or
// the items.
type State struct {
	Payment  order.Number `json:"pay_number"`
	Amount   int64        `json:"amount"`
	Currency string       `json:"currency"`
	Status   pay.Status   `json:"status"`
	Refunded int64        `json:"refunded_amount"`
	Closed   bool         `json:"closed"` // at the sandbox: it accepts only late money
	Orders   []Order      `json:"orders"`
	Notices  []NoticeView `json:"notifications"` // oldest first
	Return   string       `json:"return_url,omitempty"`
}

// Order is an order that the payment pays.
type Order struct {
	Status order.Status `json:"status" db:"status"`
}

// NoticeView is a notification, the webhook's answer, and the state of the money.
type NoticeView struct {
	Type     string      `json:"type"`
	Amount   int64       `json:"amount"`
	Refunded int64       `json:"refunded_amount"`
	Made     api.Millis  `json:"made_at"`
	Due      api.Millis  `json:"send_at"`
	State    NoticeState `json:"state"`
	Attempts int         `json:"attempts"`
	Answer   int         `json:"answer,omitempty"` // the last HTTP status
}

// readFiles returns the embedded files of the page, by name.
func readFiles() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range []string{pageFile, "sandbox.css", "sandbox.js"} {
		data, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
		files[name] = data
	}
	return files, nil
}

// HandleAsset answers GET /sandbox/assets/{asset}.
func (g *Gateway) HandleAsset(c *fiber.Ctx) error {
	name := web.Param(c, "asset")
	kind, ok := assets[name]
	if !ok {
		return problem.NotFound("file")
	}
	return sendFile(c, g.files[name], kind, "no-cache")
}

// HandlePage answers GET /sandbox/pay/{pay_number}.
func (g *Gateway) HandlePage(c *fiber.Ctx) error {
	if _, err := g.linked(c); err != nil {
		return err
	}
	return sendFile(c, g.files[pageFile], "text/html; charset=utf-8", "no-store")
}

func sendFile(c *fiber.Ctx, data []byte, kind, cache string) error {
	c.Set(fiber.HeaderCacheControl, cache)
	c.Set(fiber.HeaderContentSecurityPolicy, pagePolicy)
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer") // the address contains the token
	c.Set(fiber.HeaderContentType, kind)
	return c.Send(data)
}

// linked reads the pay number of a link and checks the link's token. If the token is wrong, the error is
// not_found.
func (g *Gateway) linked(c *fiber.Ctx) (order.Number, error) {
	n, err := order.ParseNumber(web.Param(c, "pay_number"))
	if err != nil || !g.isLink(n, c.Query("t")) {
		return 0, problem.NotFound("payment")
	}
	return n, nil
}

// actRequest is the body of an action.
type actRequest struct {
	AfterS int64 `json:"after_s" validate:"min=0,max=3600"` // seconds, for pay-late
}

// HandleAct answers POST /sandbox/pay/{pay_number}/{action}.
func (g *Gateway) HandleAct(c *fiber.Ctx) error {
	n, err := g.linked(c)
	if err != nil {
		return err
	}
	var req actRequest
	if err := web.Bind(c, &req); err != nil {
		return err
	}
	if err := g.Act(c.UserContext(), n, Action(web.Param(c, "action")),
		time.Duration(req.AfterS)*time.Second); err != nil {
		return err
	}
	state, err := g.State(c.UserContext(), n)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusAccepted).JSON(state)
}

// HandleState answers GET /sandbox/state/{pay_number}.
func (g *Gateway) HandleState(c *fiber.Ctx) error {
	n, err := g.linked(c)
	if err != nil {
		return err
	}
	state, err := g.State(c.UserContext(), n)
	if err != nil {
		return err
	}
	return c.JSON(state)
}

// State returns a payment with its orders and notifications.
func (g *Gateway) State(ctx context.Context, n order.Number) (*State, error) {
	var state *State
	err := g.db.InView(ctx, func(tx *sqlx.Tx) (err error) {
		state, err = readState(ctx, tx, n)
		return err
	})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, problem.NotFound("payment")
	case err != nil:
		return nil, problem.Unavailable(err, "The payment can't be read right now.")
	}
	return state, nil
}

func readState(ctx context.Context, tx *sqlx.Tx, n order.Number) (*State, error) {
	state := State{Payment: n, Orders: []Order{}, Notices: []NoticeView{}}
	var p struct {
		Amount   int64      `db:"amount"`
		Currency string     `db:"currency"`
		Status   pay.Status `db:"status"`
		Refunded int64      `db:"refunded_amount"`
		ClosedMS int64      `db:"closed_ms"`
		Return   string     `db:"return_url"`
	}
	const payment = `SELECT p.amount, p.currency, p.status, p.refunded_amount, s.closed_ms, s.return_url FROM payments p
		JOIN sandbox_payments s ON s.pay_number = p.pay_number WHERE p.pay_number = ?`
	if err := tx.GetContext(ctx, &p, payment, n); err != nil {
		return nil, fmt.Errorf("select payment: %w", err)
	}
	state.Amount, state.Currency, state.Status, state.Refunded, state.Closed = p.Amount, p.Currency, p.Status,
		p.Refunded, p.ClosedMS != 0
	state.Return = p.Return
	const orders = `SELECT COALESCE(o.status, a.status) AS status FROM payment_orders p
		LEFT JOIN orders o ON o.number = p.order_number LEFT JOIN orders_archive a ON a.number = p.order_number
		WHERE p.pay_number = ? ORDER BY p.order_number`
	if err := tx.SelectContext(ctx, &state.Orders, orders, n); err != nil {
		return nil, fmt.Errorf("select orders of the payment: %w", err)
	}
	var notices []struct {
		noticeRow
		Back int64 `db:"back"`
	}
	const sent = `SELECT n.*, (SELECT COALESCE(SUM(r.amount), 0) FROM sandbox_refunds r
			WHERE r.transaction_id = n.transaction_id) AS back
		FROM sandbox_notices n WHERE n.pay_number = ? ORDER BY n.made_ms, n.event_id`
	if err := tx.SelectContext(ctx, &notices, sent, n); err != nil {
		return nil, fmt.Errorf("select notifications: %w", err)
	}
	for _, one := range notices {
		state.Notices = append(state.Notices, NoticeView{
			Type: one.Type, Amount: one.Amount, Refunded: one.Back, Made: api.Millis(one.MadeMS),
			Due: api.Millis(one.DueMS), State: one.State, Attempts: one.Attempts, Answer: one.Answer,
		})
	}
	return &state, nil
}
