package simulate

// kind is what happens to something that has an identity.
type kind uint8

const (
	submitReady kind = iota // an instance has read a submit, which joins a gathered call
	callDone                // Redis has answered a call
	callLate                // Redis has not answered a call in time
	batchRead               // a mover has read a batch, which goes to SQL
	batchStored             // SQL has a batch
)

// event is something under way.
type event struct {
	at, since float64 // since: the submit's arrival
	try       stage
	n         int32 // the call, or how many orders
	gather    int32 // of an instance and a lane; for movers the lane
	kind      kind
}

// events is a heap, the earliest event first.
type events struct{ heap []event }

// at returns when the first event happens, never if there is none.
func (e *events) at() float64 {
	if len(e.heap) == 0 {
		return never
	}
	return e.heap[0].at
}

func (e *events) push(next event) {
	e.heap = append(e.heap, next)
	i := len(e.heap) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if e.heap[parent].at <= next.at {
			break
		}
		e.heap[i], i = e.heap[parent], parent
	}
	e.heap[i] = next
}

func (e *events) pop() (first event) {
	first = e.heap[0]
	last := e.heap[len(e.heap)-1]
	e.heap = e.heap[:len(e.heap)-1]
	if len(e.heap) == 0 {
		return first
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(e.heap) {
			break
		}
		if child+1 < len(e.heap) && e.heap[child+1].at < e.heap[child].at {
			child++
		}
		if last.at <= e.heap[child].at {
			break
		}
		e.heap[i], i = e.heap[child], child
	}
	e.heap[i] = last
	return first
}
