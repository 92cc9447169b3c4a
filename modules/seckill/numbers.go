package seckill

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order"
)

// segment is how many sequence numbers an instance leases at once.
const segment = 1024

// Numbers generates order numbers without a round trip per order: an instance leases segments of a lane's
// sequence from Redis, and permutes them so that order numbers don't reveal how much was sold.
type Numbers struct {
	lua    *lua.Scripts
	clock  *clock.Clock
	random func() uint64
	round  [4]uint32 // keys of the permutation's rounds

	mu    sync.Mutex
	lanes map[int]*lease
}

type lease struct {
	mu         sync.Mutex
	next, left int64
}

// NewNumbers returns a source of order numbers. All instances need the same secret, so that they permute a
// sequence in the same way; random chooses where a new sequence starts.
func NewNumbers(s *lua.Scripts, clock *clock.Clock, secret []byte, random func() uint64) *Numbers {
	n := &Numbers{lua: s, clock: clock, random: random, lanes: map[int]*lease{}}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("order number"))
	sum := mac.Sum(nil)
	for i := range n.round {
		n.round[i] = binary.BigEndian.Uint32(sum[4*i:])
	}
	return n
}

// Next returns an order number of a lane for the current time.
func (n *Numbers) Next(ctx context.Context, lane int) (order.Number, error) {
	n.mu.Lock()
	l := n.lanes[lane]
	if l == nil {
		l = &lease{}
		n.lanes[lane] = l
	}
	n.mu.Unlock()

	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left == 0 {
		start := int64(n.random() & order.SeqMask)
		first, err := n.lua.LeaseSeq(ctx, lane, segment, start)
		if err != nil {
			return 0, fmt.Errorf("lease order numbers of lane %d: %w", lane, err)
		}
		l.next, l.left = first, segment
	}
	seq := l.next
	l.next++
	l.left--
	return order.NewNumber(n.clock.Now(), lane, n.permute(uint32(seq&order.SeqMask))), nil
}

// permute maps a sequence number of 22 bits one to one, by a Feistel network over two halves of 11 bits.
func (n *Numbers) permute(seq uint32) uint32 {
	const half, mask = 11, 1<<11 - 1
	left, right := seq>>half&mask, seq&mask
	for _, key := range n.round {
		mixed := (right + key) * 0x9E3779B1
		mixed ^= mixed >> 15
		mixed *= 0x85EBCA77
		left, right = right, left^(mixed>>13&mask)
	}
	return left<<half | right
}
