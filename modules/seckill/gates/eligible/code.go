package eligible

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/aged"
	"onrush/modules/ids"
	"onrush/modules/problem"
	"onrush/modules/sign"
	"onrush/modules/sqldb"
)

// codes lets buyers use codes. Look-ups that wait at the same time share a statement.
type codes struct {
	db    *sqldb.DB
	users *aged.Keyed[struct{}] // who has used a code, by activity and user
	known *aged.Keyed[struct{}] // the codes that can be used, by activity and digest: so guesses cost few statements
}

func newCodes(db *sqldb.DB, now func() time.Time) *codes {
	c := &codes{db: db}
	c.users = aged.NewKeyed("buyers with a code", now, func(ctx context.Context, keys []string) (found, error) {
		return c.among(ctx, "sale_code_uses", "user_id", "", keys)
	})
	c.known = aged.NewKeyed("codes of sales", now, func(ctx context.Context, keys []string) (found, error) {
		return c.among(ctx, "sale_codes", "digest", " AND used < uses", keys)
	})
	return c
}

// found are the keys that exist.
type found = map[string]struct{}

// among returns which keys, of an activity and a value of a column, a table has, in rows that meet a condition.
func (c *codes) among(ctx context.Context, table, column, and string, keys []string) (found, error) {
	values := map[string][]any{} // by activity
	for _, key := range keys {
		activity, value, _ := strings.Cut(key, ids.Separator)
		values[activity] = append(values[activity], value)
	}
	exist := found{}
	for activity, of := range values {
		var has []string
		query := `SELECT ` + column + ` FROM ` + table + ` WHERE activity_id = ? AND ` + column + ` IN (` +
			sqldb.In(len(of)) + `)` + and
		if err := c.db.Read.SelectContext(ctx, &has, query, append([]any{activity}, of...)...); err != nil {
			return exist, fmt.Errorf("select from %s: %w", table, err)
		}
		for _, value := range has {
			exist[ids.Join(activity, value)] = struct{}{}
		}
	}
	return exist, nil
}

// admit reports whether a user has used a code of a sale, and uses the given one if the user has used none.
func (c *codes) admit(ctx context.Context, activity, user, code string) (bool, error) {
	who := ids.Join(activity, user)
	_, used, err := c.users.Get(ctx, who)
	if err != nil || used || code == "" {
		return used, err
	}
	digest := digestOf(activity, code)
	row := ids.Join(activity, digest)
	if _, exists, err := c.known.Get(ctx, row); err != nil {
		return false, err
	} else if !exists { // unless another request of the user has just used it up
		c.users.Forget(who)
		if _, used, err = c.users.Get(ctx, who); err == nil && !used {
			err = errCode
		}
		return used, err
	}
	err = c.db.Share(ctx, []string{"code " + row}, func() error { return c.use(ctx, activity, user, digest) })
	if problem.CodeOf(err) == CodeCodeInvalid { // it was used up
		c.known.Forget(row)
	}
	if err != nil {
		return false, err
	}
	c.users.Forget(who)
	return true, nil
}

// use uses a code for a user. If another request of the user has used a code of the
// sale meanwhile, this code stays unused.
func (c *codes) use(ctx context.Context, activity, user, digest string) error {
	err := c.db.InTx(ctx, func(tx *sqlx.Tx) error {
		const insert = `INSERT INTO sale_code_uses (activity_id, user_id, digest) VALUES (?, ?, ?)`
		if _, err := tx.ExecContext(ctx, insert, activity, user, digest); err != nil {
			return fmt.Errorf("note that a code is used: %w", err)
		}
		const update = `UPDATE sale_codes SET used = used + 1 WHERE activity_id = ? AND digest = ? AND used < uses`
		res, err := tx.ExecContext(ctx, update, activity, digest)
		if err != nil {
			return fmt.Errorf("use a code: %w", err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, errCode)
		}
		return nil
	})
	switch {
	case sqldb.IsDuplicate(err):
		return nil
	case problem.CodeOf(err) == CodeCodeInvalid:
		return errCode
	case err != nil:
		return problem.Unavailable(err, "The code can't be used right now.")
	}
	return nil
}

const (
	// codeLength is the length of a code: 80 random bits.
	codeLength = 16
	// alphabet has no letters that people take for a digit.
	alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	// MaxCode is the length of the longest text that is read as a code, in bytes.
	MaxCode = 64
)

// newCode returns a random code, as people see it: XXXX-XXXX-XXXX-XXXX.
func newCode() string {
	random := make([]byte, codeLength)
	_, _ = rand.Read(random) // it never fails
	text := make([]byte, 0, codeLength+3)
	for i, b := range random {
		if i > 0 && i%4 == 0 {
			text = append(text, '-')
		}
		text = append(text, alphabet[b%32])
	}
	return string(text)
}

// typed makes of a code that a person typed the code as it was made.
var typed = strings.NewReplacer("-", "", " ", "", "O", "0", "I", "1", "L", "1")

// digestOf returns what SQL has of a code. A code is random enough that its digest needs no key.
func digestOf(activity, code string) string {
	return sign.Digest(16, "sale code", activity, typed.Replace(strings.ToUpper(code)))
}
