package settings

// agree reports whether both stores have what the instance knows, as far as they were read.
func (s *Store) agree() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.known.Waiting) == 0 && s.row.covers(&s.known.Base) && s.redis.covers(&s.known)
}

// current returns the newest settings.
func (s *Store) current() Stored {
	known := s.knows()
	current := known.settings()
	current.Pending = !s.agree()
	return current
}

// knows returns what the instance knows.
func (s *Store) knows() kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}

// learn remembers what a store has, and returns what the instance knows then. Nil is not known.
func (s *Store) learn(row *Stored, k *kept) kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	if row != nil {
		s.row = *row
		s.known = s.known.with(kept{Base: *row})
	}
	if k != nil {
		s.redis = *k
		s.known = s.known.with(*k)
	}
	return s.known
}

// forget removes changes that SQL has absorbed.
func (s *Store) forget(absorbed []change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = s.known.without(absorbed)
}
