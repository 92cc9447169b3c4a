package rounds

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/web"
	"onrush/web/client"
)

// auth signs tokens as the shop platform does.
func (r *Rig) auth(ctx context.Context) (*web.Auth, error) {
	return web.NewAuth(ctx, web.AuthConfig{Secret: r.secrets[secrets[RotateJWT]]}, slog.New(slog.DiscardHandler),
		time.Now)
}

// operatorToken returns a token of an operator for a day.
func (r *Rig) operatorToken(ctx context.Context) (string, error) {
	auth, err := r.auth(ctx)
	if err != nil {
		return "", err
	}
	return auth.Sign("rounds", web.RoleAdmin, 24*time.Hour)
}

// operators work on the sale of a round while it runs, at either instance. They may be refused, and give up then; an
// answer that says that the program is wrong is a problem.
type operators struct {
	urls     [2]string
	token    string
	receiver string
	random   *rand.Rand
	client   *http.Client

	known map[string]bool // sales of earlier rounds
	sale  *client.AdminActivity
	feed  string         // the cursor
	done  map[string]int // acts that were not refused

	problems []string
	stop     context.CancelFunc
	working  *sync.WaitGroup
}

func newOperators(t testing.TB, r *Rig, seed uint64) *operators {
	t.Helper()
	token, err := r.operatorToken(t.Context())
	require.NoError(t, err)
	const within = 5 * time.Second
	o := &operators{
		urls: [2]string{r.instances[A].url, r.instances[B].url}, token: token, receiver: r.receiver.URL,
		random: kit.Rand(seed), client: &http.Client{Timeout: within}, known: map[string]bool{}, feed: "0",
		done: map[string]int{}, working: &sync.WaitGroup{},
	}
	for _, sale := range o.sales(t.Context()) {
		o.known[sale.ActivityID] = true
	}
	return o
}

// acts are what operators do while a sale runs. try reports whether it was done.
var acts = []struct {
	name string
	try  func(o *operators, ctx context.Context) bool
}{
	{"reload", (*operators).reload},
	{"change", (*operators).change},
	{"stock", (*operators).changeStock},
	{"refund", (*operators).refund},
	{"endpoint", (*operators).putEndpoint},
	{"no_endpoint", (*operators).deleteEndpoint},
	{"feed", (*operators).readFeed},
}

func (o *operators) begin(ctx context.Context) {
	ctx, o.stop = context.WithCancel(ctx)
	o.working.Go(func() {
		const every = 100 * time.Millisecond
		for ctx.Err() == nil {
			if a := acts[o.random.IntN(len(acts))]; a.try(o, ctx) {
				o.done[a.name]++
			}
			wait(every)
		}
	})
}

// end waits for the act that is under way.
func (o *operators) end() {
	o.stop()
	o.working.Wait()
}

// audit runs the job that audits all sales each minute. It mends what a failover took, such as units that were given
// back to a primary that is gone, without an operator.
func (o *operators) audit(ctx context.Context) {
	for ctx.Err() == nil && !o.call(ctx, http.MethodPost, "/jobs/audit/run", "", nil, nil) {
		wait(pollEvery)
	}
}

// close ends the sale of a round that was judged, and the connections.
func (o *operators) close(ctx context.Context) {
	o.insist(ctx, "/offline")
	o.client.CloseIdleConnections()
}

// insist posts to the sale until it is done.
func (o *operators) insist(ctx context.Context, path string) {
	for ctx.Err() == nil && !o.call(ctx, http.MethodPost, o.onSale(path), "", nil, nil) {
		wait(pollEvery)
	}
}

// call sends a request to either instance and reads the answer into v, unless it is nil; it reports whether the answer
// was a success. A request that the program finds invalid, at any time, does nothing in any round: that is a problem.
func (o *operators) call(ctx context.Context, method, path, key string, body, v any) bool {
	r := client.Request{Method: method, Path: "/admin/api/v1" + path, Token: o.token, Key: key, Body: body}
	req, err := r.To(ctx, o.urls[o.random.IntN(len(o.urls))])
	if err != nil {
		o.problems = append(o.problems, err.Error())
		return false
	}
	a, err := client.Do(o.client, req)
	if err != nil { // the instance is away
		return false
	}
	switch {
	case a.Status == http.StatusInternalServerError, a.Status == http.StatusUnprocessableEntity:
		o.problems = append(o.problems, fmt.Sprintf("%s %s was answered %d %s", method, path, a.Status, a.Body))
	case a.Status < http.StatusMultipleChoices && v != nil:
		if err := json.Unmarshal(a.Body, v); err != nil {
			o.problems = append(o.problems, fmt.Sprintf("%s %s was answered %s", method, path, a.Body))
			return false
		}
	}
	return a.Status < http.StatusMultipleChoices
}

func (o *operators) sales(ctx context.Context) []client.AdminActivity {
	var list client.AdminActivityList
	o.call(ctx, http.MethodGet, "/activities?state=published", "", nil, &list)
	return list.Items
}

// find waits until the drill has published the sale of the round.
func (o *operators) find(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for ctx.Err() == nil {
		for _, sale := range o.sales(ctx) {
			if !o.known[sale.ActivityID] && sale.Mode == "" && sale.BasketMax == 0 { // not one beside it
				o.sale = &sale
				return true
			}
		}
		wait(pollEvery)
	}
	return false
}

func (o *operators) onSale(rest string) string { return "/activities/" + o.sale.ActivityID + rest }

// reload is refused while the sale is loaded.
func (o *operators) reload(ctx context.Context) bool {
	return o.call(ctx, http.MethodPost, o.onSale("/reload"), "", nil, nil)
}

func (o *operators) change(ctx context.Context) bool {
	text := fmt.Sprint("Text ", o.random.Uint64())
	return o.call(ctx, http.MethodPatch, o.onSale(""), "", map[string]any{"description": text}, nil)
}

// changeStock adds units to the stock of the sale or takes some away, and repeats what was not answered.
func (o *operators) changeStock(ctx context.Context) bool {
	sku := o.sale.Skus[o.random.IntN(len(o.sale.Skus))]
	point := sku.Stock[o.random.IntN(len(sku.Stock))]
	const most, tries = 5, 3
	change := client.StockRequest{SKUID: sku.SKUID, PointID: point.PointID, Delta: o.random.Int64N(most) + 1}
	if o.random.IntN(2) == 0 {
		change.Delta = -change.Delta
	}
	key := fmt.Sprint("round-", o.random.Uint64())
	for range tries {
		if o.call(ctx, http.MethodPost, o.onSale("/stock"), key, change, nil) {
			return true
		}
	}
	return false
}

// refund refunds a part of a paid order.
func (o *operators) refund(ctx context.Context) bool {
	var paid client.AdminOrderList
	o.call(ctx, http.MethodGet, "/orders?status=paid&activity_id="+o.sale.ActivityID, "", nil, &paid)
	if len(paid.Items) == 0 {
		return false
	}
	number := paid.Items[o.random.IntN(len(paid.Items))].OrderNumber
	return o.call(ctx, http.MethodPost, "/orders/"+number+"/refund", fmt.Sprint("round-", o.random.Uint64()),
		client.RefundRequest{Amount: 1, Reason: "a part"}, nil)
}

func (o *operators) endpoint() string { return fmt.Sprint("/endpoints/round", o.random.IntN(2)) }

func (o *operators) putEndpoint(ctx context.Context) bool {
	return o.call(ctx, http.MethodPut, o.endpoint(), "", client.EndpointRequest{URL: o.receiver}, nil)
}

func (o *operators) deleteEndpoint(ctx context.Context) bool {
	return o.call(ctx, http.MethodDelete, o.endpoint(), "", nil, nil)
}

// readFeed reads the next page of the feed.
func (o *operators) readFeed(ctx context.Context) bool {
	var page client.PlatformEventList
	if !o.call(ctx, http.MethodGet, "/events?after="+o.feed, "", nil, &page) {
		return false
	}
	o.feed = page.NextCursor
	return true
}
