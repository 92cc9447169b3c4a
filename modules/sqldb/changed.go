package sqldb

import "database/sql"

// Changed reports whether a statement changed a row. It takes what Exec returns.
func Changed(res sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}
