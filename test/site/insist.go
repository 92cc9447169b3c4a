package site

import (
	"context"
	"net/http"
	"time"
)

// Ask calls the instance; any goroutine may use it. Without an answer the status is 0 and the body is the
// error.
func (p *Person) Ask(method, path, key string, body any) Answer {
	a, err := p.Try(context.Background(), method, path, key, body)
	if err != nil {
		return Answer{Body: []byte(err.Error())}
	}
	return a
}

// patience is how often Insist sends at most.
const patience = 100

// Insist calls until the outcome is known, as clients do: it sends a request that was answered with 503
// again, with the same key and a little later each time. It may be used from any goroutine.
func (p *Person) Insist(method, path, key string, body any) Answer {
	var a Answer
	for n := range patience {
		a = p.Ask(method, path, key, body)
		if a.Status != http.StatusServiceUnavailable {
			return a
		}
		pause(n)
	}
	return a
}

// pause waits before the next try, n ms: several seconds in all.
func pause(n int) { time.Sleep(time.Duration(n) * time.Millisecond) }

// InsistOn submits on a path until the outcome is known. It may be used from any goroutine.
func (p *Person) InsistOn(path, key string, body any) Answer {
	return p.Insist(http.MethodPost, "/api/v1/seckill/"+path+"/submit", key, body)
}
