package sqldb

import (
	"context"
	"strings"

	"github.com/jmoiron/sqlx"
)

// Add adds a number to rows of a table.
type Add struct {
	N     int64
	Key   string // a condition on the primary key, such as "activity_id = ? AND part = ?"
	Guard string // without it the rows are not changed, such as "n <= ?"; empty: none
	Keys  []any  // the arguments of Key
	Bound []any  // the arguments of Guard
}

const (
	// addsTogether bounds the conditions of one statement, each of which a server may compare with each row.
	addsTogether = 50
	// addArgs bounds the arguments of one statement.
	addArgs = 5000
)

// AddTo adds to rows of a table in as few statements as possible, and returns how many rows the adds met. sums are what
// is done with each number, such as "sold = sold +". No row may be met by two adds. A transaction locks the rows in the
// order of adds, or of their primary key, which should be the same.
func AddTo(ctx context.Context, tx *sqlx.Tx, table string, sums []string, adds []Add) (rows int64, err error) {
	for len(adds) > 0 {
		n, args := 0, 0
		for n < len(adds) && n < addsTogether && (n == 0 || args < addArgs) {
			args += len(adds[n].Keys) * (1 + len(sums))
			n++
		}
		met, err := addTogether(ctx, tx, table, sums, adds[:n])
		if err != nil {
			return 0, err
		}
		rows, adds = rows+met, adds[n:]
	}
	return rows, nil
}

// addTogether is AddTo in one statement.
func addTogether(ctx context.Context, tx *sqlx.Tx, table string, sums []string, adds []Add) (rows int64, err error) {
	number, ofNumber := numberOf(adds)
	var text strings.Builder
	var args []any
	// Without the hint a server may read the whole of a small table, and wait for rows that others have locked.
	text.WriteString("UPDATE " + table + " /*! FORCE INDEX (PRIMARY) */ SET ")
	for i, sum := range sums {
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString(sum + " " + number)
		args = append(args, ofNumber...)
	}
	for i, a := range adds {
		if i == 0 {
			text.WriteString(" WHERE (")
		} else {
			text.WriteString(" OR (")
		}
		text.WriteString(a.Key)
		args = append(args, a.Keys...)
		if a.Guard != "" {
			text.WriteString(" AND " + a.Guard)
			args = append(args, a.Bound...)
		}
		text.WriteByte(')')
	}
	res, err := tx.ExecContext(ctx, text.String(), args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// numberOf returns the number that a row gets, and its arguments: most adds have the same number.
func numberOf(adds []Add) (expression string, args []any) {
	times, most := map[int64]int{}, adds[0].N
	for _, a := range adds {
		if times[a.N]++; times[a.N] > times[most] {
			most = a.N
		}
	}
	if len(times) == 1 {
		return "?", []any{most}
	}
	var text strings.Builder
	text.WriteString("CASE")
	for _, a := range adds {
		if a.N != most {
			text.WriteString(" WHEN " + a.Key + " THEN ?")
			args = append(append(args, a.Keys...), a.N)
		}
	}
	text.WriteString(" ELSE ? END")
	return text.String(), append(args, most)
}
