package main

import (
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// floor is the box of the packages that all others may import.
const floor = "floor"

// boxOf returns the box of a package, and its name there.
func boxOf(pkg string) (box, name string) {
	switch pkg {
	case "modules/api", "modules/deadline", "modules/ids", "modules/limit", "modules/problem", "modules/segments",
		"modules/tracing":
		return floor, strings.TrimPrefix(pkg, "modules/")
	}
	box, name, inside := strings.Cut(strings.TrimPrefix(pkg, "modules/"), "/")
	if !inside {
		name = box
	}
	return box, name
}

type set map[string]bool

func (s set) nodes() []string { return slices.Sorted(maps.Keys(s)) }

// graph has the imports of each node.
type graph map[string]set

func (g graph) nodes() []string { return slices.Sorted(maps.Keys(g)) }

func (g graph) add(from, to string) {
	if g[from] == nil {
		g[from] = set{}
	}
	if to != from {
		g[from][to] = true
	}
}

// read returns the imports between boxes, and between the packages of each box. Tests don't count.
func read(root string) (boxes graph, inside map[string]graph, err error) {
	boxes, inside = graph{}, map[string]graph{}
	for _, folder := range []string{"app", "jobs", "lua", "modules", "web"} {
		if err := filepath.WalkDir(filepath.Join(root, folder), func(dir string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			pkg, err := build.ImportDir(dir, 0)
			if none := (*build.NoGoError)(nil); errors.As(err, &none) {
				return nil
			} else if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, dir)
			from, name := boxOf(filepath.ToSlash(rel))
			if inside[from] == nil {
				inside[from] = graph{}
			}
			boxes.add(from, from)
			inside[from].add(name, name)
			for _, imported := range pkg.Imports {
				if own, ok := strings.CutPrefix(imported, "onrush/"); ok {
					to, part := boxOf(own)
					boxes.add(from, to)
					if to == from {
						inside[from].add(name, part)
					}
				}
			}
			return err
		}); err != nil {
			return nil, nil, err
		}
	}
	return boxes, inside, nil
}

// rows returns the nodes by the length of the longest way to them from above.
func (g graph) rows() (rows [][]string, err error) {
	depth := map[string]int{}
	for moved := true; moved; {
		moved = false
		for from, imports := range g {
			for to := range imports {
				if depth[to] <= depth[from] {
					depth[to], moved = depth[from]+1, true
				}
			}
			if depth[from] > len(g) {
				return nil, fmt.Errorf("imports go in a circle: %v", g.nodes())
			}
		}
	}
	for _, node := range g.nodes() {
		for len(rows) <= depth[node] {
			rows = append(rows, nil)
		}
		rows[depth[node]] = append(rows[depth[node]], node)
	}
	return rows, nil
}

// reaches reports whether from imports to by way of another node.
func (g graph) reaches(from, to string) bool {
	for by := range g[from] {
		if by != to && (g[by][to] || g.reaches(by, to)) {
			return true
		}
	}
	return false
}

// charsOfLine fit into a box.
const charsOfLine = 20

// lines returns the nodes as text, row by row; a single node needs none.
func (g graph) lines() (lines []string, err error) {
	if len(g) == 1 {
		return nil, nil
	}
	rows, err := g.rows()
	for _, row := range rows {
		line := row[0]
		for _, name := range row[1:] {
			if len(line)+1+len(name) > charsOfLine {
				lines, line = append(lines, line), name
			} else {
				line += " " + name
			}
		}
		lines = append(lines, line)
	}
	return lines, err
}
