package problem

// NoWritesError says that a store answers, but takes no writes.
type NoWritesError struct {
	Reason string // such as read-only
	Err    error  // the answer of the store
}

func (e *NoWritesError) Error() string {
	return "it takes no writes: " + e.Reason + ": " + e.Err.Error()
}

func (e *NoWritesError) Unwrap() error { return e.Err }
