package limit

import "time"

// Refusals are cheap, but one client with hundreds of connections, each of which sends its next request when it has its
// refusal, would still take most of the processors from everybody else. So a client gets a number of prompt refusals
// per second, far more than a person or a well-behaved program needs. Further refusals are delayed, which slows the
// client's connections down.
const (
	// promptRefusals is how many refusals a client gets at once, and refusalEvery when the next one is prompt again.
	promptRefusals = 100
	refusalEvery   = 5 * time.Millisecond
	// maxHold bounds the delay of a refusal.
	maxHold = time.Second
)

// pace decides when the refusals of one client are answered, by GCRA.
type pace struct{ due time.Time }

// next returns the delay of a refusal at a time.
func (p *pace) next(now time.Time) time.Duration {
	const prompt, most = promptRefusals * refusalEvery, promptRefusals*refusalEvery + maxHold
	ahead := p.due.Sub(now)
	if ahead < 0 || ahead > most { // idle for long, or the clock was set back
		ahead = 0
	}
	ahead = min(ahead+refusalEvery, most)
	p.due = now.Add(ahead)
	return max(ahead-prompt, 0)
}
