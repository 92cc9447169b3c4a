package pay

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
)

// returning is a gateway with a page of its own; it knows where the page sends buyers.
type returning struct {
	Gateway

	to []string
}

func (g *returning) Begin(_ context.Context, p *Payment) (Next, error) {
	g.to = append(g.to, p.ReturnURL)
	return Next{RedirectURL: "https://gateway.example"}, nil
}

func TestAPaymentReturnsToConfiguredOriginsOnly(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		g := &returning{}
		s := newTestService(t, stores, Gateways{"page": g})
		begin := func(key, to string) error {
			_, err := s.Begin(t.Context(), "ada", key,
				Request{Orders: []order.Number{5}, Channel: "page", ReturnURL: to})
			return err
		}
		require.ErrorContains(t, begin("k0", "https://shop.example/paid"), "no origin is configured")
		require.NoError(t, begin("k1", ""))

		s.cfg.ReturnOrigins = []string{"https://shop.example", "http://localhost:5173"}
		for _, evil := range []string{
			"https://evil.example/", "https://shop.example@evil.example/", "https://shop.example.evil.example",
			"http://shop.example/", "https://shop.example:444/", `https://shop.example\@evil.example`, "//shop.example",
			"javascript://shop.example/%0aalert(1)", "https://evil.example/?https://shop.example",
		} {
			err := begin("evil", evil)
			require.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err), evil)
			require.ErrorContains(t, err, "return_url", evil)
			require.NotContains(t, err.Error(), evil, "the answer doesn't repeat it")
		}
		require.NoError(t, begin("k2", "https://shop.example/paid?order=5#/done"))
		require.NoError(t, begin("k3", "http://localhost:5173"))
		require.Equal(t, []string{"", "https://shop.example/paid?order=5#/done", "http://localhost:5173"}, g.to)

		s.cfg.ReturnOrigins = nil
		require.NoError(t, begin("k2", "https://shop.example/paid?order=5#/done"), "it was accepted before")
		require.Equal(t, problem.CodeIdempotencyKeyReused, problem.CodeOf(begin("k2", "https://shop.example/other")))
		require.Equal(t, problem.CodeIdempotencyKeyReused, problem.CodeOf(begin("k2", "")))
		require.Len(t, g.to, 3)
	})
}
