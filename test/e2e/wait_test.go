package e2e

import "time"

// How long tests wait for what takes its time, and how often they look.
const (
	eventually = 20 * time.Second
	soon       = 20 * time.Millisecond
)
