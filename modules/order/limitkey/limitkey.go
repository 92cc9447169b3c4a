package limitkey

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sign"
)

const (
	// MaxValue is the length of the longest value of a claim, in bytes.
	MaxValue = 256
	// Length is the length of a limit key: 16 bytes in base64url.
	Length = 22
)

// Maker makes limit keys with the key of a site. All instances of the site make the same, whatever their secrets are.
type Maker struct {
	siteKey func(ctx context.Context) ([32]byte, error)
}

// NewMaker returns a Maker; siteKey returns the key of the site, or an error that is unavailable.
func NewMaker(siteKey func(ctx context.Context) ([32]byte, error)) Maker { return Maker{siteKey} }

// Make returns the limit key of a claim's value in an activity. ok is false for a value that can't be counted: it must
// be one line of 1 to MaxValue bytes.
func (m Maker) Make(ctx context.Context, activity, claim, value string) (key string, ok bool, err error) {
	if value == "" || len(value) > MaxValue || !problem.IsLine(value) {
		return "", false, nil
	}
	secret, err := m.siteKey(ctx)
	if err != nil {
		return "", false, err
	}
	sum := sign.NewKeys("limit_key", sign.Secrets{hex.EncodeToString(secret[:])}).Sign(activity, claim, value)
	return base64.RawURLEncoding.EncodeToString(sum[:]), true, nil
}

// Holds returns the numbers of stored orders of a sale, each followed by the hold that the order has or had. marked
// says that the records of the orders are read: holds may have limit keys, or be of buyers for whom units are reserved.
func Holds(ctx context.Context, q sqlx.QueryerContext, marked bool, orders []order.Stored) ([]string, error) {
	marks := map[order.Number]lua.Held{}
	if marked {
		numbers := make([]order.Number, len(orders))
		for i := range orders {
			numbers[i] = orders[i].Number
		}
		found, err := order.SelectAll(ctx, q, numbers)
		if err != nil {
			return nil, fmt.Errorf("read the limit keys of %d orders: %w", len(orders), err)
		}
		for _, o := range found {
			marks[o.Number] = o.Held()
		}
	}
	holds := make([]string, 0, 2*len(orders))
	for i := range orders {
		o := &orders[i]
		mark := marks[o.Number]
		hold := lua.Held{
			SKU: o.SKU, Point: o.Point, Quantity: o.Quantity, User: o.User, Key: mark.Key, Reserved: mark.Reserved,
		}
		holds = append(holds, o.Number.String(), hold.String())
	}
	return holds, nil
}

// AddHolds adds the holds of stored orders of sales to holds, by the numbers of the orders.
func AddHolds(
	ctx context.Context, q sqlx.QueryerContext, holds map[string]string, numbers []order.Number,
) error {
	stored, err := order.SelectAll(ctx, q, numbers)
	if err != nil {
		return fmt.Errorf("read %d orders that lack their holds: %w", len(numbers), err)
	}
	for _, o := range stored {
		holds[o.Number.String()] = o.Held().String()
	}
	return nil
}
