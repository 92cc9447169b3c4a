package order

// Faults lets a test stop the work between two steps: it is called with the name of the step that
// was just done, and an error ends the work there as a crash would. Nil means no faults.
type Faults func(step string) error

// After reports that a step was done.
func (f Faults) After(step string) error {
	if f == nil {
		return nil
	}
	return f(step)
}
