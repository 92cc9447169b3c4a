package fulfilment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/catalogue"
	"onrush/modules/journal"
	"onrush/modules/order"
	"onrush/modules/order/complete"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

const (
	// maxChanges bounds how often the address of an order may change.
	maxChanges = 20
	// resolveTries is how often a new address is resolved if the stock points change meanwhile.
	resolveTries = 3
)

// LoggedAddress is the action in the log of an order whose buyer has changed the address.
const LoggedAddress = "address_changed"

// Addresses changes the addresses of orders.
type Addresses struct{ d AddressesDeps }

// NewAddresses returns the Addresses.
func NewAddresses(d AddressesDeps) *Addresses { return &Addresses{d} }

// errPointsChanged says that the stock points have changed since the address was resolved.
var errPointsChanged = errors.New("the stock points have changed")

// Change sends a user's order to another address of the user, as long as nobody has packed it, and for 7 days after its
// payment at most. The order is stored first if only Redis has it. Its stock point and its freight stay, so the stock
// point must be the one that serves the address. If the order has this address already, nothing changes, and there is
// no error. from is the client's IP address. Errors: not_found (the order, the address), already_packed, other_freight,
// region_not_served, conflict, unavailable.
func (a *Addresses) Change(ctx context.Context, user string, n order.Number, address, from string) error {
	o, err := a.d.Ensure.EnsureStored(ctx, user, n)
	if err != nil {
		return err
	}
	// Checked before the address: of the two refusals, the buyer should get already_packed.
	if err := complete.RequireAddressOpen(o, a.d.Now()); err != nil {
		return err
	}
	serves, err := a.pointsOf(ctx, o)
	for range resolveTries {
		if err != nil {
			break
		}
		if err = a.change(ctx, user, o, address, serves, from); !errors.Is(err, errPointsChanged) {
			break
		}
		a.d.Points.ForgetPoints()
		err = nil
	}
	if err != nil && !problem.Is(err) {
		err = problem.Unavailable(err, "The address can't be changed right now.")
	}
	return err
}

// pointsOf returns which stock points sell all the goods of an order.
func (a *Addresses) pointsOf(ctx context.Context, o *order.Order) (serves func(point string) bool, err error) {
	if o.Type != order.Seckill {
		return func(string) bool { return true }, nil
	}
	var points []string
	args := []any{o.Activity}
	for i := range o.Items { // each has another sku
		args = append(args, o.Items[i].SKU)
	}
	query := `SELECT point_id FROM activity_stock WHERE activity_id = ? AND sku_id IN (` + sqldb.In(len(o.Items)) + `)
		GROUP BY point_id HAVING COUNT(*) = ?`
	if err := a.d.DB.Read.SelectContext(ctx, &points, query, append(args, len(o.Items))...); err != nil {
		return nil, fmt.Errorf("select the stock points of %s: %w", o.Activity, err)
	}
	return func(point string) bool { return slices.Contains(points, point) }, nil
}

func (a *Addresses) change(
	ctx context.Context, user string, o *order.Order, address string, serves func(point string) bool, from string,
) error {
	to, err := a.d.Destinations.Resolve(ctx, user, catalogue.Physical,
		catalogue.Want{Delivery: catalogue.Express, AddressID: address}, serves)
	if err != nil {
		return err
	}
	return a.d.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		o, err := lock(ctx, tx, o.Number)
		if err == nil && o.User != user {
			err = problem.NotFound("order")
		}
		if err != nil {
			return err
		}
		if err := complete.RequireAddressOpen(o, a.d.Now()); err != nil {
			return err
		}
		switch same, err := catalogue.SamePoints(ctx, tx, to.PointsVersion); {
		case err != nil:
			return err
		case !same:
			return errPointsChanged
		}
		switch {
		case to.Point != o.Point:
			return problem.Errorf(CodeOtherFreight,
				"Another stock point serves the region %s, and its freight may differ.", to.Address.Region)
		case o.Address != nil && *o.Address == *to.Address:
			return nil
		}
		return a.write(ctx, tx, o, to.Address, order.LogLine{Actor: "buyer", ClientIP: from})
	})
}

// write copies the present address of a locked order into order_addresses, and gives the order the new one.
func (a *Addresses) write(
	ctx context.Context, tx *sqlx.Tx, o *order.Order, to *catalogue.Address, by order.LogLine,
) error {
	before, err := json.Marshal(o.Address)
	if err != nil {
		return fmt.Errorf("write the address of order %s: %w", o.Number, err)
	}
	var changes int
	const count = `SELECT COUNT(*) FROM order_addresses WHERE order_number = ?`
	if err := tx.GetContext(ctx, &changes, count, o.Number); err != nil {
		return fmt.Errorf("count the addresses of order %s: %w", o.Number, err)
	}
	if changes >= maxChanges {
		return problem.Errorf(problem.CodeConflict, "The address was changed %d times already.", changes)
	}
	by.Order, by.AtMS, by.Action = o.Number, a.d.Now().UnixMilli(), LoggedAddress
	const insert = `INSERT INTO order_addresses (order_number, seq, until_ms, address) VALUES (?, ?, ?, ?)`
	if _, err := tx.ExecContext(ctx, insert, o.Number, changes+1, by.AtMS, string(before)); err != nil {
		return fmt.Errorf("keep the address of order %s: %w", o.Number, err)
	}
	o.Address = to
	if err := order.Rewrite(ctx, tx, o); err != nil {
		return err
	}
	if err := order.AddLogLine(ctx, tx, by); err != nil {
		return err
	}
	return tell(ctx, tx, journal.OrderAddressChanged, o, by.AtMS)
}
