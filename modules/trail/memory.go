package trail

import (
	"hash/maphash"
	"strings"
	"sync"
	"time"

	"onrush/modules/api"
)

const (
	// kept is how long a refusal is remembered.
	kept = 24 * time.Hour
	// perBucket is how many refusals a bucket has. A user's refusals are all in one bucket.
	perBucket = 16
	// perUser is how many of them may be of one user, so that nobody displaces all others.
	perUser = perBucket / 2
	// maxPath bounds the path of a refusal, and its skus, in bytes: a basket may have ten.
	maxPath = 200
	// locks is how many locks the buckets share.
	locks = 256
)

// Refusal is what a user was answered, once or several times alike.
type Refusal struct {
	User   string `json:"user_id"`
	Method string `json:"method"`
	Path   string `json:"path"` // without its query
	Status int    `json:"status"`
	Code   string `json:"code"`
	// Activity and SKU are what the request was about, where a sale refused it.
	Activity string `json:"activity_id,omitempty"`
	SKU      string `json:"sku_id,omitempty"`

	Detail string     `json:"detail,omitempty"`
	Key    string     `json:"idempotency_key,omitempty"`
	Count  int64      `json:"count"`
	First  api.Millis `json:"first_at"`
	Last   api.Millis `json:"last_at"`
	// FirstRequest and LastRequest are the ids of the requests at these times.
	FirstRequest string `json:"first_request_id"`
	LastRequest  string `json:"last_request_id"`
	Instance     string `json:"instance"`
}

// alike reports whether two refusals differ only in their requests.
func (r *Refusal) alike(other *Refusal) bool {
	return r.Code == other.Code && r.Path == other.Path && r.Key == other.Key && r.Method == other.Method &&
		r.Status == other.Status && r.Activity == other.Activity && r.SKU == other.SKU
}

// bucket has the refusals of the users whose hash it has.
type bucket [perBucket]Refusal

// Memory remembers the refusals of an instance. In a full bucket the oldest one is replaced. It is safe for concurrent
// use.
type Memory struct {
	now     func() time.Time
	seed    maphash.Seed
	locks   [locks]sync.Mutex
	buckets []*bucket // nil until one is added
}

// MaxRefusals is how many refusals an instance remembers, about 200 bytes each.
const MaxRefusals = 1 << 17

// NewMemory returns a Memory of about n refusals. now is the time of the sales.
func NewMemory(n int, now func() time.Time) *Memory {
	return &Memory{now: now, seed: maphash.MakeSeed(), buckets: make([]*bucket, (n+perBucket-1)/perBucket)}
}

// of returns the place of a user's bucket, and locks it.
func (m *Memory) of(user string) (at **bucket, locked *sync.Mutex) {
	i := maphash.String(m.seed, user) % uint64(len(m.buckets))
	return m.lock(int(i)) //nolint:gosec // i is below a length
}

func (m *Memory) lock(i int) (at **bucket, locked *sync.Mutex) {
	locked = &m.locks[i%locks]
	locked.Lock()
	return &m.buckets[i], locked
}

// Add remembers one refusal: LastRequest is its request. Count, times and FirstRequest are set here. A refusal that is
// alike an earlier refusal of its user only raises the count of that one. Method, Path, Key,
// Activity and SKU are copied where they are kept.
func (m *Memory) Add(r Refusal) {
	r.Path, r.SKU = r.Path[:min(len(r.Path), maxPath)], r.SKU[:min(len(r.SKU), maxPath)]
	now := api.Millis(m.now().UnixMilli())
	at, locked := m.of(r.User)
	defer locked.Unlock()
	if *at == nil {
		*at = new(bucket)
	}
	place := (*at).placeFor(&r)
	if place.User == r.User && place.alike(&r) {
		place.Count++
		place.Last, place.LastRequest, place.Detail = now, r.LastRequest, r.Detail
		return
	}
	r.Method, r.Path, r.Key = strings.Clone(r.Method), strings.Clone(r.Path), strings.Clone(r.Key)
	r.Activity, r.SKU = strings.Clone(r.Activity), strings.Clone(r.SKU)
	r.Count, r.First, r.Last, r.FirstRequest = 1, now, now, r.LastRequest
	*place = r
}

// placeFor returns the entry for r: an earlier refusal that r is alike or, if there is none, the refusal that r
// replaces. This is the oldest refusal of all, or the oldest of the user if the user has perUser already.
func (b *bucket) placeFor(r *Refusal) *Refusal {
	var oldest, own *Refusal
	mine := 0
	for i := range b {
		old := &b[i]
		if oldest == nil || old.Last < oldest.Last {
			oldest = old
		}
		if old.User != r.User {
			continue
		}
		if old.alike(r) {
			return old
		}
		mine++
		if own == nil || old.Last < own.Last {
			own = old
		}
	}
	if mine >= perUser {
		return own
	}
	return oldest
}

// OfUser returns the refusals of a user.
func (m *Memory) OfUser(user string) []Refusal {
	at, locked := m.of(user)
	defer locked.Unlock()
	return (*at).matching(m.since(), nil, func(r *Refusal) bool { return r.User == user })
}

// maxFound is how many refusals Find returns at most.
const maxFound = 50

// Find returns refusals whose user, Idempotency-Key or request is text. It looks at each refusal of the instance.
func (m *Memory) Find(text string) (found []Refusal) {
	if text == "" {
		return nil
	}
	since := m.since()
	for i := 0; i < len(m.buckets) && len(found) < maxFound; i++ {
		at, locked := m.lock(i)
		found = (*at).matching(since, found, func(r *Refusal) bool {
			return r.User == text || r.Key == text || r.FirstRequest == text || r.LastRequest == text
		})
		locked.Unlock()
	}
	return found[:min(len(found), maxFound)]
}

// Forget forgets the refusals of a user.
func (m *Memory) Forget(user string) {
	at, locked := m.of(user)
	defer locked.Unlock()
	(*at).drop(func(r *Refusal) bool { return r.User == user })
}

// Expire forgets the refusals of more than a day ago.
func (m *Memory) Expire() {
	since := m.since()
	for i := range m.buckets {
		at, locked := m.lock(i)
		if (*at).drop(func(r *Refusal) bool { return r.Last < since }) == perBucket {
			*at = nil
		}
		locked.Unlock()
	}
}

// since is the time of the oldest refusal that is still remembered.
func (m *Memory) since() api.Millis { return api.Millis(m.now().Add(-kept).UnixMilli()) }

// matching appends the refusals that match. A nil bucket is empty.
func (b *bucket) matching(since api.Millis, found []Refusal, match func(*Refusal) bool) []Refusal {
	for i := 0; b != nil && i < perBucket; i++ {
		if r := &b[i]; r.Count > 0 && r.Last >= since && match(r) {
			found = append(found, *r)
		}
	}
	return found
}

// drop empties the places that match, and returns how many places are empty.
func (b *bucket) drop(match func(*Refusal) bool) (empty int) {
	for i := 0; b != nil && i < perBucket; i++ {
		if r := &b[i]; r.Count == 0 || match(r) {
			*r = Refusal{}
			empty++
		}
	}
	return empty
}
