package trail

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/panics"
)

const (
	// askWithin is how long the answers of the other instances are awaited.
	askWithin = time.Second
	// expireEvery is how often the memory drops entries that are too old.
	expireEvery = 10 * time.Minute
	// aliveEvery is how often an instance publishes a message to itself, and maxUnheard how many it may miss.
	aliveEvery, maxUnheard = 10 * time.Second, 2
	// maxRefusals bounds the refusals of an answer to an operator.
	maxRefusals = 200
)

// question is what an instance asks all others. One of User, Text and Forget is set.
type question struct {
	ID     string `json:"id"`
	From   string `json:"from"`             // name of the instance that asks
	User   string `json:"user,omitempty"`   // all refusals of this user
	Text   string `json:"text,omitempty"`   // what Memory.Find finds
	Forget string `json:"forget,omitempty"` // forget this user
}

// answer is what an instance answers to a question.
type answer struct {
	ID       string    `json:"id"`
	From     string    `json:"from"`
	Refusals []Refusal `json:"refusals"`
}

// Service asks all instances what they remember.
type Service struct {
	memory  *Memory
	redis   redis.UniversalClient
	keys    lua.Keys
	log     *slog.Logger
	newID   func() string
	name    string
	running func(ctx context.Context) ([]string, error)

	mu    sync.Mutex
	asked map[string]chan<- answer // by question

	aliveEvery time.Duration
}

// NewService returns a Service. It answers other instances, and gets their answers, while Run runs.
func NewService(d Deps) *Service {
	return &Service{
		memory: d.Memory, redis: d.Redis, keys: d.Keys, log: d.Log, newID: d.NewID, name: d.Name, running: d.Running,
		asked: map[string]chan<- answer{}, aliveEvery: aliveEvery,
	}
}

// Found is what the instances remember, the latest first.
type Found struct {
	Refusals []Refusal
	// Partial is whether an instance did not answer in time, or was not asked since Redis is unavailable.
	Partial bool
}

// OfUser returns the refusals of a user of the last day.
func (s *Service) OfUser(ctx context.Context, user string) Found {
	return s.ask(ctx, question{User: user})
}

// about returns the refusals whose user, Idempotency-Key or request is text.
func (s *Service) about(ctx context.Context, text string) Found {
	return s.ask(ctx, question{Text: text})
}

// Forget makes the instances forget a user, and reports whether all have confirmed it.
func (s *Service) Forget(ctx context.Context, user string) bool {
	return !s.ask(ctx, question{Forget: user}).Partial
}

// ask puts a question to all instances, this one included.
func (s *Service) ask(ctx context.Context, q question) Found {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	q.ID, q.From = s.newID(), s.name
	found := Found{Refusals: s.remembered(q)}
	others, err := s.others(ctx)
	if err != nil || len(others) > 0 {
		rest, answered := s.askOthers(ctx, q, others)
		found.Refusals = append(found.Refusals, rest...)
		found.Partial = err != nil || answered < len(others)
	}
	slices.SortFunc(found.Refusals, func(a, b Refusal) int {
		return cmp.Or(cmp.Compare(b.Last, a.Last), cmp.Compare(a.Instance, b.Instance))
	})
	return found
}

// remembered carries out a question in the memory of this instance.
func (s *Service) remembered(q question) (refusals []Refusal) {
	switch {
	case q.Forget != "":
		s.memory.Forget(q.Forget)
	case q.User != "":
		refusals = s.memory.OfUser(q.User)
	default:
		refusals = s.memory.Find(q.Text)
	}
	for i := range refusals {
		refusals[i].Instance = s.name
	}
	return refusals
}

// others returns the names of the other instances that run.
func (s *Service) others(ctx context.Context) ([]string, error) {
	names, err := s.running(ctx)
	return slices.DeleteFunc(names, func(name string) bool { return name == s.name }), err
}

// askOthers returns the refusals that the others have answered, and how many of them have answered.
func (s *Service) askOthers(ctx context.Context, q question, others []string) (refusals []Refusal, answered int) {
	answers := make(chan answer, len(others))
	s.mu.Lock()
	s.asked[q.ID] = answers
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.asked, q.ID)
		s.mu.Unlock()
	}()
	if err := s.publish(ctx, s.keys.TrailQuestions(), q); err != nil {
		return nil, 0
	}
	for answered < len(others) {
		select {
		case a := <-answers:
			if i := slices.Index(others, a.From); i >= 0 {
				refusals = append(refusals, a.Refusals...)
				answered++
			}
		case <-ctx.Done():
			return refusals, answered
		}
	}
	return refusals, answered
}

func (s *Service) publish(ctx context.Context, channel string, message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("encode for the other instances: %w", err)
	}
	if err := s.redis.Publish(ctx, channel, text).Err(); err != nil {
		return fmt.Errorf("publish to the other instances: %w", err)
	}
	return nil
}

// Run answers the questions of other instances, takes their answers and expires the memory, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	tick := time.NewTicker(expireEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		s.listen(ctx, tick.C)
	}
}

// listen answers until ctx ends, or until this instance doesn't hear itself any more: the node that it subscribed at
// may have left the cluster, and gets no messages then.
func (s *Service) listen(ctx context.Context, expire <-chan time.Time) {
	heard := s.redis.Subscribe(ctx, s.keys.TrailQuestions(), s.keys.TrailAnswers(s.name)) // it connects again by itself
	defer func() { _ = heard.Close() }()
	messages, alive := heard.Channel(), time.NewTicker(s.aliveEvery)
	defer alive.Stop()
	unheard := 0 // messages to itself
	for {
		select {
		case m, open := <-messages:
			if !open {
				return
			}
			unheard = 0
			if err := panics.Recovered(func() error { return s.hear(ctx, m) }); err != nil {
				s.log.WarnContext(ctx, "another instance can't be answered", "error", err)
			}
		case <-alive.C:
			if unheard >= maxUnheard {
				s.log.WarnContext(ctx, "subscribing again, since nothing is heard")
				return
			}
			if s.publish(ctx, s.keys.TrailAnswers(s.name), answer{From: s.name}) == nil {
				unheard++
			}
		case <-expire:
			s.memory.Expire()
		case <-ctx.Done():
			return
		}
	}
}

// hear takes a message of another instance.
func (s *Service) hear(ctx context.Context, m *redis.Message) error {
	if m.Channel == s.keys.TrailAnswers(s.name) {
		var a answer
		if err := json.Unmarshal([]byte(m.Payload), &a); err != nil {
			return fmt.Errorf("decode an answer: %w", err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		select {
		case s.asked[a.ID] <- a: // nil: nobody waits any more
		default:
		}
		return nil
	}
	var q question
	if err := json.Unmarshal([]byte(m.Payload), &q); err != nil {
		return fmt.Errorf("decode a question: %w", err)
	}
	if q.From == s.name {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	return s.publish(ctx, s.keys.TrailAnswers(q.From), answer{ID: q.ID, From: s.name, Refusals: s.remembered(q)})
}
