package numbers

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order"
)

const (
	// segment is how many positions an instance leases at once.
	segment = 1024
	// skip is how many positions a new master skips: the golden section of all positions.
	skip = 1602203
	// leaseFor is how long an instance uses a lease.
	leaseFor = 30 * time.Second
)

// Deps are what Numbers depend on.
type Deps struct {
	Lua   *lua.Scripts
	Clock *clock.Clock
	// Key returns the key of the site.
	Key func(context.Context) ([32]byte, error)
	// Random chooses where a new sequence starts.
	Random func() uint64
	// Confirm says which replicas of Redis must have a lease.
	Confirm lua.Confirm
}

// Numbers generates order numbers. It is safe for concurrent use.
type Numbers struct {
	deps Deps

	mu    sync.Mutex
	lanes map[int]*lease
}

// lease are the positions that an instance may use in a lane.
type lease struct {
	mu         sync.Mutex
	rounds     rounds
	next, left int64
	end        int64     // of the last lease that the instance had; 0: none
	at         time.Time // when it was asked for
}

// New returns a source of order numbers.
func New(d Deps) *Numbers { return &Numbers{deps: d, lanes: map[int]*lease{}} }

// Next returns an order number of a lane for the current time.
func (n *Numbers) Next(ctx context.Context, lane int) (order.Number, error) {
	l := n.of(lane)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left == 0 || n.deps.Clock.Local().Sub(l.at).Abs() > leaseFor {
		if err := n.lease(ctx, lane, l); err != nil {
			return 0, err
		}
	}
	position := l.next
	l.next++
	l.left--
	return order.NewNumber(n.deps.Clock.Now(), lane, l.rounds.permute(uint32(position&order.SeqMask))), nil
}

// Taken drops the lease that contains a number. Another order has this number, so somebody else may have the same
// lease.
func (n *Numbers) Taken(taken order.Number) {
	l := n.of(taken.Lane())
	l.mu.Lock()
	defer l.mu.Unlock()
	position := int64(l.rounds.invert(uint32(taken & order.SeqMask)))
	if l.left > 0 && (position-(l.end-segment))&order.SeqMask < segment {
		onTaken.Mark()
		l.left = 0
	}
}

func (n *Numbers) of(lane int) *lease {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := n.lanes[lane]
	if l == nil {
		l = &lease{}
		n.lanes[lane] = l
	}
	return l
}

func (n *Numbers) lease(ctx context.Context, lane int, l *lease) error {
	key, err := n.deps.Key(ctx)
	if err != nil {
		return err
	}
	at := n.deps.Clock.Local()
	first, err := n.deps.Lua.LeaseNumbers(ctx, lane, lua.Lease{
		Size: segment, Start: 1 + int64(n.deps.Random()&order.SeqMask), Known: l.end, Skip: skip,
		Confirm: n.deps.Confirm,
	})
	if err != nil {
		return fmt.Errorf("make an order number: %w", err)
	}
	l.rounds, l.next, l.left, l.end, l.at = roundsOf(key), first, segment, first+segment, at
	return nil
}

// rounds are the keys of the rounds of a permutation.
type rounds [4]uint32

func roundsOf(key [32]byte) (r rounds) {
	for i := range r {
		r[i] = binary.BigEndian.Uint32(key[4*i:])
	}
	return r
}

const half, mask = 11, 1<<11 - 1 // of the 22 bits of a position

// permute maps a position of 22 bits one to one, by a Feistel network over two halves.
func (r *rounds) permute(position uint32) uint32 {
	left, right := position>>half&mask, position&mask
	for _, key := range r {
		left, right = right, left^mix(right, key)
	}
	return left<<half | right
}

// invert undoes permute.
func (r *rounds) invert(permuted uint32) uint32 {
	left, right := permuted>>half&mask, permuted&mask
	for i := len(r) - 1; i >= 0; i-- {
		left, right = right^mix(left, r[i]), left
	}
	return left<<half | right
}

func mix(part, key uint32) uint32 {
	mixed := (part + key) * 0x9E3779B1
	mixed ^= mixed >> 15
	mixed *= 0x85EBCA77
	return mixed >> 13 & mask
}
