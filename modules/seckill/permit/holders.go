package permit

import (
	"maps"
	"math"
	"time"
)

// holders are the users who have a permit of a sku. They are read completely in the background, at most every
// scanEvery; meanwhile new ones are added as they get their permits. A user whose permit has expired or was used stays
// until the next complete read: the script decides then. The zero value knows nobody.
type holders struct {
	users   map[string]struct{} // nil: unknown
	added   map[string]struct{} // since the scan that runs began; nil if none runs
	scanned time.Time           // when the last scan began
	sinceMS int64               // permits that expire earlier are known, once users is
}

// known reports whether the holders are known.
func (h *holders) known() bool { return h.users != nil }

// lack reports whether a user has no permit.
func (h *holders) lack(user string) bool {
	if h.users == nil {
		return false
	}
	_, holds := h.users[user]
	return !holds
}

// due reports whether a complete read should begin.
func (h *holders) due(now time.Time) bool {
	return h.added == nil && now.Sub(h.scanned).Abs() >= scanEvery
}

// since returns the expiry from which on permits are new.
func (h *holders) since() int64 {
	if h.users == nil && h.added == nil {
		return math.MaxInt64 // the scan finds them
	}
	return h.sinceMS
}

// begin is called when a complete read begins.
func (h *holders) begin(now time.Time) { h.scanned, h.added = now, map[string]struct{}{} }

// end is called with the users of a complete read, or with nil if it failed: then the known users stay.
func (h *holders) end(users map[string]struct{}) {
	if users != nil {
		maps.Copy(users, h.added)
		h.users = users
	}
	h.added = nil
	h.bound()
}

// forget is called instead of end if there are too many holders.
func (h *holders) forget() { h.users, h.added = nil, nil }

// add adds users who got a permit.
func (h *holders) add(users []string) {
	for _, user := range users {
		if h.users != nil {
			h.users[user] = struct{}{}
		}
		if h.added != nil {
			h.added[user] = struct{}{}
		}
	}
	h.bound()
}

// bound forgets the holders if they are too many to keep.
func (h *holders) bound() {
	if len(h.users) >= maxHolders || len(h.added) >= maxHolders {
		h.users = nil
	}
}
