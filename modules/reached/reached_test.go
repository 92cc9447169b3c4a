package reached

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEveryMarkOfManyGoroutinesIsCounted(t *testing.T) {
	t.Parallel()
	r := registry{paths: map[string]*Path{}}
	taken := r.at("queue: a batch is stored order by order")
	r.at("queue: an entry can't be read")
	const goroutines, marks = 8, 1000
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for range marks {
				taken.Mark()
				_ = r.counts()
			}
		})
	}
	all.Wait()
	assert.Equal(t, map[string]int64{
		"queue: a batch is stored order by order": goroutines * marks,
		"queue: an entry can't be read":           0,
	}, r.counts())
}

func TestASecondPathOfANameIsRefused(t *testing.T) {
	t.Parallel()
	r := registry{paths: map[string]*Path{}}
	r.at("queue: an entry can't be read")
	assert.Panics(t, func() { r.at("queue: an entry can't be read") })
	assert.Panics(t, func() { r.at("") })
	assert.Len(t, r.counts(), 1)
}
