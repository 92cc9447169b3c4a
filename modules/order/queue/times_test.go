package queue_test

import "time"

const (
	eventually = 20 * time.Second
	tick       = 5 * time.Millisecond
)
