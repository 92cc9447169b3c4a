package pages

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drawn runs draw of shared/markdown.js on texts, and returns the elements in the form of HTML, "plain" for none, and
// how much processor time the slowest took in ms. Each element may have only the names and attributes that are allowed.
func drawn(t *testing.T, texts ...string) (shown []string, slowest float64) {
	t.Helper()
	given, err := json.Marshal(texts)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "texts.json")
	require.NoError(t, os.WriteFile(file, given, 0o600))
	out := inNode(t, `
		import { readFileSync } from 'node:fs';
		import { pathToFileURL } from 'node:url';
		const { html } = await import(pathToFileURL('vendor/preact-htm.js'));
		const { draw } = await import(pathToFileURL('shared/markdown.js'));
		const escaped = (text) => String(text).replace(/[&<"]/g, (c) => '&#' + c.charCodeAt(0) + ';');
		function show(node) {
			if (Array.isArray(node)) return node.map(show).join('');
			if (node === null || node === undefined || typeof node !== 'object') return escaped(node ?? '');
			const { children, ...props } = node.props;
			const set = Object.entries(props).filter(([, value]) => value !== undefined);
			const attributes = set.map(([name, value]) => ' ' + name + '="' + escaped(value) + '"').join('');
			return '<' + node.type + attributes + '>' + show(children) + '</' + node.type + '>';
		}
		let slowest = 0;
		const shown = JSON.parse(readFileSync(`+strconv.Quote(file)+`)).map((text) => {
			const begun = process.cpuUsage();
			const nodes = draw(text, html);
			slowest = Math.max(slowest, process.cpuUsage(begun).user / 1000);
			return nodes ? show(nodes) : 'plain';
		});
		console.log(JSON.stringify({ shown, slowest }));`)
	var result struct {
		Shown   []string
		Slowest float64
	}
	require.NoError(t, json.Unmarshal([]byte(out), &result))
	return result.Shown, result.Slowest
}

func TestMarkdownIsDrawnAsElements(t *testing.T) {
	t.Parallel()
	const link = `target="_blank" rel="noopener nofollow"`
	cases := []struct{ text, want string }{
		{"Warm light,\n\tthree levels", "plain"},
		{"One.\n\nTwo & three: 5 < 6, a_b_c, 2 * 3 * 4.", "plain"},
		{"Size\n----\nsmall\n\n    indented", "plain"},
		{"A **warm** *light*", "<p>A <strong>warm</strong> <em>light</em></p>"},
		{"**a**\nb", "<p><strong>a</strong><br></br>b</p>"},
		{"# Light\n- warm\n- `dim`", "<h3>Light</h3><ul><li>warm</li><li><code>dim</code></li></ul>"},
		{"##### Deep\n3. c", `<h6>Deep</h6><ol start="3"><li>c</li></ol>`},
		{"[**See** it](https://shop.example/a?b=1&c)", `<p><a href="https://shop.example/a?b=1&#38;c" ` + link +
			`><strong>See</strong> it</a></p>`},
		{"[Write](mailto:a@shop.example)", `<p><a href="mailto:a@shop.example" ` + link + `>Write</a></p>`},
		{"```\n<b>\n```", "<pre><code>&#60;b></code></pre>"},
		{`\*no\*`, "<p>*no*</p>"},
	}
	texts := make([]string, len(cases))
	for i, c := range cases {
		texts[i] = c.text
	}
	shown, _ := drawn(t, texts...)
	for i, c := range cases {
		assert.Equal(t, c.want, shown[i], c.text)
	}
}

// Whoever may write descriptions, or steals the key of somebody who may, doesn't reach the buyers' browsers by them.
func TestHostileMarkdownIsShownAsText(t *testing.T) {
	t.Parallel()
	hostile := []string{
		`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `<a href="javascript:alert(1)">x</a>`,
		`<svg/onload=alert(1)>`, `<iframe srcdoc="<script>alert(1)</script>">`, `<style>*{display:none}</style>`,
		`[x](javascript:alert(1))`, `[x](JaVaScRiPt:alert`, `[x](javascript&#58;alert(1))`,
		"[x](java\nscript:alert(1))",
		`[x](data:text/html;base64,PHNjcmlwdD4=)`, `[x](vbscript:x)`, `[x](//evil.example)`, `[x](/admin)`,
		`[x](#/orders)`,
		`![x](https://evil.example/x.png)`, `![x](javascript:alert(1))`, `<javascript:alert(1)>`,
		`[x](https://a.example"onclick="alert(1))`, "[x]: javascript:alert(1)\n\n[x]",
		`[x](https://a.example "t" onclick=1)`,
		"```<img src=x onerror=alert(1)>\n```", "`<script>`", `**<b onclick=alert(1)>x</b>**`,
		`[<b>](https://a.example)`,
	}
	shown, _ := drawn(t, hostile...)
	for i, text := range hostile {
		plain := shown[i]
		for _, allowed := range []string{
			"<p>", "</p>", "<pre>", "</pre>", "<code>", "</code>", "<strong>", "</strong>", "</a>", "plain",
			`<a href="https://a.example&#34;onclick=&#34;alert(1" target="_blank" rel="noopener nofollow">`,
			`<a href="https://a.example" target="_blank" rel="noopener nofollow">`,
		} {
			plain = strings.ReplaceAll(plain, allowed, "")
		}
		assert.NotContains(t, plain, "<", "%s became %s", text, shown[i])
	}
}

// A text of any length and form is read in a bounded time: longer ones than the server takes are not read at all.
func TestMarkdownIsReadInABoundedTime(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, part := range []string{
		"[", "]", "![", "[a](", "[a]((", "[[a](", "(", "<a", "<http://", "*a ", "**a", "*a_ ", "_a", "~~a", "`a", "\\",
		"# ",
		"- ", "1. ", "> ", "- a\n ", "a|b\n-|-\n", "[a]: b\n", "```\n", "a@b.", "!", "\t", " \n", "*_`[",
	} {
		texts = append(texts, strings.Repeat(part, 5000/len(part)), strings.Repeat(part, 100_000/len(part)))
	}
	var nested strings.Builder
	for i := range 90 {
		fmt.Fprintf(&nested, "%s- a\n", strings.Repeat(" ", i))
	}
	_, slowest := drawn(t, append(texts, nested.String())...)
	assert.Less(t, slowest, 2000.0, "ms")
}
