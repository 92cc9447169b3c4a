package crowd

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"net"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"onrush/modules/seckill/gates/line"
)

// success is the code of an answer that is no problem.
const success = "ok"

// answer is what a buyer reads of an answer: of a problem, its code and when to ask again.
type answer struct {
	Code           string `json:"code"` // success, or the problem's code; "" if no request was sent
	RefreshAfterMS int64  `json:"refresh_after_ms"`

	taken taken
	body  []byte
}

// taken is what a buyer gets of the requests that succeed.
type taken struct {
	RefreshAfterMS int64       `json:"refresh_after_ms"`
	Path           string      `json:"path"`
	Place          string      `json:"place"`
	Status         line.Status `json:"status"` // of the place
	AddressID      string      `json:"address_id"`
}

// call sends a request of the buyer to the program, once there is a slot for it, and counts its answer.
func (b *buyer) call(ctx context.Context, name, method, url, key string, body any) answer {
	select {
	case b.requests <- struct{}{}:
	case <-ctx.Done():
		return answer{}
	}
	defer func() { <-b.requests }()
	if ctx.Err() != nil { // both were ready
		return answer{}
	}
	var c fasthttp.RequestCtx
	c.Init(request(b.token, method, url, key, body), b.address, nil)
	b.d.Handler(&c)
	a := read(&c.Response)
	b.count(name, a.Code)
	return a
}

func request(token, method, url, key string, body any) *fasthttp.Request {
	var r fasthttp.Request
	r.Header.SetMethod(method)
	r.SetRequestURI(url)
	r.Header.SetHost("localhost")
	r.Header.Set(fiber.HeaderAuthorization, "Bearer "+token)
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			panic(err) // the bodies are structs of texts and numbers
		}
		r.Header.SetContentType(fiber.MIMEApplicationJSON)
		r.SetBody(data)
	}
	return &r
}

func read(r *fasthttp.Response) (a answer) {
	a.body = r.Body()
	status := r.StatusCode()
	if status < fiber.StatusBadRequest && json.Unmarshal(a.body, &a.taken) == nil {
		a.Code, a.RefreshAfterMS = success, a.taken.RefreshAfterMS
		return a
	}
	if err := json.Unmarshal(a.body, &a); err != nil || a.Code == "" {
		a.Code = strconv.Itoa(status)
	}
	seconds, err := strconv.Atoi(string(r.Header.Peek(fiber.HeaderRetryAfter)))
	if err == nil && a.RefreshAfterMS == 0 {
		a.RefreshAfterMS = (time.Duration(seconds) * time.Second).Milliseconds()
	}
	return a
}

// addresses is how many addresses a crowd may come from: all of 198.18.0.0/15, which no client on the Internet has
// (RFC 2544).
const addresses = 1 << 17

// addressOf returns the client address of a buyer. The buyers of one crowd, and of crowds that follow each other,
// have different addresses.
func addressOf(crowd, n int) net.Addr {
	const first = 198<<24 | 18<<16
	ip := make(net.IP, net.IPv4len)
	binary.BigEndian.PutUint32(ip, first+uint32((crowd*maxBuyers+n)%addresses)) //nolint:gosec // below 2^32
	return &net.TCPAddr{IP: ip, Port: 1024 + n}
}
