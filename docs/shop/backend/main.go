// Backend is the small part of a shop that stands between its own users and Onrush: it issues the buyers' tokens,
// publishes a sale, and receives the events of orders. docs/shop/integrate.md explains it. All else, buying and
// paying, the shop's pages do themselves with onrush.js and the token.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// backend is the shop's side.
type backend struct {
	onrush    string // URL of Onrush
	jwtSecret []byte // ONRUSH_JWT_SECRET, which both know
	key       string // of an operator: a key with the scope admin, or a token
	webhook   *webhooks.Webhook

	mu   sync.Mutex
	seen map[string]bool   // events that were handled; a shop keeps them in its database
	paid map[string]string // users by the numbers of their paid orders
}

// token returns what a buyer sends to Onrush. The shop has signed the user in before.
func (b *backend) token(user string) (string, error) {
	now := time.Now()
	return jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"sub": user, "role": "user", "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}).SignedString(b.jwtSecret)
}

// operate calls a route of operators, and reads the answer into a value unless that is nil.
func (b *backend) operate(ctx context.Context, method, path string, body, into any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if body == nil {
		raw = nil
	}
	url := b.onrush + "/admin/api/v1" + path
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(raw)) //nolint:gosec // it is a setting
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+b.key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(req) //nolint:gosec // the operator sets the address
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	said, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return err
	}
	if answer.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, said)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(said, into)
}

type object = map[string]any

// publish puts a lamp into the catalogue and sells 10 of them at half the price for an hour from now on.
func (b *backend) publish(ctx context.Context) (activity string, err error) {
	lamp := object{
		"title": "Lamp", "shop_id": "shop", "kind": "virtual", "price": 4900, "currency": "EUR", "stock": 100,
	}
	if err := b.operate(ctx, http.MethodPut, "/skus/lamp", lamp, nil); err != nil {
		return "", err
	}
	now := time.Now().UTC()
	var made struct {
		ID string `json:"activity_id"`
	}
	err = b.operate(ctx, http.MethodPost, "/activities", object{
		"title": "Lamps at half the price", "shop_id": "shop", "starts_at": now.Format(time.RFC3339),
		"ends_at": now.Add(time.Hour).Format(time.RFC3339), "pay_within_s": 900,
		"skus": []object{
			{
				"sku_id":         "lamp",
				"flash_price":    2450,
				"purchase_limit": 2,
				"stock":          []object{{"point_id": "0", "quantity": 10}},
			},
		},
	}, &made)
	if err != nil {
		return "", err
	}
	return made.ID, b.operate(ctx, http.MethodPost, "/activities/"+made.ID+"/publish", nil, nil)
}

// subscribe asks Onrush to send the events of paid orders to a URL of this backend.
func (b *backend) subscribe(ctx context.Context, url string) (err error) {
	var made struct {
		Secret string `json:"secret"`
	}
	if err := b.operate(ctx, http.MethodPut, "/endpoints/shop", object{"url": url, "types": []string{"order.paid"}},
		&made); err != nil {
		return err
	}
	if made.Secret == "" {
		return errors.New("the endpoint exists; its secret was shown when it was made, or rotate it")
	}
	b.webhook, err = webhooks.NewWebhook(made.Secret)
	return err
}

// event is what Onrush sends, as far as this backend reads it.
type event struct {
	Type string `json:"type"`
	Data struct {
		Order struct {
			Number string `json:"order_number"`
			User   string `json:"user_id"`
		} `json:"order"`
	} `json:"data"`
}

// receive handles an event, once: Onrush sends it again until it is answered 2xx, and may send it twice.
func (b *backend) receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil || b.webhook.Verify(body, r.Header) != nil {
		http.Error(w, "this is not signed by Onrush", http.StatusUnauthorized)
		return
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		http.Error(w, "this is no event", http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if id := r.Header.Get("webhook-id"); !b.seen[id] {
		b.seen[id] = true
		b.paid[e.Data.Order.Number] = e.Data.Order.User // a shop ships the goods
	}
	w.WriteHeader(http.StatusNoContent)
}

// login answers with the token of a user; a shop asks for a password first.
func (b *backend) login(w http.ResponseWriter, r *http.Request) {
	token, err := b.token(r.FormValue("user"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(object{"token": token})
}

func newBackend(onrush, jwtSecret, key string) *backend {
	return &backend{
		onrush: onrush, jwtSecret: []byte(jwtSecret), key: key, seen: map[string]bool{}, paid: map[string]string{},
	}
}

func main() {
	secret, _, _ := strings.Cut(os.Getenv("ONRUSH_JWT_SECRET"), ";") // the first one signs
	b := newBackend(os.Getenv("ONRUSH_URL"), secret, os.Getenv("ONRUSH_TOKEN"))
	ctx := context.Background()
	if err := b.subscribe(ctx, "http://127.0.0.1:3000/events"); err != nil {
		log.Fatal(err)
	}
	activity, err := b.publish(ctx)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("the sale is %s/#/sale/%s", b.onrush, activity) //nolint:gosec // Onrush chose the id
	http.HandleFunc("POST /login", b.login)
	http.HandleFunc("POST /events", b.receive)
	server := &http.Server{Addr: "127.0.0.1:3000", ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServe())
}
