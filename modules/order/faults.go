package order

// Faults lets a test inject a crash between two steps: it is called with the name of the step that was
// just done, and the work stops there if it returns an error. Nil injects nothing.
type Faults func(step string) error

// After calls f with the name of a step that was done; a nil f returns nil.
func (f Faults) After(step string) error {
	if f == nil {
		return nil
	}
	return f(step)
}
