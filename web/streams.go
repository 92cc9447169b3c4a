package web

import (
	"net/netip"
	"sync"
	"time"

	"onrush/modules/limit"
	"onrush/modules/problem"
)

// maxStreams is how many event streams an app has open at once.
const maxStreams = 10_000

// streams counts open event streams. A user and an address without one have no entry, so it is bounded by maxStreams.
type streams struct {
	perUser, perAddress int

	mu        sync.Mutex
	open      int
	byUser    map[string]int
	byAddress map[string]int // by limit.AddressKey
}

func newStreams(cfg Config) *streams {
	return &streams{
		perUser: cfg.StreamsPerUser, perAddress: cfg.StreamsPerAddress,
		byUser: map[string]int{}, byAddress: map[string]int{},
	}
}

// add counts a stream of a user at an address, unless that would be more than each of them may have, or than an app
// has. The caller must call done when the stream has ended. A stream without a user is not bounded by user, and a
// stream from an address that doesn't count (it is not valid) is not bounded by address.
func (s *streams) add(user string, at netip.Addr) (done func(), err error) {
	address := ""
	if at.IsValid() {
		address = limit.AddressKey(at)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case user != "" && s.byUser[user] >= s.perUser:
		return nil, problem.Errorf(problem.CodeRateLimited,
			"You have %d event streams open; poll instead, or close one.", s.perUser).After(time.Second)
	case address != "" && s.byAddress[address] >= s.perAddress:
		return nil, problem.Errorf(problem.CodeRateLimited,
			"Your network address has %d event streams open; poll instead.", s.perAddress).After(time.Second)
	case s.open >= maxStreams:
		return nil, problem.Errorf(problem.CodeOverloaded,
			"Too many event streams are open. Please poll.").After(time.Second)
	}
	s.open++
	s.byUser[user]++
	s.byAddress[address]++
	return func() { s.remove(user, address) }, nil
}

func (s *streams) remove(user, address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	if s.byUser[user]--; s.byUser[user] == 0 {
		delete(s.byUser, user)
	}
	if s.byAddress[address]--; s.byAddress[address] == 0 {
		delete(s.byAddress, address)
	}
}

// count returns how many streams are open.
func (s *streams) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}
