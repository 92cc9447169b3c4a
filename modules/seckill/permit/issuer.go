package permit

import (
	"context"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"

	"onrush/lua"
)

const (
	// maxCopies and maxHolders bound the memory: about 60 bytes for each user who has a permit. A sku with
	// more permits than maxHolders has no copy, and the script decides each request.
	maxCopies  = 200
	maxHolders = 20_000
	// scanEvery is how often the holders of permits are read completely. In between only the new ones are.
	scanEvery = time.Second
	// readWithin bounds one read, for which all callers of the sku wait.
	readWithin = 300 * time.Millisecond
)

// Issuer issues permits. It is safe for concurrent use.
type Issuer struct {
	lua    *lua.Scripts
	clock  *lua.Clock
	now    func() time.Time
	maxAge time.Duration
	within time.Duration
	copies *otter.Cache[sku, *issued]
}

// sku identifies a sku of an activity.
type sku struct{ activity, id string }

// issued is what an instance knows of the permits of one sku.
type issued struct {
	calls calls

	mu sync.Mutex
	// all reports whether all permits were issued at asOf; then holders are the users who had one.
	all     bool
	asOf    time.Time
	holders map[string]struct{} // may have users whose permit has expired or was used; nil if unknown
	scanned time.Time           // when all holders were read
	sinceMS int64               // permits that expire earlier are known
	// scriptUntil is until when the script decides alone, since the permits could not be read.
	scriptUntil time.Time
}

// NewIssuer returns an Issuer whose refusals come from copies at most maxAge old. A call of the script ends after
// within.
func NewIssuer(s *lua.Scripts, clock *lua.Clock, now func() time.Time, maxAge, within time.Duration) *Issuer {
	return &Issuer{
		lua: s, clock: clock, now: now, maxAge: maxAge, within: within,
		copies: otter.Must(&otter.Options[sku, *issued]{MaximumSize: maxCopies}),
	}
}

// Request asks for a permit for a user, valid for a time but not beyond the end of the sale.
type Request struct {
	Lane          int
	Activity, SKU string
	User          string
	Ratio         float64
	For           time.Duration
	EndsMS        int64
}

// Take issues a permit; a user who has an unexpired one gets the same again. Users who ask at the same time share
// a call of the script. If ctx ends before, the error is that of ctx.
func (i *Issuer) Take(ctx context.Context, r Request) (lua.Permit, error) {
	c := i.copy(r)
	if i.refuses(ctx, c, r) {
		return lua.Permit{Code: lua.PermitNone}, nil
	}
	return i.join(ctx, c, r)
}

// NoneLeft reports whether Take would refuse the user from memory. It costs no call of the script.
func (i *Issuer) NoneLeft(ctx context.Context, r Request) bool { return i.refuses(ctx, i.copy(r), r) }

func (i *Issuer) copy(r Request) *issued {
	c, _ := i.copies.ComputeIfAbsent(sku{r.Activity, r.SKU}, func() (*issued, bool) { return &issued{}, false })
	return c
}

// refuses reports whether the script would refuse the user, according to a copy at most maxAge old.
func (i *Issuer) refuses(ctx context.Context, c *issued, r Request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := i.now()
	if !c.all || now.Before(c.scriptUntil) {
		return false
	}
	if now.Sub(c.asOf).Abs() >= i.maxAge {
		if err := i.read(context.WithoutCancel(ctx), c, r, now); err != nil {
			c.all, c.scriptUntil = false, now.Add(scanEvery)
		}
	}
	_, holds := c.holders[r.User]
	return c.all && !holds
}

// read updates a copy, which the caller has locked.
func (i *Issuer) read(ctx context.Context, c *issued, r Request, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	scan := c.holders == nil || now.Sub(c.scanned).Abs() >= scanEvery
	since := c.sinceMS
	if scan {
		since = math.MaxInt64
	}
	got, err := i.lua.ReadPermits(ctx, r.Lane, r.Activity, r.SKU, r.Ratio, since, maxHolders)
	if err != nil {
		return err
	}
	c.asOf, c.all = now, got.AllIssued
	if !c.all {
		return nil
	}
	// A permit that is issued from now on expires then, or later.
	c.sinceMS = min(got.NowMS+r.For.Milliseconds(), r.EndsMS)
	if scan { // after the read, so that it has all permits that were issued before
		if c.holders, err = i.lua.ScanPermits(ctx, r.Lane, r.Activity, r.SKU, maxHolders); err != nil {
			return err
		}
		c.scanned = now
	}
	for _, user := range got.Users {
		c.holders[user] = struct{}{}
	}
	return nil
}

// learn notes the script's answers to users in the copy.
func (c *issued) learn(users []string, permits []lua.Permit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, user := range users {
		switch permits[i].Code {
		case lua.PermitTaken:
			if len(c.holders) >= maxHolders {
				c.holders = nil
			}
			if c.holders != nil {
				c.holders[strings.Clone(user)] = struct{}{}
			}
		case lua.PermitNone:
			if !c.all {
				c.all, c.asOf = true, time.Time{}
			}
		case lua.PermitSoldOut, lua.PermitNotLoaded:
			c.all = false
		}
	}
}
