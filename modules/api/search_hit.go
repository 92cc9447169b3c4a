package api

// Hit is one thing that a search found: its kind, its id, the route that shows it, and the user of a hit that was found
// by a request id or a key.
type Hit struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Link string `json:"link"`
	User string `json:"user_id,omitempty"`
}
