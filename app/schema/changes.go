package schema

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"onrush/modules/sqldb"
)

// Change is a change of the schema.
type Change struct {
	// Name is the name of its file, or the number of a change that a newer version made.
	Name        string
	Fingerprint string
	State       ChangeState
	// Statements are what Up would still run of it, the ones that record it among them.
	Statements string
}

// ChangeState is how far a change of a database is.
type ChangeState string

// The states of changes.
const (
	Applied ChangeState = "applied"
	Begun   ChangeState = "begun" // it was cut off, and Up completes it
	Missing ChangeState = "missing"
	Newer   ChangeState = "newer" // a newer version of the program made it
)

// Changes compares the changes of this program with the changes that a database has had, which it leaves as it is:
// first the program's, in their order, then newer ones. The error is a *ForeignError if the database has another
// schema.
func Changes(ctx context.Context, db *sqldb.DB) ([]Change, error) {
	b, err := own()
	if err != nil {
		return nil, err
	}
	state, err := b.read(ctx, db)
	if err != nil {
		return nil, err
	}
	var all []Change
	for _, c := range b.changes {
		found, begun := state.applied[c.version]
		delete(state.applied, c.version)
		next := Change{Name: c.name, Fingerprint: c.fingerprint, State: Applied}
		if !found.Applied {
			text, err := remaining{ctx, b, db}.text(c.name)
			if err != nil {
				return nil, err
			}
			up, _, _ := strings.Cut(text, "-- +goose Down")
			next.Statements = strings.TrimSpace(strings.TrimPrefix(up, "-- +goose Up\n"))
			next.State = Missing
			if begun {
				next.State = Begun
			}
		}
		all = append(all, next)
	}
	for _, version := range slices.Sorted(maps.Keys(state.applied)) {
		newer := state.applied[version]
		all = append(all, Change{Name: strconv.FormatInt(version, 10), Fingerprint: newer.Fingerprint, State: Newer})
	}
	return all, nil
}
