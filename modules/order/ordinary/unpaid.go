package ordinary

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
)

// requireFew refuses orders of a user who has too many unpaid orders, since these hold stock. It locks the user until
// the transaction ends, so that requests at the same time count each other's orders.
func (p *Placer) requireFew(ctx context.Context, tx *sqlx.Tx, user string) error {
	most := p.maxUnpaid
	if most <= 0 {
		return nil
	}
	if err := catalogue.LockUser(ctx, tx, user); err != nil {
		return err
	}
	var unpaid int
	const query = `SELECT COUNT(*) FROM (SELECT 1 FROM orders WHERE user_id = ? AND status = 'unpaid'
		AND type = 'ordinary' LIMIT ?) AS unpaid`
	if err := tx.GetContext(ctx, &unpaid, query, user, most); err != nil {
		return fmt.Errorf("count unpaid orders: %w", err)
	}
	if unpaid >= most {
		return problem.Errorf(order.CodeTooManyUnpaid, "You have %d unpaid orders. Pay or cancel some first.", unpaid)
	}
	return nil
}
