// Command scaling draws docs/pictures/scaling.svg: what the simulation of app/simulate says beside queueing theory.
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"time"

	"onrush/app/simulate"
)

//go:generate sh -c "cd ../.. && go run ./docs/scaling"

// Sizes in pixels: of a chart's area, and of its margins.
const (
	wide, high, left, top, bottom = 230, 170, 52, 34, 44
	panelWide                     = left + wide + 18
)

const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" ` +
	`font-size="11" role="img" aria-label="Simulated points lie on the lines of queueing theory">
<style>
text { fill: #57606a } .name { fill: #1f2328; font: 600 12px system-ui } .axis { stroke: #8c959f; fill: none }
.theory { stroke: #0969da; stroke-width: 1.5; fill: none } circle { fill: #cf222e }
@media (prefers-color-scheme: dark) {
text { fill: #9198a1 } .name { fill: #f0f6fc } .theory { stroke: #4493f8 } circle { fill: #f85149 }
}
</style>
`

// chart has simulated points, and the line that theory gives, which may be nil.
type chart struct {
	name, across, up string
	maxX, maxY       float64
	points           [][2]float64
	theory           func(x float64) float64
}

func main() {
	picture, err := draw()
	if err == nil {
		err = os.WriteFile("docs/pictures/scaling.svg", picture, 0o600)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func draw() ([]byte, error) {
	lane, err := lanes()
	if err != nil {
		return nil, err
	}
	var picture bytes.Buffer
	fmt.Fprintf(&picture, head, 3*panelWide, top+high+bottom)
	for i, c := range append([]chart{refusals()}, lane...) {
		c.write(&picture, i*panelWide+left)
	}
	picture.WriteString("</svg>\n")
	return picture.Bytes(), nil
}

// refusals is how long requests wait that two processors answer from memory.
func refusals() chart {
	const processors, jobs = 2, 400_000
	service := simulate.MeasuredCosts.Refusal.Seconds()
	c := chart{
		name: "Refusals by two processors", across: "1,000 requests/s", up: "p99 of the wait, µs",
		maxX: 100, maxY: 1000,
		theory: func(x float64) float64 { return 1e6 * simulate.WaitQuantile(processors, 1000*x, service, 0.99) },
	}
	for x := 10.0; x <= 95; x += 5 {
		_, p99 := simulate.Queue(1, jobs, processors, 1000*x, service, false)
		c.points = append(c.points, [2]float64{x, 1e6 * p99})
	}
	return c
}

// lanes are how busy the node of a sale's lane is, and how long its submits take.
func lanes() ([]chart, error) {
	costs := simulate.MeasuredCosts
	busy := chart{
		name: "The Redis node of one sale", across: "1,000 orders/s", up: "busy, %", maxX: 40, maxY: 100,
		theory: func(x float64) float64 { // full calls
			return min(100, 100*1000*x*(costs.RedisOrder.Seconds()+costs.RedisCall.Seconds()/256))
		},
	}
	submits := chart{
		name: "Submits to one sale", across: "1,000 orders/s that come", up: "p99, ms", maxX: 40, maxY: 100,
	}
	const seconds = 3
	for rate := 4000; rate <= 40_000; rate += 2000 {
		r, err := simulate.Run(simulate.Config{
			Visitors: rate * seconds * 5 / 4, // four fifths of them come in the spike
			Over:     seconds * time.Second, Reads: 1,
			Units: 10 * rate, Sales: 1, Instances: 8, Processors: 4, Redis: 1, SQL: 8,
			Until: time.Minute, Seed: 1, Costs: costs,
		})
		if err != nil {
			return nil, err
		}
		x := float64(rate) / 1000
		busy.points = append(busy.points, [2]float64{x, 100 * r.Stations[1].Peak})
		submits.points = append(submits.points, [2]float64{x, r.SubmitP99MS})
	}
	return []chart{busy, submits}, nil
}

// write draws a chart whose area begins at x. Values above the area are left out.
func (c chart) write(picture *bytes.Buffer, x int) {
	at := func(p [2]float64) (int, int) {
		return x + int(p[0]/c.maxX*wide+0.5), top + high - int(p[1]/c.maxY*high+0.5)
	}
	fmt.Fprintf(picture, "<text class=\"name\" x=\"%d\" y=\"14\">%s</text>\n<text x=\"%d\" y=\"28\">%s</text>\n",
		x, c.name, x-left+4, c.up)
	fmt.Fprintf(picture, "<path class=\"axis\" d=\"M%d,%d V%d H%d\"/>\n", x, top, top+high, x+wide)
	for _, part := range []float64{0, 0.5, 1} {
		px, _ := at([2]float64{part * c.maxX, 0})
		_, py := at([2]float64{0, part * c.maxY})
		fmt.Fprintf(picture, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", px, top+high+15, part*c.maxX)
		fmt.Fprintf(picture, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%g</text>\n", x-5, py+4, part*c.maxY)
	}
	fmt.Fprintf(picture, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x+wide/2, top+high+32, c.across)
	if c.theory != nil {
		picture.WriteString("<path class=\"theory\" d=\"M")
		for px := 1; px < wide; px += 2 {
			value := float64(px) / wide * c.maxX
			if y := c.theory(value); y <= c.maxY {
				lx, ly := at([2]float64{value, y})
				fmt.Fprintf(picture, "%d,%d ", lx, ly)
			}
		}
		picture.WriteString("\"/>\n")
	}
	for _, p := range c.points {
		if p[1] <= c.maxY {
			px, py := at(p)
			fmt.Fprintf(picture, "<circle cx=\"%d\" cy=\"%d\" r=\"2.5\"/>\n", px, py)
		}
	}
}
