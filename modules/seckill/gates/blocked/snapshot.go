package blocked

import (
	"maps"
	"net/netip"
	"slices"
)

// row is what an instance reads of a row of the table.
type row struct {
	Subject
	UntilMS   int64 `db:"until_ms"`
	UpdatedMS int64 `db:"updated_ms"`
	Deleted   bool  `db:"deleted"`
	Version   int64 `db:"version"`
}

// snapshot is an immutable copy of the table. The values are the ends of the blocks in ms; 0 is no end.
type snapshot struct {
	users    map[string]int64
	networks map[netip.Prefix]int64
	// The lengths of the prefixes in networks, so that a lookup takes as many steps as there are lengths,
	// however many networks there are.
	bits4, bits6 []int
	// last is the row with the highest version up to which none was missed; the zero row if there is none.
	last row
}

// follows reports whether rows, which have the last version or later ones, continue the history that the snapshot has.
// They don't continue it after a failover of SQL that lost changes, whose versions are then given again. follows also
// returns false if the last row was changed or removed since: then nobody can tell.
func (s *snapshot) follows(rows []row) bool { return s.last == row{} || slices.Contains(rows, s.last) }

// with returns a snapshot with changed rows, of which none is missed up to the version head. It leaves out what must
// never be blocked, and what was over at a time in ms, if that isn't 0.
func (s *snapshot) with(rows []row, head int64, protected []netip.Prefix, overMS int64) *snapshot {
	next := &snapshot{users: maps.Clone(s.users), networks: maps.Clone(s.networks), last: s.last}
	if s.users == nil {
		next.users, next.networks = map[string]int64{}, map[netip.Prefix]int64{}
	}
	for _, r := range rows {
		if r.Version > next.last.Version && r.Version <= head {
			next.last = r
		}
		r.Deleted = r.Deleted || r.UntilMS != 0 && r.UntilMS <= overMS
		if r.Kind == User {
			set(next.users, r.Name, r)
			continue
		}
		network, err := parseNetwork(r.Name)
		if err != nil {
			continue // not of this version
		}
		if _, bad := overlap(network, protected); !bad {
			set(next.networks, network, r)
		}
	}
	for network := range next.networks {
		bits := &next.bits6
		if network.Addr().Is4() {
			bits = &next.bits4
		}
		if !slices.Contains(*bits, network.Bits()) {
			*bits = append(*bits, network.Bits())
		}
	}
	return next
}

func set[K comparable](m map[K]int64, key K, r row) {
	if r.Deleted {
		delete(m, key)
	} else {
		m[key] = r.UntilMS
	}
}

// blocksUser reports whether a user is blocked now; now is called only if the user was.
func (s *snapshot) blocksUser(user string, now func() int64) bool {
	until, found := s.users[user]
	return found && holds(until, now)
}

// hasNetworks reports whether any address is blocked.
func (s *snapshot) hasNetworks() bool { return len(s.networks) > 0 }

// blocksAddress reports whether an address, or a network that contains it, is blocked now.
func (s *snapshot) blocksAddress(addr netip.Addr, now func() int64) bool {
	lengths := s.bits6
	if addr.Is4() {
		lengths = s.bits4
	}
	for _, bits := range lengths {
		network, err := addr.Prefix(bits)
		if err != nil {
			continue
		}
		if until, found := s.networks[network]; found && holds(until, now) {
			return true
		}
	}
	return false
}

func holds(until int64, now func() int64) bool { return until == 0 || now() < until }
