package complete

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// Fill is FillVouchers and FillFulfilments.
func Fill(ctx context.Context, q sqlx.QueryerContext, orders []*order.Order) error {
	if err := FillFulfilments(ctx, q, orders); err != nil {
		return err
	}
	return FillVouchers(ctx, q, orders)
}

// FillFulfilments reads how far the orders have come that were paid and are delivered.
func FillFulfilments(ctx context.Context, q sqlx.QueryerContext, orders []*order.Order) error {
	var numbers []order.Number
	for _, o := range orders {
		if o.PaidMS != 0 && o.Delivery != catalogue.None {
			numbers = append(numbers, o.Number)
		}
	}
	found, err := Fulfilments(ctx, q, numbers)
	if err != nil {
		return err
	}
	for _, o := range orders {
		o.Fulfilment = found[o.Number]
	}
	return nil
}

// Fulfilments reads the fulfilments of orders. Orders that nobody has packed are not in the map.
func Fulfilments(
	ctx context.Context, q sqlx.QueryerContext, numbers []order.Number,
) (map[order.Number]*order.Fulfilment, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	var rows []struct {
		Number order.Number `db:"order_number"`
		order.Fulfilment
	}
	query := `SELECT order_number, state, packed_ms, shipped_ms, delivered_ms, carrier, tracking_number
		FROM fulfilments WHERE order_number IN (` + sqldb.In(len(numbers)) + `)`
	if err := sqlx.SelectContext(ctx, q, &rows, query, sqldb.Args(numbers)...); err != nil {
		return nil, fmt.Errorf("select the fulfilments of %d orders: %w", len(numbers), err)
	}
	found := make(map[order.Number]*order.Fulfilment, len(rows))
	for i := range rows {
		found[rows[i].Number] = &rows[i].Fulfilment
	}
	return found, nil
}

// FormerAddress is where an order went until its buyer changed the address.
type FormerAddress struct {
	Until   api.Millis        `json:"until"`
	Address catalogue.Address `json:"address"`
}

// FormerAddresses reads the addresses that an order had before, oldest first.
func FormerAddresses(ctx context.Context, q sqlx.QueryerContext, n order.Number) ([]FormerAddress, error) {
	var rows []struct {
		UntilMS int64  `db:"until_ms"`
		Address []byte `db:"address"`
	}
	const query = `SELECT until_ms, address FROM order_addresses WHERE order_number = ? ORDER BY seq`
	if err := sqlx.SelectContext(ctx, q, &rows, query, n); err != nil {
		return nil, fmt.Errorf("select the former addresses of order %s: %w", n, err)
	}
	former := make([]FormerAddress, len(rows))
	for i, r := range rows {
		former[i].Until = api.Millis(r.UntilMS)
		if err := json.Unmarshal(r.Address, &former[i].Address); err != nil {
			return nil, fmt.Errorf("read a former address of order %s: %w", n, err)
		}
	}
	return former, nil
}
