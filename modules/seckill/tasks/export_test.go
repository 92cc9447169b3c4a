package tasks

// Followed returns how many watches, tasks and followers there are.
func (w *Watcher) Followed() (watches, tasks, followers int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, in := range w.watches {
		tasks += len(in.followed)
		for _, f := range in.followed {
			followers += f.followers
		}
	}
	return len(w.watches), tasks, followers
}
