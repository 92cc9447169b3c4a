package sqldb

import (
	"errors"
	"fmt"

	"onrush/web/problem"
)

// Problem returns what a caller may know of an error of the SQL store: a *problem.Error as it is, an
// error of the row's own data as an internal one, any other as unavailable. doing says what failed.
func Problem(err error, doing string) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*problem.Error](err); ok {
		return err
	}
	if IsRowError(err) || IsDuplicate(err) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return problem.Unavailable(fmt.Errorf("%s: %w", doing, err), "The store is unavailable for a moment.")
}
