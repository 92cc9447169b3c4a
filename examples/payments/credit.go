package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/gofiber/fiber/v2"

	"onrush"
)

// credit is the gateway. It keeps its accounts in memory; a real shop keeps them in its database, so that all
// instances and the next start have them.
type credit struct {
	url    string
	secret []byte

	mu       sync.Mutex
	accounts map[string]*account // by the number of the payment
	refunds  map[string]bool     // that were carried out
}

type account struct {
	onrush.Payment

	paid, closed bool
}

var _ onrush.Gateway = (*credit)(nil)

func newCredit(url, secret string) *credit {
	return &credit{
		url: url, secret: []byte(secret), accounts: map[string]*account{}, refunds: map[string]bool{},
	}
}

func (c *credit) Name() string { return "credit" }

func (c *credit) Begin(_ context.Context, p onrush.Payment) (onrush.Next, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.accounts[p.Number] == nil { // Begin may be repeated
		c.accounts[p.Number] = &account{Payment: p}
	}
	return onrush.Next{RedirectURL: c.url + p.Number}, nil
}

func (c *credit) Query(_ context.Context, p onrush.Payment) (onrush.Found, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.accounts[p.Number]
	switch {
	case a == nil:
		return onrush.Found{}, nil
	case !a.paid:
		return onrush.Found{Closed: a.closed}, nil
	}
	return onrush.Found{Paid: true, Transaction: "credit-" + p.Number, Amount: a.Amount, Currency: a.Currency}, nil
}

func (c *credit) Close(_ context.Context, p onrush.Payment) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.accounts[p.Number]
	switch {
	case a == nil:
		c.accounts[p.Number] = &account{Payment: p, closed: true} // its Begin may still be on the way
		return nil
	case a.paid:
		return onrush.ErrPaid
	}
	a.closed = true
	return nil
}

func (c *credit) Refund(_ context.Context, r onrush.Refund) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refunds[r.Number] = true // the buyer's credit rises by r.Amount, once for each number
	return nil
}

// Parse reads what pay sends.
func (c *credit) Parse(header http.Header, body []byte) (n onrush.Notification, err error) {
	if !hmac.Equal([]byte(c.sign(body)), []byte(header.Get("Credit-Signature"))) {
		return n, onrush.ErrSignature
	}
	return n, json.Unmarshal(body, &n)
}

func (c *credit) sign(body []byte) string {
	mac := hmac.New(sha256.New, c.secret)
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// page shows what there is to pay.
func (c *credit) page(f *fiber.Ctx) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.accounts[f.Params("number")]
	if a == nil {
		return fiber.ErrNotFound
	}
	f.Type("html")
	return f.SendString(fmt.Sprintf(`<form method="post"><button>Pay %d %s of your credit</button></form>`,
		a.Amount, a.Currency))
}

// pay takes the buyer's credit, and then reports it. If the report is lost, Query says the same. A real page knows its
// buyer, and takes the credit of a.User alone.
func (c *credit) pay(f *fiber.Ctx) error {
	c.mu.Lock()
	a := c.accounts[f.Params("number")]
	if a == nil || a.closed {
		c.mu.Unlock()
		return fiber.ErrNotFound
	}
	a.paid = true
	paid := a.Payment
	c.mu.Unlock()
	body, err := json.Marshal(onrush.Notification{
		Kind: onrush.Paid, ID: "paid-" + paid.Number, Transaction: "credit-" + paid.Number, Payment: paid.Number,
		Amount: paid.Amount, Currency: paid.Currency,
	})
	if err != nil {
		return err
	}
	report, err := http.NewRequestWithContext(f.UserContext(), http.MethodPost, paid.NotifyURL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	report.Header.Set("Credit-Signature", c.sign(body))
	if answer, err := http.DefaultClient.Do(report); err == nil {
		_ = answer.Body.Close()
	}
	return f.SendString("Paid.")
}
