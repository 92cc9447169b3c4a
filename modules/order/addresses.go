package order

import (
	"context"
	"time"

	"onrush/modules/order/sqldb"
)

// maxAddresses is how many addresses a user may have.
const maxAddresses = 50

// Addresses are the users' delivery addresses. An address of somebody else is not_found.
type Addresses struct {
	db    *sqldb.DB
	newID func() string
	now   func() time.Time
}

// NewAddresses makes the addresses over their table; newID draws ids of at most 32 characters.
func NewAddresses(db *sqldb.DB, newID func() string, now func() time.Time) *Addresses {
	return &Addresses{db: db, newID: newID, now: now}
}

// Get returns one address of a user.
func (a *Addresses) Get(ctx context.Context, user, id string) (Address, error) {
	return Address{}, nil
}
