package e2e

import (
	"fmt"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/modules/seckill/gates/human"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// rotation are two instances whose secrets change one instance after the other while a crowd buys at both.
type rotation struct {
	stores    *kit.Stores
	instances [2]atomic.Pointer[site.Site]
	settings  [2]map[string]string

	mu       sync.Mutex
	accepted map[string]map[string]string // by buyer and key: the order
	refused  map[string]int               // by code
}

func newRotation(stores *kit.Stores) *rotation {
	return &rotation{stores: stores, accepted: map[string]map[string]string{}, refused: map[string]int{}}
}

// walk takes an instance to a step, and requires that both then accept whatever the other one signs.
func (r *rotation) walk(t *testing.T, i int, settings map[string]string, guarded, name string) {
	t.Helper()
	r.restart(t, i, settings)
	for by := range 2 {
		exchange(t, r.instances[by].Load(), r.instances[1-by].Load(), r.settings[by]["ONRUSH_SANDBOX_SECRET"], guarded,
			fmt.Sprint(by, " signs, ", name))
	}
}

// restart replaces an instance by one with other settings.
func (r *rotation) restart(t *testing.T, i int, settings map[string]string) *site.Site {
	t.Helper()
	if old := r.instances[i].Load(); old != nil {
		old.Stop(t)
	}
	r.settings[i] = settings
	s := site.Start(t, r.stores, site.Configured(func(cfg *server.Config) {
		cfg.Limits.Mode, cfg.PowDifficulty = "off", 1_000
		for name, value := range settings {
			require.True(t, set(cfg, name, value), "%s is no setting", name)
		}
	}))
	r.instances[i].Store(s)
	return s
}

// set sets a field of cfg by the name of its environment variable.
func set(cfg *server.Config, name, value string) bool {
	fields := reflect.ValueOf(cfg).Elem()
	for i := range fields.NumField() {
		if fields.Type().Field(i).Tag.Get("env") == name {
			fields.Field(i).SetString(value)
			return true
		}
	}
	return false
}

// ask calls an instance as a client does behind a balancer: if the instance is being replaced, it asks the other one.
func (r *rotation) ask(user *site.Person, i int, method, path, key string, body any) (a site.Answer) {
	for range 200 {
		a = user.At(r.instances[i%2].Load()).Ask(method, path, key, body)
		switch {
		case a.Status == 0:
			i++
		case a.Status != http.StatusServiceUnavailable:
			return a
		}
	}
	return a
}

// buy takes a path at each instance, submits with each path at the other one and then where it was taken, all with one
// key, and reads the task at both.
func (r *rotation) buy(user *site.Person, sale, key string, i int) {
	for n := range 4 {
		path := r.ask(user, i+n/2, http.MethodPost, "/api/v1/seckill/path", "",
			client.PathRequest{ActivityID: sale, SKUID: "sku"})
		if !r.expect(path, http.StatusOK) {
			continue
		}
		placed := r.ask(user, i+1+n/2+n, http.MethodPost,
			"/api/v1/seckill/"+parsed[client.Path](path).Path+"/submit", key, one)
		if !r.expect(placed, http.StatusAccepted) {
			continue
		}
		made := parsed[client.Submitted](placed)
		r.note(user.Name, key, made.OrderNumber)
		for at := range 2 {
			task := r.ask(user, i+at, http.MethodGet, "/api/v1/seckill/tasks/"+made.TaskID, "", nil)
			if r.expect(task, http.StatusOK) {
				r.note(user.Name, key, parsed[client.Task](task).OrderNumber)
			}
		}
	}
}

// expect counts an answer with another status as a refusal.
func (r *rotation) expect(a site.Answer, status int) bool {
	if a.Status == status {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused[fmt.Sprint(a.Status, " ", a.Code())]++
	return false
}

// note notes the order of a key; a second one counts as a refusal that no test allows.
func (r *rotation) note(user, key, number string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.accepted[user] == nil {
		r.accepted[user] = map[string]string{}
	}
	if had := r.accepted[user][key]; had != "" && had != number {
		r.refused["two orders of one key"]++
	}
	r.accepted[user][key] = number
}

// crowd lets buyers order until end is called. Their tokens come from the first instance.
func (r *rotation) crowd(t *testing.T, sale, name string) (end func()) {
	t.Helper()
	stop := make(chan struct{})
	var all sync.WaitGroup
	for b := range 4 {
		user := r.instances[0].Load().Buyer(t, fmt.Sprint(name, "-", b))
		all.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				r.buy(user, sale, fmt.Sprint("key-", n), b+n)
			}
		})
	}
	return func() {
		close(stop)
		all.Wait()
	}
}

// orders returns how many keys have an order.
func (r *rotation) orders() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, keys := range r.accepted {
		n += len(keys)
	}
	return n
}

// requireEachOrderOnce requires that the sale has exactly the orders that were accepted, that each is in its buyer's
// list, and that the units add up.
func (r *rotation) requireEachOrderOnce(t *testing.T, sale string) {
	t.Helper()
	at := r.instances[0].Load()
	at.Drain(t)
	want := map[string]string{}
	for user, keys := range r.accepted {
		for key, number := range keys {
			assert.Empty(t, want[number], "%s of %s", key, user)
			want[number] = user
		}
	}
	require.NotEmpty(t, want)
	assert.Equal(t, want, ownersInSQL(t, r.stores, sale))
	assert.Zero(t, r.refused["two orders of one key"])
	assert.Empty(t, at.Operator(t).ListDead(t))
	require.Eventually(t, func() bool { return at.Audit(t, sale) == "" }, eventually, 20*time.Millisecond)
	t.Logf("%d orders; refused: %v", len(want), r.refused)
}

// page has the value of a secret in each step of a change, as the page for operators writes it for PATH, and the
// secrets that change so.
type page struct {
	secrets []string
	steps   []string // with <old> and <new>
}

func readPage(t *testing.T) (p page) {
	t.Helper()
	text, err := os.ReadFile("../../docs/operating/secrets.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## Change a secret\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	steps, _, _ := strings.Cut(section, "\nOther secrets")
	for _, row := range regexp.MustCompile("(?m)^\\| `(ONRUSH_[A-Z_]+)` \\|").FindAllStringSubmatch(steps, -1) {
		p.secrets = append(p.secrets, row[1])
	}
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(steps, -1) {
		name, value, _ := strings.Cut(strings.TrimSpace(block[1]), "=")
		require.Equal(t, "ONRUSH_PATH_SECRET", name)
		p.steps = append(p.steps, strings.Trim(value, `"`))
	}
	require.Len(t, p.secrets, 3, "a secret that isn't changed in steps")
	require.Len(t, p.steps, 3)
	return p
}

// secretOf returns the nth secret for a setting.
func secretOf(name string, n int) string {
	if strings.Contains(name, "SANDBOX") {
		return fmt.Sprintf("whsec_%s%dA==", strings.Repeat("c2Vj", 10), n)
	}
	return fmt.Sprintf("%s-of-more-than-32-bytes-%d", name, n)
}

// step returns the settings of a step, 1 to 3, of the nth change; step 0 is before it.
func (p page) step(step, n int) map[string]string {
	settings := map[string]string{}
	for _, secret := range p.secrets {
		if step == 0 {
			settings[secret] = secretOf(secret, n)
			continue
		}
		both := strings.NewReplacer("<old>", secretOf(secret, n), "<new>", secretOf(secret, n+1))
		settings[secret] = both.Replace(p.steps[step-1])
	}
	return settings
}

// keepsake is what an instance gave somebody, and everybody accepts until the last step.
type keepsake struct {
	when         string
	buyer, ops   *site.Person
	submit, task string
	number, sale string
	draft        client.ActivityRequest
}

func keep(t *testing.T, by *site.Site, sale, when string) *keepsake {
	t.Helper()
	k := &keepsake{when: when, buyer: by.Buyer(t, "keeps "+when), ops: by.Operator(t), draft: draft(when)}
	k.submit = "/api/v1/seckill/" + k.buyer.Path(t, sale, "sku") + "/submit"
	placed := k.buyer.Insist(http.MethodPost, k.submit, "kept", one).Placed(t)
	k.task, k.number = placed.TaskID, placed.OrderNumber
	k.sale = site.Read[client.AdminActivity](t, http.StatusCreated, k.create(by)).ActivityID
	return k
}

func draft(title string) client.ActivityRequest {
	return client.ActivityRequest{
		Title: title, ShopID: "shop", StartsAt: time.UnixMilli(4e12), EndsAt: time.UnixMilli(5e12), PayWithinS: 900,
		Skus: []client.ActivityRequestSKU{{
			SKUID: "sku", FlashPrice: 1, Stock: []client.PointStock{{PointID: "0", Quantity: 1}},
		}},
	}
}

func (k *keepsake) create(at *site.Site) site.Answer {
	return k.ops.At(at).
		Insist(http.MethodPost, admin+"/activities", "draft-"+strings.ReplaceAll(k.when, " ", "-"), k.draft)
}

func (k *keepsake) require(t *testing.T, at *site.Site, now string) {
	t.Helper()
	said := k.when + ", asked for: " + now
	again := k.buyer.At(at).Insist(http.MethodPost, k.submit, "kept", one)
	require.Equal(t, http.StatusAccepted, again.Status, "%s: %s", said, again.Body)
	assert.Equal(t, k.number, again.Placed(t).OrderNumber, said)
	task := k.buyer.At(at).Insist(http.MethodGet, "/api/v1/seckill/tasks/"+k.task, "", nil)
	require.Equal(t, http.StatusOK, task.Status, "%s: %s", said, task.Body)
	assert.Equal(t, k.number, parsed[client.Task](task).OrderNumber, said)
	draft := k.create(at)
	require.Equal(t, http.StatusCreated, draft.Status, "%s: %s", said, draft.Body)
	assert.Equal(t, k.sale, parsed[client.AdminActivity](draft).ActivityID, said)
}

// exchange requires that an instance accepts all that the other one signs or encrypts: a token, a place, a challenge, a
// path, a confirmation, a task, a ticket, an answer of an Idempotency-Key, a link and a notification of the sandbox.
func exchange(t *testing.T, by, at *site.Site, sandboxSecret, guarded, name string) {
	t.Helper()
	buyer := by.Buyer(t, name)
	there := buyer.At(at)
	place := join(t, buyer, guarded)
	awaitAdmission(t, there, place.Place)
	challenge := site.Read[client.Challenge](t, http.StatusOK,
		buyer.Insist(http.MethodGet, "/api/v1/seckill/challenge?activity_id="+guarded, "", nil))
	opened := there.Insist(http.MethodPost, "/api/v1/seckill/path", "", client.PathRequest{
		ActivityID: guarded, SKUID: "lamp", Place: place.Place, HumanCheck: solve(t, challenge),
	})
	must(t, http.StatusOK, opened)
	path := pathOf(opened)
	confirmed := site.Read[client.Confirmation](t, http.StatusOK,
		buyer.Insist(http.MethodPost, "/api/v1/seckill/"+path+"/confirm", "", client.ConfirmRequest{Quantity: 1}))
	body := client.SubmitRequest{Quantity: 1, Confirmation: confirmed.Confirmation}
	placed := there.InsistOn(path, "k", body).Placed(t)
	assert.Equal(t, placed.OrderNumber, buyer.InsistOn(path, "k", body).Placed(t).OrderNumber, name)
	assert.Equal(t, placed.OrderNumber, buyer.GetTask(t, placed.TaskID).OrderNumber, name)

	ticket := site.Read[client.EventsTicket](t, http.StatusOK,
		buyer.Insist(http.MethodPost, "/api/v1/me/events/ticket", "", nil))
	require.NoError(t, at.Stranger().Open(t, "/api/v1/me/events?ticket="+ticket.Ticket).Body.Close())

	payment := buyer.BeginPayment(t, "pay", placed.OrderNumber)
	page := strings.TrimPrefix(payment.Next.RedirectURL, "http://127.0.0.1:1") // site.Start's public URL
	must(t, http.StatusOK, at.Stranger().Insist(http.MethodGet, page, "", nil))
	notified, err := at.Notify(t.Context(), site.Payment{
		Number: payment.PayNumber, Transaction: "t" + payment.PayNumber, Amount: payment.Amount,
		Currency: payment.Currency, Secret: sandboxSecret,
	})
	require.NoError(t, err)
	must(t, http.StatusOK, notified)
}

// TestSecretsChangeInTheStepsOfThePageWithoutARefusal walks the steps of the page instance by instance, takes one of
// them back on the way, and then walks them once more, while a crowd buys at both instances.
func TestSecretsChangeInTheStepsOfThePageWithoutARefusal(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		p := readPage(t)
		r := newRotation(stores)
		first := r.restart(t, 0, p.step(0, 0))
		r.restart(t, 1, p.step(0, 0))
		sale := first.Open(t, site.Sale{Stock: map[string]int64{"0": 1_000_000}})
		kept := first.Open(t, site.Sale{Stock: map[string]int64{"0": 1_000}})
		guarded := first.Open(t, site.Sale{SKU: "lamp", HumanCheck: human.ProofOfWork, PathsPerSecond: 1000})
		for change, steps := range [][][2]int{ // each an instance and its step
			{{0, 1}, {1, 1}, {0, 2}, {0, 1}, {0, 2}, {1, 2}},
			{{1, 1}, {0, 1}, {1, 2}, {0, 2}},
		} {
			end := r.crowd(t, sale, fmt.Sprint("early-", change))
			things := []*keepsake{keep(t, r.instances[0].Load(), kept, fmt.Sprint("before change ", change))}
			for n, to := range steps {
				i, step := to[0], to[1]
				name := fmt.Sprintf("change %d, turn %d: instance %d at step %d", change, n, i, step)
				r.walk(t, i, p.step(step, change), guarded, name)
				things = append(things, keep(t, r.instances[i].Load(), kept, name))
				for _, k := range things {
					k.require(t, r.instances[0].Load(), name)
					k.require(t, r.instances[1].Load(), name)
				}
			}
			end() // what the old secrets signed has ended: the next crowd has new tokens
			end = r.crowd(t, sale, fmt.Sprint("late-", change))
			for i := range 2 {
				r.walk(t, i, p.step(3, change), guarded, fmt.Sprintf("change %d: instance %d at step 3", change, i))
			}
			end()
		}
		assert.Empty(t, r.refused)
		r.requireEachOrderOnce(t, sale)
	})
}

// A path secret that is swapped on one instance after the other, without the steps: the instances refuse what the other
// one signed, and that is all. A key that was accepted has its order, and a draft is made once.
func TestAPathSecretThatIsSwappedWithoutItsStepsCausesRefusalsAlone(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		p := readPage(t)
		r := newRotation(stores)
		first := r.restart(t, 0, p.step(0, 0))
		r.restart(t, 1, p.step(0, 0))
		sale := first.Open(t, site.Sale{Stock: map[string]int64{"0": 1_000_000}})
		op, drafts := first.Operator(t), map[string]bool{}
		end := r.crowd(t, sale, "buyer")
		for n, i := range []int{1, 0} {
			swapped := p.step(0, 0)
			swapped["ONRUSH_PATH_SECRET"] = secretOf("ONRUSH_PATH_SECRET", 1)
			r.restart(t, i, swapped)
			for at := range 2 {
				k := &keepsake{when: "once", ops: op, draft: draft(fmt.Sprint("Draft ", n))}
				k.when = k.draft.Title
				made := k.create(r.instances[at].Load())
				if made.Status != http.StatusCreated {
					requireRefusal(t, made, http.StatusConflict, "conflict")
					continue
				}
				drafts[parsed[client.AdminActivity](made).ActivityID] = true
			}
			assert.Len(t, drafts, n+1)
			bought := r.orders()
			require.Eventually(t, func() bool { return r.orders() > bought+20 }, eventually, 10*time.Millisecond)
		}
		end()
		for refusal := range r.refused {
			assert.Contains(t, []string{"403 path_invalid", "404 task_not_found"}, refusal)
		}
		r.requireEachOrderOnce(t, sale)
	})
}
