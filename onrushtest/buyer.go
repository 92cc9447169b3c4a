package onrushtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"onrush"
	"onrush/app/server"
)

// Buyer calls the buyers' routes of a platform with a token of its own.
type Buyer struct {
	platform *Platform
	user     string
	segments []string
}

// Buyer returns the buyer with a user id, who is in some segments.
func (p *Platform) Buyer(user string, segments ...string) *Buyer { return &Buyer{p, user, segments} }

// Try calls a route with a fresh Idempotency-Key, and reads the answer into into, unless that is nil. An answer that is
// no success is an *onrush.Problem.
func (b *Buyer) Try(method, path string, body, into any) error {
	text := []byte(nil)
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(b.platform.t.Context(), method, b.platform.URL+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+b.platform.token(b.user, b.segments))
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPost {
		req.Header.Set("Idempotency-Key", server.NewID())
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	read, err := io.ReadAll(res.Body)
	if closed := res.Body.Close(); err == nil {
		err = closed
	}
	switch {
	case err != nil:
		return err
	case res.StatusCode >= http.StatusBadRequest:
		failed := &onrush.Problem{Body: read}
		if err := json.Unmarshal(read, failed); err != nil || failed.Code == "" {
			return fmt.Errorf("%s %s: status %d: %s", method, path, res.StatusCode, read)
		}
		return failed
	case into == nil:
		return nil
	}
	return json.Unmarshal(read, into)
}

// Must calls a route as Try does.
func (b *Buyer) Must(method, path string, body, into any) {
	b.platform.t.Helper()
	if err := b.Try(method, path, body, into); err != nil {
		b.platform.t.Fatalf("onrushtest: %s: %s %s: %v", b.user, method, path, err)
	}
}

// Buy places an order of units of a sale, and returns its number once it is placed.
func (b *Buyer) Buy(s Sale, units int) (number string) {
	b.platform.t.Helper()
	number, err := b.TryBuy(s, units)
	if err != nil {
		b.platform.t.Fatalf("onrushtest: %s: %v", b.user, err)
	}
	return number
}

// TryBuy is Buy for an order that may be refused, such as with the code sold_out.
func (b *Buyer) TryBuy(s Sale, units int) (number string, err error) {
	var path struct {
		Path string `json:"path"`
	}
	err = b.Try(http.MethodPost, "/api/v1/seckill/path", map[string]any{"activity_id": s.ID, "sku_id": s.SKU}, &path)
	if err != nil {
		return "", err
	}
	var placed struct {
		Number string `json:"order_number"`
		Task   string `json:"task_id"`
		Status string `json:"status"`
	}
	err = b.Try(http.MethodPost, "/api/v1/seckill/"+path.Path+"/submit", map[string]any{"quantity": units}, &placed)
	for end := time.Now().Add(patience); err == nil && placed.Number == ""; {
		if time.Now().After(end) {
			return "", fmt.Errorf("the order was not placed within %s: %s", patience, placed.Status)
		}
		time.Sleep(pollEvery)
		err = b.Try(http.MethodGet, "/api/v1/seckill/tasks/"+placed.Task, nil, &placed)
	}
	return placed.Number, err
}

// Payment is a payment that a buyer has begun.
type Payment struct {
	Number   string `json:"pay_number"`
	Status   string `json:"status"`
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	Next     struct {
		RedirectURL string            `json:"redirect_url"`
		Params      map[string]string `json:"params"`
	} `json:"next"`
}

// Pay begins a payment of orders on a channel.
func (b *Buyer) Pay(channel string, orders ...string) (p Payment) {
	b.platform.t.Helper()
	b.Must(http.MethodPost, "/api/v1/payments", map[string]any{"order_numbers": orders, "channel": channel}, &p)
	return p
}
