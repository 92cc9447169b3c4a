package sandbox

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jmoiron/sqlx"
	"golang.org/x/sync/semaphore"

	"onrush/modules/loop"
	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/sqldb"
)

// Channel is the sandbox's name in the API and in the webhook's path.
const Channel = "sandbox"

// Gateway is a gateway inside the program, for development and tests: its page makes payments succeed,
// fail, arrive twice, late or wrong, and it reports them by real notifications. It takes no real money.
// Its state is in SQL, so that it survives a restart and all instances share it; a notification that is
// not acknowledged when the program ends is sent after the next start (Resume).
type Gateway struct {
	cfg    Config
	keys   [][]byte // the first signs
	db     *sqldb.DB
	now    func() time.Time
	newID  func() string
	log    *slog.Logger
	client *http.Client
	files  map[string][]byte // the page and its parts

	stop    context.Context     // ends when the program stops, and the notifications with it
	slots   *semaphore.Weighted // for notifications that are being sent
	late    *semaphore.Weighted // for late ones that are not due
	sending sync.WaitGroup
	pause   func(ctx context.Context, d time.Duration) error
}

var _ pay.Gateway = (*Gateway)(nil)

// New returns the gateway. When stop ends, it stops sending notifications; Wait waits for that.
func New(stop context.Context, cfg Config, d Deps) (*Gateway, error) {
	keys, err := parseSecrets(cfg.Secret)
	if err != nil {
		return nil, err
	}
	if cfg, err = cfg.withDefaults(); err != nil {
		return nil, err
	}
	files, err := readFiles()
	if err != nil {
		return nil, err
	}
	return &Gateway{
		cfg: cfg, keys: keys, files: files, db: d.DB, now: d.Now, newID: d.NewID, log: d.Log, stop: stop,
		slots: semaphore.NewWeighted(int64(cfg.Sending)), late: semaphore.NewWeighted(int64(cfg.Waiting)),
		pause: loop.Wait,
		client: &http.Client{
			Timeout: callWithin,
			Transport: &http.Transport{
				MaxConnsPerHost: 64, MaxIdleConnsPerHost: 16, IdleConnTimeout: 10 * time.Second,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Channel returns Channel.
func (g *Gateway) Channel() string { return Channel }

// Acknowledge returns an empty body: the standard requires only a 2xx status.
func (g *Gateway) Acknowledge() (contentType string, body []byte) {
	return "application/json", []byte(`{"received":true}`)
}

// Begin stores the payment and redirects the client to its page.
func (g *Gateway) Begin(ctx context.Context, p *pay.Payment) (pay.Next, error) {
	if err := g.add(ctx, p); err != nil {
		return pay.Next{}, fmt.Errorf("%w: sandbox: begin payment %s: %w", pay.ErrUnavailable, p.Number, err)
	}
	return pay.Next{RedirectURL: g.cfg.BaseURL + "/sandbox/pay/" + p.Number.String() + "?t=" + g.linkToken(p.Number)},
		nil
}

// add inserts a payment, once. It is a single statement, since two transactions that both lock a missing
// row and then insert it would deadlock.
func (g *Gateway) add(ctx context.Context, p *pay.Payment) error {
	const insert = `INSERT INTO sandbox_payments (pay_number, amount, currency, closed_ms, return_url)
		VALUES (?, ?, ?, 0, ?)`
	_, err := g.db.Write.ExecContext(ctx, insert, p.Number, p.Amount, p.Currency, p.ReturnURL)
	if sqldb.IsDuplicate(err) {
		return nil
	}
	return err
}

// paymentRow is a payment in the sandbox.
type paymentRow struct {
	Number   order.Number `db:"pay_number"`
	Amount   int64        `db:"amount"`
	Currency string       `db:"currency"`
	ClosedMS int64        `db:"closed_ms"`
}

// lockPayment locks a payment until the transaction ends, so that it is not closed and paid concurrently.
// The error for an unknown payment is sql.ErrNoRows.
func lockPayment(ctx context.Context, tx *sqlx.Tx, n order.Number) (*paymentRow, error) {
	if _, err := tx.ExecContext(ctx, `UPDATE sandbox_payments SET closed_ms = closed_ms WHERE pay_number = ?`,
		n); err != nil {
		return nil, err
	}
	var p paymentRow
	err := tx.GetContext(ctx, &p, `SELECT pay_number, amount, currency, closed_ms FROM sandbox_payments
		WHERE pay_number = ?`, n)
	return &p, err
}

// The types of notifications.
const (
	succeeded = "payment.succeeded"
	failed    = "payment.failed"
)

// eventBody is the body of a notification. Unknown fields are ignored, for compatibility with later
// versions.
type eventBody struct {
	Type string         `json:"type"`
	Data jsontext.Value `json:"data"`
}

type eventData struct {
	PayNumber     order.Number `json:"pay_number"`
	TransactionID string       `json:"transaction_id,omitempty"`
	Amount        *int64       `json:"amount,omitempty"`
	Currency      string       `json:"currency,omitempty"`
}
