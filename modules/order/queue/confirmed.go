package queue

import (
	"context"
	"time"
)

// storeAnyway is the age from which an order is stored that too few replicas have. A failover that loses it has
// happened by then, and SQL must not lack the orders of hours because a replica is away.
const storeAnyway = 10 * time.Second

// confirmed returns the part of a batch from an index of the queue on that may be stored, or nil; the rest is tried
// again later. If a failover lost an order that SQL has, its Idempotency-Key would place another one, whose number is
// lost again when it is moved. So SQL gets what the replicas have, and nothing that was read from a master which has
// been replaced meanwhile.
func (m *Mover) confirmed(ctx context.Context, lane, from int, b *batch) (*batch, error) {
	if m.cfg.Confirm.Replicas == 0 {
		return b, nil
	}
	entries := make([]string, len(b.waiting))
	for i := range b.waiting {
		entries[i] = b.waiting[i].entry.Raw
	}
	there, ok, err := m.lua.AwaitReplicas(ctx, lane, m.cfg.Confirm, from, entries)
	if err != nil {
		return nil, err
	}
	if b.waiting = b.waiting[:there]; there == 0 {
		return nil, nil
	}
	if ok {
		return b, nil
	}
	before, old := m.now().Add(-storeAnyway).UnixMilli(), 0
	for old < len(b.waiting) && b.waiting[old].entry.PlacedMS < before {
		old++
	}
	if b.waiting = b.waiting[:old]; old == 0 {
		onUnconfirmed.Mark()
		return nil, nil
	}
	onStoreAnyway.Mark()
	return b, nil
}
