package site

import (
	"context"
	"net/http"
	"sync"
)

// AtOnce runs do n times at once and returns what each returned: nobody begins before all are
// ready. do must not end the test, since it runs outside of its goroutine.
func AtOnce[T any](n int, do func(i int) T) []T {
	results := make([]T, n)
	begin := make(chan struct{})
	var ready, done sync.WaitGroup
	ready.Add(n)
	for i := range n {
		done.Go(func() {
			ready.Done()
			<-begin
			results[i] = do(i)
		})
	}
	ready.Wait()
	close(begin)
	done.Wait()
	return results
}

// Ask calls from any goroutine: where no answer comes the status is 0 and the body is the error.
func (p *Person) Ask(method, path, key string, body any) Answer {
	a, err := p.Try(context.Background(), method, path, key, body)
	if err != nil {
		return Answer{Body: []byte(err.Error())}
	}
	return a
}

// patience bounds how often Insist sends.
const patience = 100

// Insist calls until the outcome is known, as clients do: what is answered with 503 is sent again
// with the same key. It may be used from any goroutine.
func (p *Person) Insist(method, path, key string, body any) Answer {
	var a Answer
	for range patience {
		a = p.Ask(method, path, key, body)
		if a.Status != http.StatusServiceUnavailable {
			return a
		}
	}
	return a
}

// InsistOn submits on a path until the outcome is known. It may be used from any goroutine.
func (p *Person) InsistOn(path, key string, body any) Answer {
	return p.Insist(http.MethodPost, "/api/v1/seckill/"+path+"/submit", key, body)
}
