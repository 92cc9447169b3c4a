// Command packages draws docs/packages.svg, who imports whom, from the imports of the source. A box is a module with
// its packages; in a box, a package stands above those that it imports.
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
)

//go:generate sh -c "cd ../.. && go run ./docs/packages"

// columns place the boxes; their rows follow from the imports.
var columns = map[string]int{
	"app": 3, "events": 1, "pay": 2, "seckill": 3, "jobs": 4, "order": 2, "aged": 5, "sign": 0, "journal": 1,
	"catalogue": 2, "lua": 4, "oplog": 3, "sqldb": 2, "web": 3, floor: 4, "bounded": 4, "panics": 5, "loop": 5,
	"redisdb": 0, "instances": 0, "needs": 1, "clock": 1, "gather": 4, "apikey": 4, "idempotency": 4, "pictures": 2,
	"settings": 5,
	"tlsfiles": 5,
	"reached":  5, "refusals": 5, "sheet": 5, "userdata": 3, "trail": 3, "site": 1,
}

// Sizes in pixels.
const (
	columnWide, boxWide, gap, lineHigh, nameHigh = 152, 138, 34, 14, 26
)

const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" ` +
	`font-size="11" text-anchor="middle" role="img" aria-label="Which packages import which">
<style>
rect { fill: #f6f8fa; stroke: #57606a } text { fill: #57606a } .name { fill: #1f2328; font: 600 13px system-ui }
path { stroke: #8c959f; fill: none; marker-end: url(#tip) } #tip path { fill: #8c959f; stroke: none; marker-end: none }
@media (prefers-color-scheme: dark) {
rect { fill: #161b22; stroke: #8b949e } text { fill: #9198a1 } .name { fill: #f0f6fc }
}
</style>
<marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto"><path d="M0,0 L8,4 L0,8 z"/></marker>
`

func main() {
	picture, err := draw(".")
	if err == nil {
		err = os.WriteFile("docs/packages.svg", picture, 0o600)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// draw returns the picture of the repository in root. An arrow that follows from others is left out.
func draw(root string) ([]byte, error) {
	boxes, inside, err := read(root)
	if err != nil {
		return nil, err
	}
	rows, err := boxes.rows()
	if err != nil {
		return nil, err
	}
	var shapes, arrows bytes.Buffer
	tops, bottoms, rowEnds, y := map[string]int{}, map[string]int{}, map[string]int{}, 4
	for _, row := range rows {
		high := 0
		for _, box := range row {
			column, placed := columns[box]
			if !placed {
				return nil, fmt.Errorf("docs/packages/main.go gives the box %s no column", box)
			}
			lines, err := inside[box].lines()
			if err != nil {
				return nil, err
			}
			x, boxHigh := column*columnWide+columnWide/2, nameHigh+len(lines)*lineHigh
			tops[box], bottoms[box], high = y, y+boxHigh, max(high, boxHigh)
			fmt.Fprintf(&shapes, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n"+
				"<text class=\"name\" x=\"%d\" y=\"%d\">%s</text>\n", x-boxWide/2, y, boxWide, boxHigh, x, y+17, box)
			for i, line := range lines {
				fmt.Fprintf(&shapes, "<text x=\"%d\" y=\"%d\">%s</text>\n", x, y+nameHigh+i*lineHigh+6, line)
			}
		}
		for _, box := range row {
			rowEnds[box] = y + high
		}
		y += high + gap
	}
	for _, from := range boxes.nodes() {
		for _, to := range boxes[from].nodes() {
			if !boxes.reaches(from, to) {
				fmt.Fprintf(&arrows, "<path d=\"M%d,%d V%d L%d,%d\"/>\n", columns[from]*columnWide+columnWide/2,
					bottoms[from], rowEnds[from], columns[to]*columnWide+columnWide/2, tops[to])
			}
		}
	}
	var picture bytes.Buffer
	fmt.Fprintf(&picture, head, 6*columnWide, y-gap+4)
	picture.Write(arrows.Bytes())
	picture.Write(shapes.Bytes())
	picture.WriteString("</svg>\n")
	return picture.Bytes(), nil
}
