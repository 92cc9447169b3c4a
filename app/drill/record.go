package drill

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"onrush/app/buyer"
	"onrush/web/client"
)

// attempt is one order that a visitor submitted under one Idempotency-Key.
type attempt struct {
	sale    *sale
	shopper *shopper
	key     string
	goods   buyer.Goods
	path    string
	body    client.SubmitRequest
	sent    client.SubmitRequest // the body of its last submit, which may have a confirmation
	then    Then
	submit  Submit
	code    string // the last answer's; "" while none has come
	refused string // the code of the last answer to a request for a path or to a submit
	task    string
	order   string   // number from its first acceptance
	others  []string // other numbers that the same key was answered with
	outcome string   // of the task: SUCCESS or FAILED
	reason  string   // of a task that FAILED
	held    bool     // an operator ordered it of units set aside, so that it has no path and no task
	quoted  *int64   // the total of its confirmation; nil without one

	paid, cancelled time.Time // when the buyer was told so; guarded by the record's mutex
}

// unknown reports whether the order may have been accepted.
func (a *attempt) unknown() bool { return a.order == "" && (a.code == "" || buyer.Passes(a.code)) }

// payment is a payment that a visitor began.
type payment struct {
	shopper *shopper
	number  string
	orders  []string
	page    string // the path and query of its page in the sandbox
	acts    []string
}

// record is what visitors saw and did.
type record struct {
	mu        sync.Mutex
	attempts  []*attempt
	payments  []*payment
	stored    []storedAddress
	counts    map[string]int    // what was exercised, by name
	owners    map[string]string // user by order number
	wishes    []*wished         // mu guards these entries, too
	entrants  []*entrant        // likewise
	asides    []*aside          // likewise
	promised  string            // the hash of the draw's seed as it was shown first
	excluded  []string          // users on the list of the sale who were told that they are not
	strangers int               // visitors who were told that they are not on the list, and are not
	refunds   []client.Refund   // that operators asked for; Amount is 0 for what was left
	problems  *verdicts
	history   *json.Encoder
	unwritten error // of the history, whose later lines are left out
	began     time.Time
}

func newRecord(history io.Writer, began time.Time) *record {
	r := &record{counts: map[string]int{}, owners: map[string]string{}, problems: newVerdicts(), began: began}
	if history != nil {
		r.history = json.NewEncoder(history)
	}
	return r
}

// count counts that something was exercised.
func (r *record) count(name string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[name] += n
}

// problem notes what a visitor saw that breaks a guarantee.
func (r *record) problem(check, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems.problem(check, format, args...)
}

// seen returns verdicts with what visitors saw.
func (r *record) seen() *verdicts {
	v := newVerdicts()
	r.mu.Lock()
	defer r.mu.Unlock()
	for check, problems := range r.problems.problems {
		v.problems[check] = slices.Clip(problems) // v adds others to a copy
	}
	maps.Copy(v.more, r.problems.more)
	return v
}

// line is a line of the history.
type line struct {
	MS      int64  `json:"ms"` // since the start of the drill
	User    string `json:"user"`
	Call    string `json:"call"`
	Code    string `json:"code"`
	Status  int    `json:"status,omitempty"`
	TookMS  int64  `json:"took_ms,omitempty"`
	Key     string `json:"key,omitempty"`
	Order   string `json:"order,omitempty"`
	Payment string `json:"payment,omitempty"`
}

// write adds a line to the history.
func (r *record) write(l line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.history != nil && r.unwritten == nil {
		l.MS = time.Since(r.began).Milliseconds()
		r.unwritten = r.history.Encode(l) // the drill goes on without it
	}
}

func (r *record) addAttempt(a *attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attempts = append(r.attempts, a)
	a.shopper.attempts = append(a.shopper.attempts, a)
}

func (r *record) hasAttempts(s *shopper) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(s.attempts) > 0
}

func (r *record) addPayment(p *payment) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.payments = append(r.payments, p)
}

func (r *record) addWish(w *wished) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wishes = append(r.wishes, w)
}

// listedAfter is how long after its start a sale surely knows the buyers on its list.
const listedAfter = 5 * time.Second

// notEligible notes that a visitor was told that the sale is for others.
func (r *record) notEligible(s *shopper) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if isOutsider(s.plan) {
		r.strangers++
	} else if time.Since(s.sale.StartsAt) > listedAfter {
		r.excluded = append(r.excluded, s.Name)
	}
}

// offers returns how many visitors were offered units, and how many were refused since they are not on the list.
func (r *record) offers() (n, strangers int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.wishes {
		if w.State == offered {
			n++
		}
	}
	return n, r.strangers
}

// addRefund notes that an operator was told the number of a refund.
func (r *record) addRefund(told client.Refund) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refunds = append(r.refunds, told)
}

// note notes that something was taken now.
func (r *record) note(taken *time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*taken = time.Now()
}

// answered notes an answer to a submit.
func (r *record) answered(a *attempt, got buyer.Answer) {
	var submitted client.Submitted
	_ = json.Unmarshal(got.Body, &submitted) // a problem may have the task, too
	first := false
	r.mu.Lock()
	if submitted.TaskID != "" {
		a.task = submitted.TaskID
	}
	if got.Code == buyer.OK {
		switch {
		case a.order == "":
			a.order, first = submitted.OrderNumber, true
			r.owners[a.order] = a.shopper.Name
		case a.order != submitted.OrderNumber:
			a.others = append(a.others, submitted.OrderNumber)
		}
	}
	if got.Code != "" && (a.code != buyer.OK) {
		a.code = got.Code
	}
	r.mu.Unlock()
	if first {
		a.shopper.run.meter.Accept()
	}
	r.write(line{User: a.shopper.Name, Call: "order", Code: got.Code, Key: a.key, Order: submitted.OrderNumber})
}

// acceptedOf returns the numbers of a user's accepted orders, and whether the outcome of another is unknown.
func (r *record) acceptedOf(s *shopper) (numbers []string, unknown bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range s.attempts {
		if a.order != "" {
			numbers = append(numbers, a.order)
		}
		unknown = unknown || a.unknown()
	}
	return numbers, unknown
}

// accepted returns how many orders were accepted.
func (r *record) accepted() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.owners)
}

// othersOf returns which orders of a list are known to be of other users.
func (r *record) othersOf(user string, numbers []string) (others []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, number := range numbers {
		if owner, known := r.owners[number]; known && owner != user {
			others = append(others, number)
		}
	}
	return others
}

// storedAddress is an address that a visitor stored.
type storedAddress struct {
	shopper *shopper
	id      string
}

func (r *record) addAddress(s *shopper, got buyer.Answer) {
	var a client.Address
	if !got.Read(&a) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stored = append(r.stored, storedAddress{s, a.AddressID})
}

// all returns what was recorded so far.
func (r *record) all() (attempts []*attempt, payments []*payment, counts map[string]int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.attempts), slices.Clone(r.payments), maps.Clone(r.counts)
}
