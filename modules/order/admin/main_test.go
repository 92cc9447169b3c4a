package admin

import (
	"context"
	"os"
	"testing"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }

// stored is an Ensurer of orders of which Redis has none.
type stored struct{}

func (stored) EnsureNumber(context.Context, order.Number) error { return problem.NotFound("order") }

func (stored) EnsureOrdersOf(context.Context, string) (bool, error) { return true, nil }
