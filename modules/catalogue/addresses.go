package catalogue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/idempotency"
	"onrush/modules/ids"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// maxAddresses bounds the addresses of a user.
const maxAddresses = 50

// Address is a delivery address for express goods.
type Address struct {
	AddressID string `db:"address_id" json:"address_id"`
	Receiver  string `db:"receiver" json:"receiver"`
	Phone     string `db:"phone" json:"phone"`
	Region    string `db:"region" json:"region"`
	Detail    string `db:"detail" json:"detail"`
	IsDefault bool   `db:"is_default" json:"is_default"`
}

// Addresses stores the users' delivery addresses. A user has at most one default address: the first address, until
// another one is stored as the default. An address of another user is not_found.
type Addresses struct {
	// Copies are the copies of addresses that orders use.
	Copies *AddressCopies

	db    *sqldb.DB
	newID func() string
	now   func() time.Time
}

// NewAddresses returns the addresses of db; newID returns unique ids of at most 32 characters.
func NewAddresses(db *sqldb.DB, newID func() string, now func() time.Time, log *slog.Logger) *Addresses {
	return &Addresses{Copies: newAddressCopies(db, now, log), db: db, newID: newID, now: now}
}

const addressColumns = `address_id, receiver, phone, region, detail, is_default`

// Get returns one address of a user.
func (a *Addresses) Get(ctx context.Context, user, id string) (Address, error) {
	if !ids.Valid(id) {
		return Address{}, problem.NotFound("address")
	}
	var address Address
	const query = `SELECT ` + addressColumns + ` FROM addresses WHERE address_id = ? AND user_id = ?`
	err := a.db.Read.GetContext(ctx, &address, query, id, user)
	if errors.Is(err, sql.ErrNoRows) {
		return Address{}, problem.NotFound("address")
	}
	return address, err
}

// List lists a user's addresses, the default one first, the others in the order of their creation.
func (a *Addresses) List(ctx context.Context, user string, page api.Page) (api.List[Address], error) {
	list := api.List[Address]{Page: max(page.Page, 1), PageSize: page.Size}
	var total int64
	err := a.db.InView(ctx, func(tx *sqlx.Tx) error {
		if err := tx.GetContext(ctx, &total, `SELECT COUNT(*) FROM addresses WHERE user_id = ?`, user); err != nil {
			return fmt.Errorf("count addresses: %w", err)
		}
		const query = `SELECT ` + addressColumns + ` FROM addresses WHERE user_id = ?
			ORDER BY is_default DESC, created_ms, address_id LIMIT ? OFFSET ?`
		if err := tx.SelectContext(ctx, &list.Items, query, user, page.Size, page.Offset()); err != nil {
			return fmt.Errorf("select addresses: %w", err)
		}
		return nil
	})
	list.Total, list.NextCursor = &total, page.Next(total)
	return list, err
}

// Create stores a new address under a new id. More than 50 addresses are a conflict.
func (a *Addresses) Create(ctx context.Context, user string, address Address) (Address, error) {
	address.Region = regionName(address.Region)
	if err := address.check(); err != nil {
		return Address{}, err
	}
	address.AddressID = a.newID()
	asked := address.IsDefault
	err := a.changing(ctx, user, func(tx *sqlx.Tx) error {
		var has struct {
			Addresses int `db:"addresses"`
			Defaults  int `db:"defaults"`
		}
		const count = `SELECT COUNT(*) AS addresses, COALESCE(SUM(is_default), 0) AS defaults FROM addresses
			WHERE user_id = ?`
		if err := tx.GetContext(ctx, &has, count, user); err != nil {
			return fmt.Errorf("count addresses: %w", err)
		}
		if has.Addresses >= maxAddresses {
			return problem.Errorf(problem.CodeConflict, "The user has %d addresses already; delete one first.",
				has.Addresses)
		}
		address.IsDefault = asked || has.Defaults == 0
		if err := onlyDefault(ctx, tx, user, address); err != nil {
			return err
		}
		const insert = `INSERT INTO addresses (address_id, user_id, receiver, phone, region, detail, is_default,
			created_ms)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
		_, err := tx.ExecContext(ctx, insert, address.AddressID, user, address.Receiver, address.Phone,
			address.Region, address.Detail, flag(address.IsDefault), a.now().UnixMilli())
		if err != nil {
			return err
		}
		return idempotency.Keep(ctx, tx, http.StatusCreated, address)
	})
	if err != nil {
		return Address{}, err
	}
	return address, nil
}

// Update replaces an address of a user. Existing orders keep the old address.
func (a *Addresses) Update(ctx context.Context, user string, address Address) (Address, error) {
	if !ids.Valid(address.AddressID) { // MySQL compares "a-1 " as equal to "a-1"
		return Address{}, problem.NotFound("address")
	}
	address.Region = regionName(address.Region)
	if err := address.check(); err != nil {
		return Address{}, err
	}
	err := a.changing(ctx, user, func(tx *sqlx.Tx) error {
		var there int
		const count = `SELECT COUNT(*) FROM addresses WHERE address_id = ? AND user_id = ?`
		if err := tx.GetContext(ctx, &there, count, address.AddressID, user); err != nil {
			return fmt.Errorf("select address: %w", err)
		}
		if there == 0 {
			return problem.NotFound("address")
		}
		if err := onlyDefault(ctx, tx, user, address); err != nil {
			return err
		}
		const update = `UPDATE addresses SET receiver = ?, phone = ?, region = ?, detail = ?, is_default = ?
			WHERE address_id = ? AND user_id = ?`
		_, err := tx.ExecContext(ctx, update, address.Receiver, address.Phone, address.Region, address.Detail,
			flag(address.IsDefault), address.AddressID, user)
		return err
	})
	if err != nil {
		return Address{}, err
	}
	return address, nil
}

// Delete removes an address of a user. If it was the default, the user has none until an address is
// created or updated as the default.
func (a *Addresses) Delete(ctx context.Context, user, id string) error {
	if !ids.Valid(id) {
		return problem.NotFound("address")
	}
	err := a.changing(ctx, user, func(tx *sqlx.Tx) error {
		res, err := tx.ExecContext(ctx, `DELETE FROM addresses WHERE address_id = ? AND user_id = ?`, id, user)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err == nil && n == 0 {
			return problem.NotFound("address")
		}
		return err
	})
	return err
}

// DeleteAll removes all addresses of a user and their lock row in the caller's transaction, and returns how many they
// were. Since nothing of the user is left to mark, all instances forget their copies of all addresses.
func (a *Addresses) DeleteAll(ctx context.Context, tx *sqlx.Tx, user string) (int64, error) {
	defer a.Copies.forget(user)
	res, err := tx.ExecContext(ctx, `DELETE FROM addresses WHERE user_id = ?`, user)
	if err != nil {
		return 0, fmt.Errorf("delete addresses: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return 0, fmt.Errorf("delete addresses: %w", err)
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM user_locks WHERE user_id = ?`, user); err != nil {
		return 0, fmt.Errorf("delete the lock row: %w", err)
	}
	return n, a.mark(ctx, tx, everyUser)
}

// changing runs fn while the user is locked, so that concurrent changes can't exceed the maximum or set two defaults,
// even for the first address. All instances forget their copies of the user's addresses.
func (a *Addresses) changing(ctx context.Context, user string, fn func(tx *sqlx.Tx) error) error {
	defer a.Copies.forget(user) // also if it is unknown whether they have changed
	return WithLockRow(ctx, a.db, user, func() error {
		return a.db.InTx(ctx, func(tx *sqlx.Tx) error {
			if err := LockUser(ctx, tx, user); err != nil {
				return err
			}
			if err := fn(tx); err != nil {
				return err
			}
			return a.mark(ctx, tx, user)
		})
	})
}

// mark notes when the addresses of a user changed, for the copies of all instances.
func (a *Addresses) mark(ctx context.Context, tx *sqlx.Tx, user string) error {
	nowMS, err := a.db.NowMSIn(ctx, tx)
	if err != nil {
		return err
	}
	const update = `UPDATE user_locks SET changed_ms = ? WHERE user_id = ?`
	if _, err := tx.ExecContext(ctx, update, nowMS, user); err != nil {
		return fmt.Errorf("mark changed addresses: %w", err)
	}
	return nil
}

// onlyDefault unsets the default among the user's other addresses if this one is the default.
func onlyDefault(ctx context.Context, tx *sqlx.Tx, user string, address Address) error {
	if !address.IsDefault {
		return nil
	}
	const update = `UPDATE addresses SET is_default = 0 WHERE user_id = ? AND address_id <> ?`
	if _, err := tx.ExecContext(ctx, update, user, address.AddressID); err != nil {
		return fmt.Errorf("change default address: %w", err)
	}
	return nil
}

func flag(set bool) int {
	if set {
		return 1
	}
	return 0
}

func (a Address) check() error {
	var c problem.Checks
	c.Text("receiver", a.Receiver, 1, 100)
	c.Text("phone", a.Phone, 1, 40)
	c.Text("region", a.Region, 1, maxRegion)
	c.Text("detail", a.Detail, 1, 300)
	return c.Err()
}
