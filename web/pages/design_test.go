package pages

import (
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOnlyProgramsForDevelopmentHaveTheDesignPage(t *testing.T) {
	t.Parallel()
	for dev, status := range map[bool]int{true: 200, false: 404} {
		app := fiber.New()
		require.NoError(t, Register(app, Settings{DevTokens: dev}))
		assert.Equal(t, status, get(t, app, designPage).status)
	}
}

// A component is on the design page before a view uses it.
func TestTheDesignPageShowsEveryComponent(t *testing.T) {
	t.Parallel()
	var shown, components []string
	for _, file := range sources(t) {
		switch {
		case path.Dir(file.name) == "design":
			shown = append(shown, string(file.data))
		case path.Base(file.name) == "parts.js" || file.name == "shared/icons.js":
			for _, m := range regexp.MustCompile(`export function ([A-Z]\w+)`).FindAllSubmatch(file.data, -1) {
				components = append(components, string(m[1]))
			}
		}
	}
	require.Greater(t, len(components), 12)
	components = append(components, "Stepper", "Confirm", "BuyBar", "AddressForm", "Region", "VoucherCode", "Readiness",
		"Alarm", "Toast", "Menu", "Secret", "Empty", "Gallery", "Sign", "Card", "Offer")
	for _, component := range components {
		assert.Contains(t, strings.Join(shown, ""), "<${"+component+"}", "design/*.js lacks a component of parts.js")
	}
}

// Each colour and each size of text is on the design page.
func TestTheDesignPageShowsEveryToken(t *testing.T) {
	t.Parallel()
	tokens, err := os.ReadFile("shared/base.css")
	require.NoError(t, err)
	rules, err := os.ReadFile("design/design.css")
	require.NoError(t, err)
	shown, err := os.ReadFile("design/foundations.js")
	require.NoError(t, err)
	for colour := range palettes(t)[0] {
		assert.Regexp(t, `\b`+colour+`'?(: \[|'[,\]])`, string(shown))
	}
	sizes := regexp.MustCompile(`--text-(\w+):`).FindAllSubmatch(tokens, -1)
	require.Len(t, sizes, 7)
	for _, size := range sizes {
		assert.Contains(t, string(shown), "'"+string(size[1])+"'")
		if string(size[1]) != "body" { // which needs no rule
			assert.Contains(t, string(rules), ".text-"+string(size[1])+" {")
		}
	}
}

// palettes reads the colours of base.css in light and in dark.
func palettes(t *testing.T) []map[string]string {
	t.Helper()
	style, err := os.ReadFile("shared/base.css")
	require.NoError(t, err)
	var found []map[string]string
	for _, root := range regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllSubmatch(style, -1) {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--([\w-]+): #([0-9a-f]+);`).FindAllSubmatch(root[1], -1) {
			colours[string(m[1])] = string(m[2])
		}
		found = append(found, colours)
	}
	require.Len(t, found, 2, "light and dark")
	return found
}

// luminance is the relative luminance of WCAG 2.2 of a colour such as fff or c8102e.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	if len(colour) == 3 {
		colour = string([]byte{colour[0], colour[0], colour[1], colour[1], colour[2], colour[2]})
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		part, err := strconv.ParseUint(colour[2*i:2*i+2], 16, 8)
		require.NoError(t, err, colour)
		if v := float64(part) / 255; v <= 0.04045 {
			sum += weight * v / 12.92
		} else {
			sum += weight * math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return sum
}

// contrast is the contrast of two colours by WCAG 2.2, from 1 to 21.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// design.md lists the contrast of each pair of colours: 4.5 and more for texts, 3 and more for the edges of fields.
func TestTheDesignListsTheContrastOfItsColours(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("design.md")
	require.NoError(t, err)
	both := palettes(t)
	for _, pair := range []struct {
		ink, ground string
		least       float64
	}{
		{"ink", "page", 4.5},
		{"ink", "card", 4.5},
		{"ink", "soft", 4.5},
		{"muted", "page", 4.5},
		{"muted", "card", 4.5},
		{"muted", "soft", 4.5},
		{"link", "page", 4.5},
		{"link", "card", 4.5},
		{"accent", "page", 4.5},
		{"accent", "card", 4.5},
		{"on-accent", "accent", 4.5},
		{"on-go", "go", 4.5},
		{"good", "card", 4.5},
		{"good", "good-soft", 4.5},
		{"warn", "card", 4.5},
		{"warn", "warn-soft", 4.5},
		{"bad", "card", 4.5},
		{"bad", "bad-soft", 4.5},
		{"edge", "card", 3},
		{"edge", "page", 3},
	} {
		row := fmt.Sprintf("| `%s` | `%s` |", pair.ink, pair.ground)
		for _, colours := range both {
			ratio := contrast(t, colours[pair.ink], colours[pair.ground])
			assert.GreaterOrEqual(t, ratio, pair.least, row)
			row += fmt.Sprintf(" %.1f |", math.Floor(ratio*10)/10)
		}
		assert.Contains(t, string(document), row)
	}
}

// Space is a multiple of 0.25rem, or half of that, and texts have the sizes of the scale.
func TestTheStylesKeepToTheStepAndTheScale(t *testing.T) {
	t.Parallel()
	space := regexp.MustCompile(`^\s*(?:margin|padding|gap|row-gap|column-gap)[a-z-]*: (.*);`)
	rem := regexp.MustCompile(`(\d*\.?\d+)rem`)
	// 0 hides a text.
	scale := regexp.MustCompile(`^var\(--text-(small|body|large|heading|title|figure|display)\)$|^clamp|^0$`)
	names, err := filepath.Glob("[^v]*/*.css") // but of vendor
	require.NoError(t, err)
	require.Greater(t, len(names), 20)
	for _, name := range names {
		style, err := os.ReadFile(name)
		require.NoError(t, err)
		lines := strings.Split(string(style), "\n")
		assert.Less(t, len(lines), 400, "%s: divide it by what its rules are about", name)
		rule := ""
		for i, line := range lines {
			if selector, ok := strings.CutSuffix(line, "{"); ok {
				rule = selector
			}
			if m := space.FindStringSubmatch(line); m != nil {
				for _, value := range rem.FindAllStringSubmatch(m[1], -1) {
					n, err := strconv.ParseFloat(value[1], 64)
					require.NoError(t, err)
					assert.True(t, n == 0.125 || n*4 == math.Trunc(n*4), "%s:%d %s", name, i+1, line)
				}
			}
			size, ok := strings.CutPrefix(strings.TrimSpace(line), "font-size: ")
			if ok && !strings.Contains(rule, ".letter") {
				assert.Regexp(t, scale, strings.TrimSuffix(size, ";"), "%s:%d", name, i+1)
			}
		}
	}
}
