package bench

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/ids"
	"onrush/modules/sign"
	"onrush/test/load"
	"onrush/test/site"
)

// placeMost bounds one load of orders, in seconds; it is the most that a load may have.
const placeMost = 120.0

// pathFor is how long the paths of a benchmark are valid; the program's own are valid for two minutes.
const pathFor = 3 * time.Hour

// paths seals order paths in the form of seckill.path, without a request for each.
type paths struct{ keys sign.Keys }

func newPaths(b *testing.B) paths {
	b.Helper()
	for _, setting := range site.Env() {
		if secret, found := strings.CutPrefix(setting, "ONRUSH_PATH_SECRET="); found {
			return paths{sign.NewKeys("path", sign.Secrets{secret})}
		}
	}
	require.FailNow(b, "the environment has no secret of paths")
	return paths{}
}

// seal returns a path with which the user may order the sku "sku" of an activity.
func (p paths) seal(user, activity string) string { return p.sealSKU(user, activity, "sku") }

func (p paths) sealSKU(user, activity, sku string) string {
	expires := time.Now().Add(pathFor).UnixMilli()
	body := string(binary.BigEndian.AppendUint64(nil, uint64(expires))) + ids.Join(activity, sku)
	sum := p.keys.Sign(user, body)
	return base64.RawURLEncoding.EncodeToString(append([]byte(body), sum[:]...))
}

// attributed is the body of a submit that says where the buyer came from.
const attributed = `{"quantity":1,"room_id":"live-42","share_code":"a1b2c3d4","share_source":"feed",` +
	`"inviter_id":"user-7"}`

// submits returns the submits of buyers number from to from+n−1, each in the activity that in returns for its number.
func (p *program) submits(b *testing.B, from, n int, in func(i int) string) []load.Request {
	b.Helper()
	sealer := newPaths(b)
	requests := make([]load.Request, n)
	for i := range requests {
		user := fmt.Sprintf("buyer-%d", from+i)
		requests[i] = load.Request{
			Method: http.MethodPost, Path: "/api/v1/seckill/" + sealer.seal(user, in(from+i)) + "/submit",
			Token: p.token(b, user), Body: attributed, NewKey: true,
		}
	}
	return requests
}

// always returns an activity for every buyer.
func always(activity string) func(int) string { return func(int) string { return activity } }

// place places n orders with the submits over 64 connections, and returns how many were accepted per second.
func (p *program) place(b *testing.B, submits []load.Request, n int) float64 {
	b.Helper()
	return p.placeAll(b, submits, n).Rate("202")
}

// placeAll places n orders as place does, and returns what the generator saw.
func (p *program) placeAll(b *testing.B, submits []load.Request, n int) load.Result {
	b.Helper()
	r := generate(b, load.Plan{
		Addr: p.addr(), Connections: connections, Seconds: placeMost, Most: int64(n), Requests: submits,
	})[0]
	b.Log(r)
	require.EqualValues(b, n, r.Answers["202"], "%v", r)
	return r
}

// placeAt places n orders as place does, adds what they cost until they were accepted, and waits until SQL has them.
func (p *program) placeAt(b *testing.B, submits []load.Request, n int, cost *used) float64 {
	b.Helper()
	before := p.uses(b)
	speed := p.place(b, submits, n)
	cost.since(before, p.uses(b))
	p.drain(b)
	return speed
}
