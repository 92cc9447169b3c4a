package server

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestAMountedProgramWaitsForTheRequestsThatRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &mounted{left: make(chan struct{}, 1)}
		assert.False(t, m.enter(), "before the start")
		m.open.Store(true)
		assert.True(t, m.enter())
		assert.True(t, m.enter())
		ended := make(chan struct{})
		go func() {
			m.end(context.WithoutCancel(t.Context()))
			close(ended)
		}()
		isEnded := func() bool {
			synctest.Wait()
			select {
			case <-ended:
				return true
			default:
				return false
			}
		}
		assert.False(t, isEnded())
		assert.False(t, m.enter(), "the gate is closed")
		m.leave()
		assert.False(t, isEnded(), "one of two has left")
		m.leave()
		assert.True(t, isEnded())

		m.open.Store(true)
		assert.True(t, m.enter())
		late, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		m.end(late) // a request that hangs doesn't keep the program from stopping
	})
}
