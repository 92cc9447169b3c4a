package events

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/sign"
)

const (
	// ticketFor is how long a ticket is valid.
	ticketFor = time.Minute
	// ticketNonce is how many random bytes a ticket has.
	ticketNonce = 16
	// spentFor is for how much longer than a ticket its use is remembered, in case the clock is set back.
	spentFor = time.Minute
	// ticketHead is the length of what stands before the user in a ticket: the end and the nonce.
	ticketHead = 8 + ticketNonce
)

// spender remembers which tickets were used, for all instances.
type spender interface {
	// SpendTicket marks a ticket as used for ttl, and reports whether it was unused.
	SpendTicket(ctx context.Context, nonce string, ttl time.Duration) (unused bool, err error)
}

// Tickets lets a client open one stream of a user without a token. They are signed, so nothing is stored until one is
// used.
type Tickets struct {
	keys   sign.Keys
	spent  spender
	now    func() time.Time
	random io.Reader
}

// NewTickets returns Tickets that are signed with secrets. random must be unpredictable and safe for concurrent use.
func NewTickets(secrets sign.Secrets, spent spender, now func() time.Time, random io.Reader) *Tickets {
	return &Tickets{keys: sign.NewKeys("events_ticket", secrets), spent: spent, now: now, random: random}
}

// Ticket opens one stream until ExpiresAt.
type Ticket struct {
	Ticket    string     `json:"ticket"`
	ExpiresAt api.Millis `json:"expires_at"`
}

// Issue returns a new ticket of a user. It needs no store.
func (t *Tickets) Issue(user string) (Ticket, error) {
	ends := t.now().Add(ticketFor).UnixMilli()
	var head [ticketHead]byte
	binary.BigEndian.PutUint64(head[:8], uint64(ends))
	if _, err := io.ReadFull(t.random, head[8:]); err != nil {
		return Ticket{}, fmt.Errorf("read random bytes: %w", err)
	}
	body := string(head[:]) + user
	signature := t.keys.Sign(body)
	text := base64.RawURLEncoding.EncodeToString(append(signature[:], body...))
	return Ticket{Ticket: text, ExpiresAt: api.Millis(ends)}, nil
}

// maxTicket bounds the text of a ticket: a user has at most 64 characters.
const maxTicket = 512

var errTicket = problem.Errorf(problem.CodeUnauthorized, "The ticket is not valid, or no longer; ask for another one.")

// Check returns the user of a ticket, without a store. It doesn't know whether the ticket was used.
func (t *Tickets) Check(text string) (user string, err error) {
	body, err := t.open(text)
	if err != nil {
		return "", err
	}
	return string(body[ticketHead:]), nil
}

// Spend uses a ticket up. Its second use is unauthorized; while Redis is unavailable, so is the first.
func (t *Tickets) Spend(ctx context.Context, text string) error {
	body, err := t.open(text)
	if err != nil {
		return err
	}
	left := time.UnixMilli(endOf(body)).Sub(t.now())
	unused, err := t.spent.SpendTicket(ctx, hex.EncodeToString(body[8:ticketHead]), left+spentFor)
	switch {
	case err != nil:
		return problem.Unavailable(err, "Tickets can't be used right now.")
	case !unused:
		return problem.Errorf(problem.CodeUnauthorized, "The ticket was used; ask for another one.")
	}
	return nil
}

// open checks the signature and the end of a ticket.
func (t *Tickets) open(text string) (body []byte, err error) {
	if len(text) > maxTicket {
		return nil, errTicket
	}
	data, err := sign.Decode(text)
	if err != nil || len(data) <= sign.Size+ticketHead {
		return nil, errTicket
	}
	signature, body := data[:sign.Size], data[sign.Size:]
	if !t.keys.Accepts(signature, string(body)) || t.now().UnixMilli() >= endOf(body) {
		return nil, errTicket
	}
	return body, nil
}

// endOf returns when a ticket ends, in UTC milliseconds.
func endOf(body []byte) int64 {
	return int64(binary.BigEndian.Uint64(body[:8])) //nolint:gosec // as Issue wrote it
}
