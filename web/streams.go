package web

import (
	"sync"
	"time"

	"onrush/modules/problem"
)

// maxStreams is how many event streams an app has open at once.
const maxStreams = 10_000

// streams counts open event streams. A user without one has no entry, so it is bounded by maxStreams.
type streams struct {
	mu     sync.Mutex
	open   int
	byUser map[string]int
}

// add counts a stream of a user, unless that would be more than perUser, or than an app has. The caller
// must call done when the stream has ended. Streams without a user are bounded in all only.
func (s *streams) add(user string, perUser int) (done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case user != "" && s.byUser[user] >= perUser:
		return nil, problem.Errorf(problem.CodeRateLimited,
			"You have %d event streams open; poll instead, or close one.", perUser).After(time.Second)
	case s.open >= maxStreams:
		return nil, problem.Errorf(problem.CodeOverloaded,
			"Too many event streams are open. Please poll.").After(time.Second)
	}
	if s.byUser == nil {
		s.byUser = map[string]int{}
	}
	s.open++
	s.byUser[user]++
	return func() { s.remove(user) }, nil
}

func (s *streams) remove(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	if s.byUser[user]--; s.byUser[user] == 0 {
		delete(s.byUser, user)
	}
}

// count returns how many streams are open.
func (s *streams) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}
