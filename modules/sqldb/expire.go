package sqldb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"
)

// The bounds of one call of Expire.
const (
	expirePage  = 500 // rows that one transaction deletes
	expirePages = 100
)

// Expiry selects the expired rows of a table by the condition Where with its Args. Key is the table's
// primary key, one or two columns.
type Expiry struct {
	Table string
	Key   []string
	Where string
	Args  []any
}

// Expire deletes expired rows, at most 50,000, and returns how many. It reads the primary keys in
// pages without locks and deletes each page in its own transaction, so that its locks are short.
func (db *DB) Expire(ctx context.Context, e Expiry) (deleted int, err error) {
	keys := strings.Join(e.Key, ", ")
	for range expirePages {
		page, err := db.expired(ctx, `SELECT `+keys+` FROM `+e.Table+` WHERE `+e.Where+` LIMIT ?`,
			append(slices.Clone(e.Args), expirePage))
		if err != nil || len(page) == 0 {
			return deleted, err
		}
		row := "(" + strings.Join(e.Key, " = ? AND ") + " = ?)"
		// The condition is checked again, since a row may have changed since it was read.
		query := `DELETE FROM ` + e.Table + ` WHERE (` + strings.Repeat(row+" OR ", len(page)-1) + row +
			`) AND (` + e.Where + `)`
		var n int64
		err = db.InTx(ctx, func(tx *sqlx.Tx) error {
			res, err := tx.ExecContext(ctx, query, append(slices.Concat(page...), e.Args...)...)
			if err != nil {
				return fmt.Errorf("delete %d rows of %s: %w", len(page), e.Table, err)
			}
			n, err = res.RowsAffected()
			return err
		})
		deleted += int(n)
		if err != nil || len(page) < expirePage || n == 0 {
			return deleted, err
		}
	}
	return deleted, nil
}

// expired reads the primary keys of a page of expired rows.
func (db *DB) expired(ctx context.Context, query string, args []any) (page [][]any, err error) {
	rows, err := db.Read.QueryxContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("select rows to delete: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		key, err := rows.SliceScan()
		if err != nil {
			return nil, fmt.Errorf("read rows to delete: %w", err)
		}
		for i, value := range key {
			if text, ok := value.([]byte); ok {
				key[i] = string(text) // as []byte, the comparison would not use the index
			}
		}
		page = append(page, key)
	}
	return page, rows.Err()
}
