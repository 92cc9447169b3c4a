package kit

import (
	"sync"
	"sync/atomic"
	"time"
)

// Crowd calls do n times concurrently, and returns when all calls have returned. They begin together. do must not end
// the test, since it runs in other goroutines.
func Crowd(n int, do func(i int)) {
	begin := make(chan struct{})
	var ready, done sync.WaitGroup
	ready.Add(n)
	for i := range n {
		done.Go(func() {
			ready.Done()
			<-begin
			do(i)
		})
	}
	ready.Wait()
	close(begin)
	done.Wait()
}

// AtOnce is Crowd for calls that have a result; it returns the results in the order of i.
func AtOnce[T any](n int, do func(i int) T) []T {
	results := make([]T, n)
	Crowd(n, func(i int) { results[i] = do(i) })
	return results
}

// Repeat calls do again and again, with a pause after each call, and once more after done is closed.
func Repeat(done <-chan struct{}, pause time.Duration, do func()) {
	for {
		do()
		select {
		case <-done:
			do()
			return
		case <-time.After(pause):
		}
	}
}

// Pass lets a time pass in the bubble of testing/synctest, whose clock begins in the year 2000. It panics outside of
// a bubble, where a test would really wait.
func Pass(d time.Duration) {
	if time.Now().Year() >= 2020 {
		panic("kit.Pass outside of a bubble of synctest")
	}
	time.Sleep(d)
}

// Concurrency counts the calls that are in progress, and remembers the most that were at the same time. The zero
// value is ready for use.
type Concurrency struct{ now, most atomic.Int64 }

// Begin counts a call until End.
func (c *Concurrency) Begin() {
	now := c.now.Add(1)
	for most := c.most.Load(); now > most && !c.most.CompareAndSwap(most, now); {
		most = c.most.Load()
	}
}

// End ends a call that Begin has counted.
func (c *Concurrency) End() { c.now.Add(-1) }

// Most returns how many calls were in progress at the same time.
func (c *Concurrency) Most() int64 { return c.most.Load() }
