package rounds

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/web"
	"onrush/web/client"
)

// market is goods that are sold outside of sales, at a price that only rises, and those who buy them during a round.
type market struct {
	urls   [2]string
	sku    string
	client *http.Client
	auth   *web.Auth
	round  string

	mu       sync.Mutex
	price    int64
	raised   []raise
	bought   []purchase
	watched  []string // other users whose orders are looked for
	problems []string
	turn     int
	stop     context.CancelFunc
	buying   sync.WaitGroup
}

// raise is a price from the moment when its change was answered.
type raise struct {
	from  time.Time
	price int64
}

// purchase is an ordinary order that was answered, and when it was sent.
type purchase struct {
	user, number string
	sent         time.Time
	price        int64
}

const (
	shoppers      = 3
	firstPrice    = 1000
	ordinaryStock = 1_000_000
)

// openMarket creates the goods.
func (r *Rig) openMarket(ctx context.Context, t testing.TB, seed uint64, desk *operators) *market {
	t.Helper()
	m := &market{
		urls: desk.urls, client: desk.client, sku: fmt.Sprintf("market-%x", seed), price: firstPrice,
		round: fmt.Sprintf("%x", seed),
	}
	var err error
	m.auth, err = r.auth(ctx)
	require.NoError(t, err)
	for ctx.Err() == nil && !desk.call(ctx, http.MethodPut, "/skus/"+m.sku, "", m.goods(m.price), nil) {
		wait(pollEvery)
	}
	return m
}

func (m *market) goods(price int64) map[string]any {
	return map[string]any{
		"title": m.sku, "shop_id": "rounds", "kind": "virtual", "price": price, "currency": "EUR",
		"stock": ordinaryStock,
	}
}

// begin lets some buy until end.
func (m *market) begin(ctx context.Context) {
	ctx, m.stop = context.WithCancel(ctx)
	for n := range shoppers {
		m.buying.Go(func() {
			const most, every = 12, 300 * time.Millisecond
			user := fmt.Sprintf("shopper-%s-%d", m.round, n)
			for range most {
				if ctx.Err() != nil {
					return
				}
				m.buyAs(ctx, user)
				m.look(ctx, user)
				wait(every)
			}
		})
	}
}

func (m *market) end() {
	m.stop()
	m.buying.Wait()
}

// raise raises the price.
func (m *market) raise(ctx context.Context, desk *operators) bool {
	m.mu.Lock()
	m.price++
	price := m.price
	m.mu.Unlock()
	if !desk.call(ctx, http.MethodPut, "/skus/"+m.sku, "", m.goods(price), nil) {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.raised = append(m.raised, raise{time.Now(), price})
	return true
}

// buyAs places an ordinary order, and returns its number if that was answered.
func (m *market) buyAs(ctx context.Context, user string) (number string, ok bool) {
	sent := time.Now()
	var placed struct{ Orders []client.Order }
	body := map[string]any{"items": []any{map[string]any{"sku_id": m.sku, "quantity": 1}}}
	if !m.call(ctx, user, http.MethodPost, "/api/v1/orders", body, &placed) || len(placed.Orders) != 1 {
		return "", false
	}
	o := placed.Orders[0]
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bought = append(m.bought, purchase{user, o.OrderNumber, sent, o.Items[0].Price})
	return o.OrderNumber, true
}

// watch lets the judge look for an order that somebody else stored.
func (m *market) watch(p purchase) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bought, m.watched = append(m.bought, p), append(m.watched, p.user)
}

// look compares my orders with those that the user was answered before.
func (m *market) look(ctx context.Context, user string) (complete bool) {
	m.mu.Lock()
	before := slices.Clone(m.bought)
	m.mu.Unlock()
	var list client.OrderList
	if !m.call(ctx, user, http.MethodGet, "/api/v1/orders?page_size=100", nil, &list) || list.Partial {
		return false
	}
	missing := missingOf(user, before, list.Items)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.problems = append(m.problems, missing...)
	return true
}

// missingOf returns which orders of a user a list lacks.
func missingOf(user string, bought []purchase, list []client.Order) (problems []string) {
	for _, p := range bought {
		if p.user == user &&
			!slices.ContainsFunc(list, func(o client.Order) bool { return o.OrderNumber == p.number }) {
			problems = append(problems, fmt.Sprintf("the ordinary order %s is not in the list of %s", p.number, user))
		}
	}
	return problems
}

// call sends a buyer's request to an instance, and reports whether it was answered with a success.
func (m *market) call(ctx context.Context, user, method, path string, body, v any) bool {
	token, err := m.auth.Sign(user, web.RoleUser, time.Hour)
	if err != nil {
		return false
	}
	m.mu.Lock()
	m.turn++
	at, r := m.urls[m.turn%2], client.Request{Method: method, Path: path, Token: token, Body: body}
	if body != nil {
		r.Key = fmt.Sprint("market-", m.turn)
	}
	m.mu.Unlock()
	req, err := r.To(ctx, at)
	if err != nil {
		return false
	}
	a, err := client.Do(m.client, req)
	if err != nil {
		return false
	}
	if a.Status == http.StatusInternalServerError {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.problems = append(m.problems, fmt.Sprintf("%s %s was answered 500", method, path))
		return false
	}
	return a.Status < http.StatusMultipleChoices && json.Unmarshal(a.Body, v) == nil
}

// judge compares the prices, and looks whether each order is in a list when all faults have ended.
func (m *market) judge(ctx context.Context) []string {
	for n := range shoppers {
		m.watched = append(m.watched, fmt.Sprintf("shopper-%s-%d", m.round, n))
	}
	for _, user := range m.watched {
		for ctx.Err() == nil && !m.look(ctx, user) {
			wait(pollEvery)
		}
	}
	problems := append(m.problems, brokenPrices(m.raised, m.bought)...)
	slices.Sort(problems)
	return slices.Compact(problems)
}

// brokenPrices returns which orders were sent after a price was raised, and have a lower one.
func brokenPrices(raised []raise, bought []purchase) (problems []string) {
	for _, p := range bought {
		for _, r := range raised {
			if p.sent.After(r.from) && p.price < r.price {
				problems = append(
					problems,
					fmt.Sprintf("order %s costs %d: it was sent %s after the price %d was answered",
						p.number, p.price, p.sent.Sub(r.from), r.price),
				)
				break
			}
		}
	}
	return problems
}
