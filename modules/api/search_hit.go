package api

// Hit is one thing that a search found: its kind, its id, and the route that shows it; the user of a hit that was found
// by a request id or a key; the receiver of an order that was found by the receiver; the status of an order.
type Hit struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Link string `json:"link"`
	User string `json:"user_id,omitempty"`

	Receiver string `json:"receiver,omitempty"`
	Phone    string `json:"phone,omitempty"`

	Status string `json:"status,omitempty"`
}
