package permit

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"onrush/lua"
	"onrush/modules/aged"
	"onrush/modules/bounded"
	"onrush/modules/clock"
	"onrush/modules/gather"
)

const (
	// maxCopies and maxHolders bound the memory: about 60 bytes for each user who has a permit. A sku with
	// more permits than maxHolders has no copy, and the script decides each request.
	maxCopies  = 200
	maxHolders = 20_000
	// scanEvery is how often the holders of permits are read completely. In between only the new ones are.
	scanEvery = time.Second
	// scanWithin bounds a complete read, for which nobody waits.
	scanWithin = 5 * time.Second
	// readWithin bounds one read, for which all callers of the sku wait.
	readWithin = 300 * time.Millisecond
)

// Issuer issues permits; take_permit.lua decides how many are out at once. It is safe for concurrent use.
type Issuer struct {
	lua    *lua.Scripts
	clock  *clock.Clock
	maxAge time.Duration
	within time.Duration
	reads  aged.Config
	copies *bounded.Map[sku, *issued]
	calls  *gather.Group[*issued, Request, lua.Permit]
}

// sku identifies a sku of an activity.
type sku struct{ activity, id string }

// issued is what an instance knows of the permits of one sku.
type issued struct {
	// all is whether all permits are issued. Its reads add the users who got one since the last read to the holders.
	all aged.Copy[bool]

	mu sync.Mutex
	// asks is set while all permits may be issued, so that reading is worthwhile.
	asks    bool
	holders holders
}

// NewIssuer returns an Issuer whose refusals come from copies at most maxAge old. A call of the script ends after
// within.
func NewIssuer(s *lua.Scripts, clock *clock.Clock, now func() time.Time, maxAge, within time.Duration) *Issuer {
	i := &Issuer{
		lua: s, clock: clock, maxAge: maxAge, within: within,
		reads:  aged.Config{What: "permits that are issued", Now: now, Within: readWithin, Pause: scanEvery},
		copies: bounded.New[sku, *issued](maxCopies),
	}
	i.calls = gather.New(gather.Config[*issued, Request, lua.Permit]{Call: i.call, MaxCall: maxBatch})
	return i
}

// Request asks for a permit for a user, valid for a time but not beyond the end of the sale.
type Request struct {
	Lane          int
	Activity, SKU string
	User          string
	LimitKey      string // under which the user's purchases are counted; "": the user
	Ratio         float64
	For           time.Duration
	EndsMS        int64
}

// Take issues a permit; a user who has an unexpired one gets the same again. Users who ask at the same time share
// a call of the script. If ctx ends before the script answers, the error wraps ctx's; the user may have got a permit,
// which a retry returns.
func (i *Issuer) Take(ctx context.Context, r Request) (lua.Permit, error) {
	return i.calls.Do(ctx, i.copy(r), r)
}

// NoneLeft reports whether Take would refuse the user. It takes no permit; at most it joins a shared read.
func (i *Issuer) NoneLeft(ctx context.Context, r Request) bool { return i.refuses(ctx, i.copy(r), r) }

func (i *Issuer) copy(r Request) *issued {
	return i.copies.GetOrMake(sku{r.Activity, r.SKU}, func() *issued { return &issued{} })
}

// refuses reports whether the script would refuse the user, according to a copy at most maxAge old. While the permits
// can't be read, the script decides.
func (i *Issuer) refuses(ctx context.Context, c *issued, r Request) bool {
	if !c.worthAsking(i.reads.Now()) {
		return false
	}
	all, err := c.all.Get(ctx, &i.reads, i.maxAge, func(ctx context.Context) (bool, error) { return i.read(ctx, c, r) })
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && ctx.Err() == nil {
		c.asks = false
	}
	return err == nil && all && c.asks && c.holders.lack(r.User)
}

// worthAsking reports whether a read could tell that the script refuses a user.
func (c *issued) worthAsking(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asks && (c.holders.known() || c.holders.due(now))
}

// read reads whether all permits are issued, and adds the users who got one since the last read to the holders.
func (i *Issuer) read(ctx context.Context, c *issued, r Request) (all bool, err error) {
	now := i.reads.Now()
	c.mu.Lock()
	sinceMS := c.holders.since()
	c.mu.Unlock()
	got, err := i.lua.ReadPermits(ctx, r.Lane, r.Activity, r.SKU, r.Ratio, sinceMS, maxHolders)
	if err != nil {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asks = got.AllIssued; !c.asks {
		return false, nil
	}
	// A permit that is issued from now on expires then, or later, disregarding the end of the sale.
	c.holders.sinceMS = got.NowMS + r.For.Milliseconds()
	c.holders.add(got.Users)
	if c.holders.due(now) { // after the read, so that the scan has all permits that were issued before it
		c.holders.begin(now)
		go i.scan(context.WithoutCancel(ctx), c, r)
	}
	return true, nil
}

// scan reads the holders of permits completely.
func (i *Issuer) scan(ctx context.Context, c *issued, r Request) {
	ctx, cancel := context.WithTimeout(ctx, scanWithin)
	defer cancel()
	users, err := i.lua.ScanPermits(ctx, r.Lane, r.Activity, r.SKU, maxHolders)
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(err, lua.ErrManyPermits) {
		c.holders.forget()
		return
	}
	c.holders.end(users)
}

// learn takes the script's answers to users into the copy.
func (c *issued) learn(users []string, permits []lua.Permit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, user := range users {
		switch permits[i].Code {
		case lua.PermitTaken:
			c.holders.add([]string{strings.Clone(user)})
		case lua.PermitNone:
			if !c.asks {
				c.asks = true
				c.all.Forget()
			}
		case lua.PermitOverActivityLimit, lua.PermitOverSKULimit:
		case lua.PermitSoldOut, lua.PermitNotLoaded:
			c.asks = false
		}
	}
}
