package needs

import (
	"slices"
	"strings"

	"onrush/lua"
)

// The abilities of this build.
const (
	Baskets     = "baskets"     // placing orders of several skus
	Bundles     = "bundles"     // placing orders of bundles
	Draw        = "draw"        // drawing who may buy
	Eligibility = "eligibility" // selling only to those who may buy, or to them earlier
	Holds       = "holds"       // keeping units that operators set aside
	LimitKey    = "limit_key"   // counting purchases by a claim
	Reserved    = "reserved"    // reserving units for some buyers
	Waitlist    = "waitlist"    // keeping units for buyers who wait
	Waves       = "waves"       // selling stock in waves
)

// Abilities are the abilities of this build.
func Abilities() []string {
	return []string{Baskets, Bundles, Draw, Eligibility, Holds, LimitKey, Reserved, Waitlist, Waves}
}

// Set has the names of abilities: sorted, each once, with a space between two. SQL has it as it is.
type Set string

// Names returns the names in their order.
func (s Set) Names() []string { return strings.Fields(string(s)) }

// With returns the set with further names.
func (s Set) With(names ...string) Set {
	return Set(strings.Join(slices.Compact(slices.Sorted(slices.Values(append(s.Names(), names...)))), " "))
}

// Has reports whether a name is in the set.
func (s Set) Has(name string) bool { return slices.Contains(s.Names(), name) }

// Known reports whether this build has all abilities of the set.
func (s Set) Known() bool {
	return !slices.ContainsFunc(s.Names(), func(name string) bool { return !slices.Contains(Abilities(), name) })
}

// Version returns the version that a sale has in Redis. Scripts refuse the orders of a caller with an older version,
// and a change to an older one. Builds from before this package know only the version that SQL has, which no sale
// raises so far.
func (s Set) Version(inSQL int64) int64 {
	switch {
	case s == "":
		return inSQL
	case s.Has(Reserved): // builds that know of needs, but not of this one, write lower versions
		return inSQL + 2*lua.NewerVersion
	}
	return inSQL + lua.NewerVersion
}

// InSQL returns the version in SQL of a version in Redis.
func InSQL(inRedis int64) int64 { return inRedis % lua.NewerVersion }
