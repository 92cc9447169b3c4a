package api

// Hit is one thing that a search found: its kind, its id, and the route that shows it.
type Hit struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Link string `json:"link"`
}
