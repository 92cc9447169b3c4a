package catalogue

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"onrush/modules/aged"
	"onrush/modules/ids"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

const (
	// copiedFor is how long a copy of a user's addresses is used while the changes are followed. A change that is
	// committed after lateCommit is known after that time.
	copiedFor = 30 * time.Second
	// followedWithin is how long ago the changes of addresses may have been read. After that, a copy is used for a
	// second only.
	followedWithin = time.Second
	// maxCopied bounds the users whose addresses are copied, about 500 bytes each.
	maxCopied = 40_000
	// lateCommit is how long a change may take to be committed after it was marked.
	lateCommit = 30 * time.Second
	// maxFollowed is how many changes are followed one by one; if there are more, all copies are forgotten.
	maxFollowed = 5000
)

// AddressCopies has copies of buyers' addresses, so that a buyer who confirms and submits reads them from SQL once, and
// a crowd of them together. A change is known to its instance at once, and to the others within a second. Run must run.
type AddressCopies struct {
	*aged.Follower

	db     *sqldb.DB
	copies *aged.Keyed[[]Address] // by user
	lastMS int64                  // time of SQL at which the last refresh began; only refresh uses it
}

func newAddressCopies(db *sqldb.DB, now func() time.Time, log *slog.Logger) *AddressCopies {
	c := &AddressCopies{db: db}
	c.Follower = aged.NewFollower("changes of addresses", now, log, sqldb.IsUnavailable, c.refresh)
	c.copies = aged.NewCrowd("addresses", now, c.load, c.fresh, maxCopied)
	return c
}

// Get returns one address of a user.
func (c *AddressCopies) Get(ctx context.Context, user, id string) (Address, error) {
	if !ids.Valid(id) {
		return Address{}, problem.NotFound("address")
	}
	for range 2 {
		addresses, _, err := c.copies.Get(ctx, user)
		if err != nil {
			return Address{}, err
		}
		for i := range addresses {
			if addresses[i].AddressID == id {
				return addresses[i], nil
			}
		}
		c.copies.Forget(user) // the buyer may have stored it on another instance a moment ago
	}
	return Address{}, problem.NotFound("address")
}

// fresh returns how long copies are used.
func (c *AddressCopies) fresh() time.Duration {
	if c.IsWithin(followedWithin) {
		return copiedFor
	}
	return time.Second
}

// load reads the addresses of users.
func (c *AddressCopies) load(ctx context.Context, users []string) (map[string][]Address, error) {
	var rows []struct {
		User string `db:"user_id"`
		Address
	}
	query := `SELECT user_id, ` + addressColumns + ` FROM addresses WHERE user_id IN (` + sqldb.In(len(users)) + `)`
	if err := c.db.Read.SelectContext(ctx, &rows, query, sqldb.Args(users)...); err != nil {
		return nil, fmt.Errorf("select addresses: %w", err)
	}
	found := make(map[string][]Address, len(users))
	for i := range rows {
		found[rows[i].User] = append(found[rows[i].User], rows[i].Address)
	}
	return found, nil
}

// forget makes the next Get read the addresses of a user.
func (c *AddressCopies) forget(user string) { c.copies.Forget(user) }

// refresh forgets the copies of users whose addresses have changed.
func (c *AddressCopies) refresh(ctx context.Context, _ time.Time) error {
	nowMS, err := c.db.NowMS(ctx)
	if err != nil {
		return err
	}
	if c.lastMS == 0 {
		c.copies.ForgetAll()
		c.lastMS = nowMS
	}
	var users []string
	const query = `SELECT user_id FROM user_locks WHERE changed_ms >= ? ORDER BY changed_ms DESC LIMIT ?`
	from := min(c.lastMS, nowMS) - lateCommit.Milliseconds()
	if err := c.db.Read.SelectContext(ctx, &users, query, from, maxFollowed); err != nil {
		return fmt.Errorf("select changed addresses: %w", err)
	}
	for _, user := range users {
		if c.forget(user); user == everyUser {
			c.copies.ForgetAll()
		}
	}
	if len(users) == maxFollowed {
		c.copies.ForgetAll()
	}
	c.lastMS = nowMS
	return nil
}

// everyUser is the user of the mark that is for all users.
const everyUser = ""
