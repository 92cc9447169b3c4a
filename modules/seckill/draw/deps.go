package draw

import (
	"context"

	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/modules/sqldb"
)

// wishes checks what a buyer wishes for, as seckill.Service does.
type wishes interface {
	Wish(ctx context.Context, by seckill.Wisher, activity, sku string, c seckill.Choice) (*seckill.Wish, error)
}

// sales returns activities that were published, as seckill.ActivityCache does.
type sales interface {
	Get(ctx context.Context, id string) (*seckill.Activity, error)
}

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB    *sqldb.DB
	Clock *clock.Clock
	// Wishes and Sales are needed by a Service, not by a Drawer.
	Wishes wishes
	Sales  sales
	// Faults injects crashes in tests; nil otherwise.
	Faults order.Faults
}
