package order

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order/sources"
	"onrush/modules/sign"
	"onrush/modules/sqldb"
)

// ErasedDigest is the key of a user in the table erased_users.
func ErasedDigest(user string) string { return sign.Digest(24, "erased", user) }

// forgetInviters erases users from new orders that name them as inviters, after insertLabels in its transaction. An
// erasure of an inviter first commits its row in erased_users. Then it waits for the transactions that have inserted a
// label of the user (WaitForInvited), and looks for labels. So either this statement finds the row, or the erasure
// finds the label.
func forgetInviters(ctx context.Context, tx *sqlx.Tx, orders []*Order) error {
	invited := map[string][]*Order{} // by the digest of the inviter
	for _, o := range orders {
		if o.Inviter != "" {
			digest := ErasedDigest(o.Inviter)
			invited[digest] = append(invited[digest], o)
		}
	}
	if len(invited) == 0 {
		return nil
	}
	var erased []struct {
		Digest    string `db:"user_digest"`
		Pseudonym string `db:"pseudonym"`
	}
	query := `SELECT user_digest, pseudonym FROM erased_users WHERE user_digest IN (` + sqldb.In(len(invited)) + `)`
	digests := sqldb.Args(slices.Collect(maps.Keys(invited)))
	if err := tx.SelectContext(ctx, &erased, query, digests...); err != nil {
		return fmt.Errorf("select which inviters are erased: %w", err)
	}
	for _, e := range erased {
		for _, o := range invited[e.Digest] {
			changed := *o
			changed.Inviter = e.Pseudonym
			if err := sources.ForgetInviter(ctx, tx, o.Inviter, e.Pseudonym, []any{o.Number}); err != nil {
				return err
			}
			if err := Rewrite(ctx, tx, &changed); err != nil {
				return err
			}
		}
	}
	return nil
}

// ForgetInviter erases a user from stored orders that name the user as their inviter, in the transaction of the caller.
// The orders themselves, which are others', may be in any state. No label of the orders has the user afterwards,
// whatever their records say: or whoever reads the labels page by page would read the same page again and again.
func ForgetInviter(ctx context.Context, tx *sqlx.Tx, user, pseudonym string, numbers []Number) error {
	orders, err := lockRecords(ctx, tx, numbers)
	if err != nil {
		return err
	}
	for _, o := range orders {
		if o.Inviter != user {
			continue
		}
		o.Inviter = pseudonym
		if err := Rewrite(ctx, tx, o); err != nil {
			return err
		}
	}
	if err := sources.ForgetInviter(ctx, tx, user, pseudonym, sqldb.Args(numbers)); err != nil {
		return err
	}
	return raiseVersionsOf(ctx, tx, orders...)
}

// WaitForInvited waits for transactions that have inserted orders which name a user as their inviter, and reports
// whether there are such orders. It deletes their labels: the caller must roll back if there are any. An UPDATE that
// changes nothing would not wait, since InnoDB skips rows that were never committed when it searches for rows to
// update.
func WaitForInvited(ctx context.Context, tx *sqlx.Tx, user string) (found bool, err error) {
	remove := `DELETE FROM order_labels WHERE name = 'inviter_id' AND ` + sqldb.Exactly("value")
	res, err := tx.ExecContext(ctx, remove, user, user)
	if err != nil {
		return false, fmt.Errorf("wait for orders of an inviter: %w", err)
	}
	n, err := res.RowsAffected()
	return n > 0, err
}
