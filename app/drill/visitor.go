package drill

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"time"

	"onrush/app/buyer"
	"onrush/modules/loop"
	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/eligible"
	"onrush/web/client"
)

const (
	// patience is how long a visitor tries to buy, and how long the operator repeats a request.
	patience = 60 * time.Second
	// maxPolls bounds how often a visitor asks for its task.
	maxPolls = 60
)

// shopper is a visitor while it carries out its plan.
type shopper struct {
	buyer.Buyer
	run  *run
	plan Visitor
	sale *sale

	attempts []*attempt // guarded by the record's mutex
	waits    place      // in the waiting room; guarded by the mutex of the gates
}

// newShopper returns a visitor with a token and an address of its own.
func (r *run) newShopper(ctx context.Context, v Visitor) (*shopper, error) {
	user, token, err := r.cfg.Tokens.Of(ctx, r.id, v.Number, segmentsOf(r.cfg.Sale))
	if err != nil {
		return nil, err
	}
	s := &shopper{run: r, plan: v}
	if v.Sale < len(r.sales) { // none yet while tokens are checked
		s.sale = r.sales[v.Sale]
	}
	s.Buyer = buyer.Buyer{
		Name: user, Token: token, Address: buyer.AddressOf(v.Number),
		Shared: &buyer.Shared{
			Program: r.wire, Now: time.Now, Random: r.random, Proofs: r.proofs, Answered: s.answered,
		},
	}
	return s, nil
}

func (s *shopper) answered(call string, a buyer.Answer) {
	s.run.meter.Add(call, a)
	s.run.record.write(line{User: s.Name, Call: call, Code: a.Code, Status: a.Status, TookMS: a.Took.Milliseconds()})
	if call == "path" && a.Code == buyer.OK && !s.run.record.hasAttempts(s) {
		s.run.meter.Admit(time.Since(s.sale.StartsAt.Add(max(s.plan.At, 0))))
	}
	switch {
	case a.Status >= 500 && a.Status != 503 && a.Status != 504:
		s.run.record.problem(checkGates, "%s was answered %d: %.200s", call, a.Status, a.Body)
	case call == "address":
		s.run.record.addAddress(s, a)
	case call == "line":
		var p client.Place
		a.Read(&p)
		if wrong := s.run.gates.placed(s, p, a.Took, time.Now()); wrong != "" && !s.run.cfg.AllowFailed {
			s.run.record.problem(checkGates, "%s", wrong)
		}
	}
}

// visit carries out the plan of a visitor: it places its orders one after the other, and then follows each.
func (s *shopper) visit(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var placed []*attempt
	for i, intent := range s.plan.Orders {
		a, ok := s.purchase(ctx, fmt.Sprintf("%s-%d", s.Name, i), intent)
		if !ok && len(s.plan.Orders) == 1 && intent.Submit != TwoTabs {
			a, ok = s.wish(ctx, a, intent)
		}
		if !ok {
			break
		}
		placed = append(placed, a)
	}
	for i, a := range placed {
		s.followUp(ctx, a, s.plan.Orders[i])
	}
}

// purchase places one order, and reports whether it was accepted.
func (s *shopper) purchase(ctx context.Context, key string, intent Intent) (*attempt, bool) {
	a := &attempt{
		sale: s.sale, shopper: s, key: key, goods: s.sale.basket(s.plan, s.sale.choose(s.plan)), then: intent.Then,
		submit: intent.Submit,
	}
	if intent.Submit == TwoTabs {
		var tab sync.WaitGroup
		other, second := *a, *s // the second tab has a state of its own
		other.key, other.then = key+"-tab", Abandon
		tab.Go(func() { s.place(ctx, &other, &second, intent) })
		defer tab.Wait()
	}
	return a, s.place(ctx, a, s, intent)
}

// place takes a path and submits an attempt, until the outcome is known. tab is the client that it does that with.
func (s *shopper) place(ctx context.Context, a *attempt, tab *shopper, intent Intent) bool {
	got := tab.OnPath(ctx, s.sale.ActivityID, a.goods.SKU, func(path string) buyer.Answer {
		s.run.gates.granted(a, time.Now())
		if loop.Wait(ctx, intent.Think) != nil {
			return buyer.Answer{}
		}
		if a.path == "" {
			body, arranged := tab.Deliver(ctx, a.goods)
			if arranged.Code != buyer.OK {
				return arranged
			}
			body.RoomID, body.ShareCode = fmt.Sprintf("room-%d", s.plan.Number%10), "drill"
			body.ClientReference = s.Name
			body.Lines = buyer.PathRequest("", a.goods.SKU).Lines
			a.body = body
			s.run.record.addAttempt(a)
		}
		a.path = path
		return s.submit(ctx, a, tab, intent)
	})
	a.refused = got.Code
	if name := a.refusal(); name != "" {
		s.run.record.count(name, 1)
	}
	if got.Code == eligible.CodeNotEligible.Name {
		s.run.record.notEligible(s)
	}
	if got.Code == buyer.OK && intent.Reuse && a.submit == Once {
		s.reuse(ctx, a)
	}
	return got.Code == buyer.OK
}

// submit submits an attempt as the plan says, and returns the last answer.
func (s *shopper) submit(ctx context.Context, a *attempt, tab *shopper, intent Intent) (got buyer.Answer) {
	body := a.body
	if intent.Confirm {
		body = s.confirmed(ctx, a, tab)
	}
	a.sent = body
	s.run.gates.used(a)
	switch intent.Submit {
	case Double:
		var click sync.WaitGroup
		second := *tab
		click.Go(func() { s.run.record.answered(a, second.Submit(ctx, a.path, a.key, body)) })
		defer click.Wait()
		s.run.record.count("double", 1)
	case Cut:
		req := client.Request{
			Method: "POST", Path: buyer.SubmitURL(a.path), Token: tab.Token, Key: a.key, Body: body,
		}
		if s.run.wire.Cut(ctx, tab.Address, req, time.Duration(s.plan.Choice%5)*time.Millisecond) == nil {
			s.run.record.count("cut", 1)
		}
	case Once, TwoTabs:
	}
	got = tab.Submit(ctx, a.path, a.key, body)
	s.run.record.answered(a, got)
	return got
}

// confirmed returns the body of a submit with a confirmation, which replaces the delivery, or the body without one.
func (s *shopper) confirmed(ctx context.Context, a *attempt, tab *shopper) client.SubmitRequest {
	body := a.body
	got := tab.Insist(ctx, "confirm", "POST", "/api/v1/seckill/"+url.PathEscape(a.path)+"/confirm", "",
		client.ConfirmRequest{
			Quantity: body.Quantity, Lines: body.Lines, Delivery: body.Delivery, AddressID: body.AddressID,
			PickupPointID: body.PickupPointID,
		})
	var confirmation client.Confirmation
	if !got.Read(&confirmation) {
		return body
	}
	a.quoted = &confirmation.TotalAmount
	body.Confirmation, body.Delivery, body.AddressID, body.PickupPointID = confirmation.Confirmation, "", "", ""
	return body
}

// reuse submits another order on a path whose permit was used up, which must not be placed.
func (s *shopper) reuse(ctx context.Context, used *attempt) {
	if s.sale.PermitRatio == unlimited {
		return
	}
	a := *used
	a.key, a.order, a.task, a.code, a.then = used.key+"-again", "", "", "", Abandon
	a.sent = a.body
	s.run.record.addAttempt(&a)
	got := s.Call(ctx, "reuse", "POST", buyer.SubmitURL(a.path), a.key, a.body)
	s.run.record.answered(&a, got)
	switch {
	case got.Code == buyer.OK:
		s.run.record.problem(checkGates, "the path of order %s took another order, %s", used.order, a.order)
	case !buyer.Passes(got.Code):
		s.run.record.count("permit", 1)
	}
}

// followUp follows an accepted order until it is stored, does with it what the plan says, and lists the orders.
func (s *shopper) followUp(ctx context.Context, a *attempt, intent Intent) {
	s.walk(ctx)
	if intent.Stream {
		s.run.wire.Stream(ctx, s.Token, a.task)
	}
	s.poll(ctx, a)
	s.walk(ctx)
	if a.outcome != "SUCCESS" || loop.Wait(ctx, intent.Think) != nil {
		return
	}
	s.act(ctx, a)
	s.walk(ctx)
}

// poll asks for the task of an attempt until its order is stored or has failed.
func (s *shopper) poll(ctx context.Context, a *attempt) {
	for range maxPolls {
		got := s.readTask(ctx, a)
		if a.outcome != "" || got.Code != buyer.OK || !s.Wait(ctx, got) {
			return
		}
	}
}

// readTask reads the task of an attempt, which has an outcome once its order is stored or has failed.
func (s *shopper) readTask(ctx context.Context, a *attempt) buyer.Answer {
	got := s.Insist(ctx, "task", "GET", "/api/v1/seckill/tasks/"+url.PathEscape(a.task), "", nil)
	var task client.Task
	switch {
	case got.Code == seckill.CodeTaskNotFound.Name:
		s.run.record.problem(checkOrders, "the task of order %s, which was accepted, is not found", a.order)
	case !got.Read(&task):
	case task.OrderNumber != a.order:
		s.run.record.problem(checkOrders, "task %s had order %s and now has %s", a.task, a.order, task.OrderNumber)
	case a.outcome != "" && task.Status != a.outcome:
		s.run.record.problem(checkOrders, "task %s said %s and now says %s", a.task, a.outcome, task.Status)
	case task.Status != "SUBMITTED":
		a.outcome, a.reason = task.Status, task.Reason
	}
	return got
}
