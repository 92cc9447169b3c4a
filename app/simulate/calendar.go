package simulate

// stage is what a visitor does next.
type stage int

// The stages whose visitors are only counted until they are due. A submit that was refused is sent again as the next
// one.
const (
	toRead stage = iota
	toJoin
	toPath
	toSubmit
	toSubmitAgain
	toSubmitLast
	stages
)

const (
	slotSeconds = 0.001
	// slots are more than the longest time from now until a visitor is due: patience and twice the think time.
	slots = 16_384
)

// calendar counts the visitors that are due in each millisecond of the next seconds.
type calendar struct {
	counts  [slots][stages]uint32
	visits  int // in all slots
	slot    int // the first that may have visitors; it counts from the start, and is modulo slots in counts
	planned int // visitors of the slot when the first of them was due; 0 before
	passed  int // visitors among them who were due
}

// add plans a visit at a time in s, not in the millisecond of now or before.
func (c *calendar) add(s stage, at float64) {
	slot := int(at / slotSeconds)
	switch {
	case c.planned > 0:
		slot = max(slot, c.slot+1)
	case c.visits == 0 || slot < c.slot:
		c.slot = slot
	}
	c.counts[slot%slots][s]++
	c.visits++
}

// at returns when the next visitor is due, never without one. The visitors of a millisecond are spread over it.
func (c *calendar) at() float64 {
	if c.visits == 0 {
		return never
	}
	if c.planned > 0 {
		return (float64(c.slot) + float64(c.passed)/float64(c.planned)) * slotSeconds
	}
	for c.counts[c.slot%slots] == [stages]uint32{} {
		c.slot++
	}
	return float64(c.slot) * slotSeconds
}

// next takes the visitor that is due at the time that at returned.
func (c *calendar) next() (s stage) {
	if c.planned == 0 {
		for _, count := range c.counts[c.slot%slots] {
			c.planned += int(count)
		}
	}
	counts := &c.counts[c.slot%slots]
	for counts[s] == 0 {
		s++
	}
	counts[s]--
	c.visits--
	if c.passed++; c.passed == c.planned {
		c.slot, c.planned, c.passed = c.slot+1, 0, 0
	}
	return s
}
