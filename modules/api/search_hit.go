package api

// Hit is one thing that a search found: its kind, its id, the route that shows it, and the user of what is found by a
// request or a key.
type Hit struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Link string `json:"link"`
	User string `json:"user_id,omitempty"`
}
