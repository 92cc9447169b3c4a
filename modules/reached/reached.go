package reached

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Path is a path of the program that is rarely taken.
type Path struct{ taken atomic.Int64 }

// Mark counts that the path is taken.
func (p *Path) Mark() { p.taken.Add(1) }

// registry has the paths of a program by their names.
type registry struct {
	mu    sync.Mutex
	paths map[string]*Path
}

var program = registry{paths: map[string]*Path{}}

// At registers a path under a name, and panics if the name is empty or another path has it. It is for variables of
// packages.
func At(name string) *Path { return program.at(name) }

// Counts returns how often each path of the program was taken since the start, by name. It has the paths that were
// never taken, with 0.
func Counts() map[string]int64 { return program.counts() }

func (r *registry) at(name string) *Path {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.paths[name]; ok || name == "" {
		panic(fmt.Sprintf("reached: the name %q is empty or has a path", name))
	}
	p := &Path{}
	r.paths[name] = p
	return p
}

func (r *registry) counts() map[string]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	counts := make(map[string]int64, len(r.paths))
	for name, p := range r.paths {
		counts[name] = p.taken.Load()
	}
	return counts
}
