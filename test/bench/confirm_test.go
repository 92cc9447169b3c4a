package bench

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/sqldb"
	"onrush/test/load"
	"onrush/test/site"
)

const (
	confirmBuyers = 10_000 // of one turn
	// What confirming physical goods has to bring of paths, and submits of physical goods of submits of virtual ones.
	leastConfirm, leastPhysical = 0.4, 0.4
)

// BenchmarkPhysical has buyers who each have an address: it compares their confirmations with their requests for a
// path, and their submits of physical goods without a confirmation with submits of virtual goods. Each buyer and
// address is new to the program.
func BenchmarkPhysical(b *testing.B) {
	p := startProgram(b)
	s := physical{program: p, paths: newPaths(b), regionOf: func(int) string { return "north" }}
	stock := map[string]int64{catalogue.DefaultPoint: 1 << 40}
	s.virtual = p.inspector.Open(b, site.Sale{Stock: stock})
	s.activity = p.inspector.Open(b, site.Sale{SKU: "lamp", Kind: catalogue.Physical, Stock: stock})
	b.Run("confirm", func(b *testing.B) {
		var speeds turns
		var confirms, paths used
		for b.Loop() {
			buyers := s.next(b, confirmBuyers)
			speeds.take(
				func() float64 { return s.cost(b, &confirms, buyers, s.confirm) },
				func() float64 { return s.cost(b, &paths, buyers, s.path) },
			)
		}
		sent := float64(len(speeds.ratios) * confirmBuyers)
		confirms.report(b, sent, "confirm-")
		paths.report(b, sent, "path-")
		speeds.report(b, "confirmations/s", "paths/s", leastConfirm)
	})
	b.Run("submit", func(b *testing.B) {
		var speeds turns
		for b.Loop() {
			buyers := s.next(b, confirmBuyers)
			speeds.take(
				func() float64 { return s.send(b, buyers, "202", s.submit) },
				func() float64 { return s.send(b, buyers, "202", s.submitVirtual) },
			)
		}
		speeds.report(b, "orders/s", "virtual-orders/s", leastPhysical)
	})
}

// physical is a program with a sale of physical goods, and one of virtual ones.
type physical struct {
	program           *program
	paths             paths
	activity, virtual string
	regionOf          func(buyer int) string
	buyers            int
}

// next stores an address of each of the next buyers, whose ids it returns.
func (s *physical) next(b *testing.B, n int) []string {
	b.Helper()
	users := make([]string, n)
	rows := make([][]any, 0, n)
	for i := range users {
		s.buyers++
		users[i] = fmt.Sprintf("buyer-%d", s.buyers)
		region := s.regionOf(s.buyers)
		rows = append(rows, []any{addressOf(users[i]), users[i], "Ada", "1", region, "1 Main Street", 1, 0})
	}
	ctx := context.WithoutCancel(b.Context())
	for from := 0; from < len(rows); from += 500 {
		part := rows[from : from+500]
		query := `INSERT INTO addresses (address_id, user_id, receiver, phone, region, detail, is_default, created_ms)
			VALUES `
		var args []any
		for i, row := range part {
			if i > 0 {
				query += ", "
			}
			query += "(" + sqldb.In(len(row)) + ")"
			args = append(args, row...)
		}
		_, err := s.program.stores.DB.Write.ExecContext(ctx, query, args...)
		require.NoError(b, err)
	}
	return users
}

func addressOf(user string) string { return "of-" + user }

// send sends one request of each buyer, and returns how many were answered per second.
func (s *physical) send(
	b *testing.B, users []string, answer string, request func(b *testing.B, user string) load.Request,
) float64 {
	b.Helper()
	plan := load.Plan{
		Addr: s.program.addr(), Connections: connections, Seconds: placeMost, Most: int64(len(users)),
	}
	for _, user := range users {
		r := request(b, user)
		r.Token = s.program.token(b, user)
		plan.Requests = append(plan.Requests, r)
	}
	began := time.Now()
	r := generate(b, plan)[0]
	b.Log(r, time.Since(began))
	require.EqualValues(b, len(users), r.Answers[answer], "%v", r)
	s.program.drain(b)
	return r.Rate(answer)
}

// cost is send for requests that are answered with 200, and adds what they cost.
func (s *physical) cost(
	b *testing.B, cost *used, users []string, request func(b *testing.B, user string) load.Request,
) float64 {
	b.Helper()
	before := s.program.uses(b)
	speed := s.send(b, users, "200", request)
	cost.since(before, s.program.uses(b))
	return speed
}

func (s *physical) to(user, call, body string) load.Request {
	path := s.paths.sealSKU(user, s.activity, "lamp")
	return load.Request{
		Method: http.MethodPost, Path: "/api/v1/seckill/" + path + "/" + call,
		Body: fmt.Sprintf(body, addressOf(user)), NewKey: call == "submit",
	}
}

func (s *physical) confirm(_ *testing.B, user string) load.Request {
	return s.to(user, "confirm", `{"quantity":1,"delivery":"express","address_id":"%s"}`)
}

func (s *physical) submit(_ *testing.B, user string) load.Request {
	return s.to(user, "submit", `{"quantity":1,"delivery":"express","address_id":"%s","room_id":"live-42"}`)
}

func (s *physical) path(*testing.B, string) load.Request {
	r := pathOf(s.activity)("")
	r.Body = `{"activity_id":"` + s.activity + `","sku_id":"lamp"}`
	return r
}

func (s *physical) submitVirtual(_ *testing.B, user string) load.Request {
	return load.Request{
		Method: http.MethodPost, Path: "/api/v1/seckill/" + s.paths.seal(user, s.virtual) + "/submit",
		Body: attributed, NewKey: true,
	}
}
