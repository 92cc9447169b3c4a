package draw_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/modules/seckill/draw"
	"onrush/modules/seckill/waitlist"
	"onrush/test/kit"
	"onrush/test/stage"
)

// world is a sale whose buyers are drawn. Its start is in an hour, until start is called.
type world struct {
	*stage.Stage
	draw  *draw.Service
	list  *waitlist.Service
	keys  map[string]string // limit keys, by user
	ahead time.Duration     // of the clock of the service
}

func open(t *testing.T, stores *kit.Stores, sale stage.Sale) *world {
	t.Helper()
	sale.OfferWithinS, sale.Mode = 60, seckill.Draw
	w := &world{Stage: stage.Open(t, stores, sale), keys: map[string]string{}}
	at := clock.Fixed(func() time.Time { return time.Now().Add(w.ahead) })
	w.draw = draw.NewService(draw.Deps{DB: stores.DB, Clock: at, Wishes: w, Sales: w})
	w.list = waitlist.NewService(waitlist.Deps{
		DB: stores.DB, Lua: w.Scripts, Clock: at, Log: slog.New(slog.DiscardHandler), Wishes: w,
		NewID: kit.IDs(uint64(time.Now().UnixNano())),
	})
	return w
}

// Get returns an activity as SQL has it.
func (w *world) Get(ctx context.Context, id string) (*seckill.Activity, error) {
	return seckill.ViewActivity(ctx, w.Stores.DB, id)
}

// Wish takes the pickup point of a choice as the stock point and a device as the limit key, and checks nothing.
func (w *world) Wish(
	ctx context.Context, by seckill.Wisher, activity, _ string, c seckill.Choice,
) (*seckill.Wish, error) {
	a, err := w.Get(ctx, activity)
	if err != nil {
		return nil, err
	}
	buyer := cmp.Or(w.keys[by.User], by.User)
	if by.Claim != nil {
		buyer = by.Claim("device")[0]
	}
	return &seckill.Wish{Activity: a, SKU: &a.SKUs[0], Point: c.PickupPoint, Buyer: buyer}, nil
}

// enter lets a user take part.
func (w *world) enter(t testing.TB, user, point string, quantity int64) (draw.View, error) {
	t.Helper()
	return w.draw.Enter(context.WithoutCancel(t.Context()), seckill.Wisher{User: user}, w.Activity, stage.SKU,
		seckill.Choice{Quantity: quantity, PickupPoint: point})
}

// entersWith lets a user take part with a device.
func (w *world) entersWith(t testing.TB, user, device string) (draw.View, error) {
	t.Helper()
	by := seckill.Wisher{User: user, Claim: func(string) []string { return []string{device} }}
	return w.draw.Enter(context.WithoutCancel(t.Context()), by, w.Activity, stage.SKU,
		seckill.Choice{Quantity: 1, PickupPoint: "0"})
}

func (w *world) enters(t testing.TB, user string) draw.View {
	t.Helper()
	v, err := w.enter(t, user, "0", 1)
	require.NoError(t, err)
	return v
}

// many lets n users take part at once.
func (w *world) many(t testing.TB, n int) {
	t.Helper()
	for _, err := range kit.AtOnce(n, func(i int) error {
		_, err := w.enter(t, name(i), "0", 1)
		return err
	}) {
		require.NoError(t, err)
	}
}

// start moves the start of the sale to now.
func (w *world) start(t testing.TB) {
	t.Helper()
	now := time.Now().UnixMilli()
	_, err := w.Activities.Change(context.WithoutCancel(t.Context()), w.Activity, &admin.Change{StartsMS: &now})
	require.NoError(t, err)
	w.Know(t)
}

// serve runs the jobs of an instance.
func (w *world) serve(t testing.TB) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	_, err := w.Drawer.RunOnce(ctx)
	require.NoError(t, err)
	_, err = w.Offerer.RunOnce(ctx)
	require.NoError(t, err)
}

// view is the only entry of a user, as a new instance shows it.
func (w *world) view(t testing.TB, user string) draw.View {
	t.Helper()
	service := draw.NewService(draw.Deps{
		DB: w.Stores.DB, Clock: clock.Fixed(func() time.Time { return time.Now().Add(w.ahead) }), Sales: w,
	})
	views, err := service.Mine(context.WithoutCancel(t.Context()), user, w.Activity)
	require.NoError(t, err)
	if len(views) == 0 {
		return draw.View{}
	}
	require.Len(t, views, 1)
	return views[0]
}

// result is what everybody knows of a draw.
type result struct {
	draw.Summary
	Items []draw.Lot
}

// result is the whole result, as a new instance shows it, with its lots read by pages of some size.
func (w *world) result(t testing.TB, size int) *result {
	t.Helper()
	service, ctx := draw.NewService(draw.Deps{DB: w.Stores.DB, Clock: clock.Fixed(time.Now), Sales: w}),
		context.WithoutCancel(t.Context())
	is, err := service.Summary(ctx, w.Activity)
	require.NoError(t, err)
	r := &result{Summary: is}
	for page := (api.KeyPage{Size: size}); ; {
		list, err := service.Lots(ctx, w.Activity, "", page)
		require.NoError(t, err)
		r.Items = append(r.Items, list.Items...)
		if list.NextCursor == "" {
			return r
		}
		page.After = list.NextCursor
	}
}

// row is what SQL has of an entry.
type row struct {
	ID       string `db:"entry_id"`
	User     string `db:"user_id"`
	Point    string `db:"point_id"`
	Quantity int64  `db:"quantity"`
	Listed   int64  `db:"listed"`
	DrawnMS  int64  `db:"drawn_ms"`
}

func (w *world) rows(t testing.TB) (rows []row) {
	t.Helper()
	require.NoError(t, w.Stores.DB.Write.SelectContext(context.WithoutCancel(t.Context()), &rows, `SELECT entry_id,
		user_id, point_id, quantity, listed, drawn_ms FROM draw_entries WHERE activity_id = ? ORDER BY entry_id`,
		w.Activity))
	return rows
}

// waits are the users in the waiting list, in its order.
func (w *world) waits(t testing.TB) (users []string) {
	t.Helper()
	require.NoError(t, w.Stores.DB.Write.SelectContext(context.WithoutCancel(t.Context()), &users,
		`SELECT user_id FROM waitlist WHERE activity_id = ? ORDER BY joined_ms, entry_id`, w.Activity))
	return users
}

// offers are what Redis keeps for buyers.
func (w *world) offers(t testing.TB) []lua.Offer {
	t.Helper()
	a, err := w.Get(context.WithoutCancel(t.Context()), w.Activity)
	require.NoError(t, err)
	return lua.ParseWaitlist(w.Hash(t, w.Stores.Keys.Waitlist), a.Epoch()).Offers
}

// buys places an order and returns its code.
func (w *world) buys(t testing.TB, user, point string, quantity int64) (*order.Order, lua.PlaceCode) {
	t.Helper()
	o := w.Order(user, point, quantity)
	results, err := w.TryPlace(context.WithoutCancel(t.Context()), o)
	require.NoError(t, err)
	return o, results[0].Code
}

// lapse puts the end of an offer into the past.
func (w *world) lapse(t testing.TB, o lua.Offer) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	o.UntilMS = time.Now().Add(-time.Minute).UnixMilli()
	require.NoError(t, w.Stores.Redis.HSet(ctx, w.Stores.Keys.Waitlist(w.Lane, w.Activity),
		lua.OfferField(o.SKU, o.User), o.String()).Err())
	_, err := w.Stores.DB.Write.ExecContext(ctx, `UPDATE waitlist SET until_ms = ? WHERE entry_id = ? AND until_ms > 0`,
		o.UntilMS, o.Entry) // 0: its buyer isn't told yet
	require.NoError(t, err)
}

// read returns what Redis has at a key.
func read(t testing.TB, stores *kit.Stores, key string) string {
	t.Helper()
	ctx, rdb := context.WithoutCancel(t.Context()), stores.Redis
	kind, err := rdb.Type(ctx, key).Result()
	require.NoError(t, err)
	commands := map[string][]any{
		"string": {"get", key}, "hash": {"hgetall", key}, "set": {"smembers", key}, "list": {"lrange", key, 0, -1},
		"zset": {"zrange", key, 0, -1, "withscores"}, "stream": {"xrange", key, "-", "+"},
	}
	require.Contains(t, commands, kind)
	value, err := rdb.Do(ctx, commands[kind]...).Result()
	require.NoError(t, err)
	return fmt.Sprint(value)
}

func codeOf(err error) string { return problem.CodeOf(err).Name }

func name(i int) string { return fmt.Sprintf("user%02d", i) }
