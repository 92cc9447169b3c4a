package schema

import (
	"fmt"
	"regexp"
	"slices"
)

// compare decides what this program may do with a database, by the changes that the database has recorded. tables are
// the names of its tables if it has recorded none.
func compare(changes []change, had []recorded, tables []string) (State, error) {
	state := State{Newer: len(had), applied: map[int64]recorded{}}
	for _, r := range had {
		state.applied[r.Version] = r
	}
	for _, c := range changes {
		r, begun := state.applied[c.version]
		switch {
		case begun && r.Fingerprint != c.fingerprint && r.Applied:
			return State{}, &ForeignError{fmt.Sprintf("change %d has another fingerprint", c.version)}
		case begun && r.Fingerprint != c.fingerprint:
			return State{}, &ForeignError{
				fmt.Sprintf("another version began change %d, and may complete it", c.version),
			}
		case begun:
			state.Newer--
		}
		if !r.Applied {
			state.Lacks++
		}
		if len(had) > 0 {
			continue
		}
		for _, table := range createdTable.FindAllStringSubmatch(c.text, -1) {
			if slices.Contains(tables, table[1]) {
				return State{}, &ForeignError{"it has the table " + table[1] + ", but no fingerprint of any change"}
			}
		}
	}
	if own, has := majorOf(changes), majorOfRecorded(had); has > own {
		return State{}, &ForeignError{fmt.Sprintf("version %d of the program upgraded it, and this is version %d, "+
			"to which there is no way back", has, own)}
	}
	return state, nil
}

// perMajor is how many numbers the changes of a major version of the program have: version 1 has those up to 9999,
// version 2 those from 10000. Within a major version, an older program runs under the changes of a newer one.
const perMajor = 10_000

func majorOf(changes []change) int64 {
	most := int64(0)
	for _, c := range changes {
		most = max(most, c.version)
	}
	return most/perMajor + 1
}

func majorOfRecorded(had []recorded) int64 {
	most := int64(0)
	for _, r := range had {
		most = max(most, r.Version)
	}
	return most/perMajor + 1
}

var createdTable = regexp.MustCompile(`(?m)^CREATE TABLE IF NOT EXISTS (\w+)`)
