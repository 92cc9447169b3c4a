package sqldb

import (
	"maps"
	"sync"
	"time"
)

// Busy remembers owners of rows, such as sales, whose rows another transaction has locked for longer than a statement
// waits. A loop over many owners skips these owners for a while, so that one locked row costs the loop a wait now and
// then, and doesn't delay the other owners. The methods of Busy may be called concurrently; a nil Busy remembers
// nothing.
type Busy struct {
	now func() time.Time

	mu     sync.Mutex
	owners map[Owner]busyOwner
}

// Owner names who has rows that may be locked.
type Owner struct {
	Kind string // which rows, for metrics: one of the constants below
	ID   string
}

// Kinds of owners.
const (
	StockRows    = "stock"    // activity_stock, of a sale
	ActivityRow  = "activity" // activities
	SKURows      = "sku"      // the ordinary stock of skus
	OrderRow     = "order"
	PaymentRows  = "payment"
	VoucherPools = "vouchers" // of a sku
)

// StockOf is the owner of the stock rows of a sale.
func StockOf(activity string) Owner { return Owner{StockRows, activity} }

type busyOwner struct {
	until time.Time     // when the next try may begin
	pause time.Duration // before that try
}

const (
	// leastBusy and mostBusy bound the pause before an owner is tried again; it doubles with each try in vain.
	leastBusy, mostBusy = time.Second, 8 * time.Second
	// maxBusy bounds the owners that are remembered. When there are more, all are tried again.
	maxBusy = 10_000
	// forgetAfter is how long an owner counts as busy that nobody tries again.
	forgetAfter = 2 * mostBusy
)

// NewBusy returns a Busy without owners.
func NewBusy(now func() time.Time) *Busy { return &Busy{now: now, owners: map[Owner]busyOwner{}} }

// Skips reports whether rows of an owner were found locked a moment ago.
func (b *Busy) Skips(owner Owner) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	o, known := b.owners[owner]
	if !known {
		return false
	}
	left := o.until.Sub(b.now())
	if left <= 0 || left > o.pause { // more: the clock was set back
		return false
	}
	onBusy.Mark()
	return true
}

// Note takes the outcome of a transaction that changes rows of an owner, and reports whether they were locked.
func (b *Busy) Note(owner Owner, err error) (locked bool) {
	locked = IsLockTimeout(err)
	if b == nil || err != nil && !locked {
		return locked
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !locked {
		delete(b.owners, owner)
		return false
	}
	pause := leastBusy
	if o, known := b.owners[owner]; known {
		pause = min(2*o.pause, mostBusy)
	} else if len(b.owners) >= maxBusy {
		clear(b.owners)
	}
	b.owners[owner] = busyOwner{until: b.now().Add(pause), pause: pause}
	return true
}

// Len returns how many owners were busy when they were last tried.
func (b *Busy) Len() (n int) {
	for _, owners := range b.Counts() {
		n += owners
	}
	return n
}

// Counts returns how many owners were busy when they were last tried, by kind.
func (b *Busy) Counts() map[string]int {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.now().Add(-forgetAfter)
	maps.DeleteFunc(b.owners, func(_ Owner, o busyOwner) bool { return o.until.Before(before) })
	counts := make(map[string]int, 1)
	for owner := range b.owners {
		counts[owner.Kind]++
	}
	return counts
}
