package fulfilment

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/idempotency"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sign"
	"onrush/test/kit"
)

// away is an ensurer that can't tell of order 2 at first.
type away struct {
	stored
	asked bool
}

func (a *away) EnsureNumber(ctx context.Context, n order.Number) error {
	if n == 2 && !a.asked {
		a.asked = true
		return problem.Unavailable(nil, "Redis is away.")
	}
	return a.stored.EnsureNumber(ctx, n)
}

func TestAFileIsMarkedAgainUnderItsKeyIfARowWasUnavailable(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := open(stores)
		s.places(t, 1, order.Paid, nil)
		s.places(t, 2, order.Paid, nil)
		s.marker.d.Ensure = &away{stored: stored{s.db}}
		gate := idempotency.NewHTTPGate(idempotency.NewStore(idempotency.Deps{
			DB: s.db, Clock: s.marker.d.Now, NewID: rand.Text, Callers: idempotency.Operators,
			Secrets: sign.Secrets{"a secret of files, 32 bytes long"},
		}), slog.New(slog.DiscardHandler), nil)
		app := fiber.New()
		app.Post("/", gate.Handle, NewHTTPOperator(s.marker, nil).ShipFile)
		send := func() string {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/",
				strings.NewReader("order_number,carrier\n1,DHL\n2,DHL\n"))
			r.Header.Set("Content-Type", "text/csv")
			r.Header.Set("Idempotency-Key", "k")
			resp, err := app.Test(r, -1)
			require.NoError(t, err)
			defer func() { _ = resp.Body.Close() }()
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.Equal(t, http.StatusOK, resp.StatusCode)
			return string(body)
		}
		assert.Contains(t, send(), `"marked":1,"failed":1`)
		again := send()
		assert.Contains(t, again, `"marked":2,"failed":0`)
		assert.NotContains(t, again, "replayed")
		assert.Contains(t, send(), `{"replayed":true,`, "its answer is kept once all rows have one")
	})
}
