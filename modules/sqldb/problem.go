package sqldb

import (
	"fmt"

	"onrush/modules/problem"
)

// Problem converts an error of the SQL store to one for clients: it returns a *problem.Error unchanged,
// an error for which IsRowError is true as internal, and any other as unavailable. doing names the
// operation that failed.
func Problem(err error, doing string) error {
	if err == nil || problem.Is(err) {
		return err
	}
	if IsRowError(err) || IsDuplicate(err) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return problem.Unavailable(fmt.Errorf("%s: %w", doing, err), "The store is temporarily unavailable.")
}
