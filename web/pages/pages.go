// Package pages serves the pages of the program, the shop and the console. They are clients of the public interface.
package pages

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/problem"
)

//go:generate go run ./bundle

// files are the pages, what browsers load of them, which bundle writes, and the licences of other people's code in it.
//
//go:embed */index.html built/*/* demo vendor/LICENSES.txt
var files embed.FS

// kinds are the media types of the files.
var kinds = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".txt": "text/plain; charset=utf-8",
	".svg": "image/svg+xml",
}

// Settings are what the pages must know of the program.
type Settings struct {
	// Base is the path below which browsers find the program, such as /sales, or empty.
	Base string `json:"base"`
	// DevTokens is whether POST /dev/token exists.
	DevTokens bool `json:"dev_tokens"`
	// HostLogin is whether the program around this one knows its callers, such as by a cookie, so that the pages send
	// no tokens.
	HostLogin bool `json:"host_login"`
	// SignIn is the host of the issuer at which operators sign in, for the console; empty if there is none.
	SignIn string `json:"sign_in"`
	// Channels are the payment channels.
	Channels []string `json:"channels"`
	// ReturnURL is whether payments take a return_url at the origin of the pages.
	ReturnURL bool `json:"return_url"`
	// Stripe is whether the shop may load Stripe's form, from Stripe.
	Stripe bool `json:"stripe"`
	// ImageHosts returns the sources of pictures in a Content-Security-Policy, such as https://img.example; nil: none.
	// It is called for each page.
	ImageHosts func() []string `json:"-"`
}

// Register adds the shop at /, the console at /admin, for development the design page at /dev/design, and their files
// at /assets/pages/:version/:folder/:file, which browsers may keep for ever: another release has another version. The
// pictures of the demo's goods are at /assets/demo/:file, an address without a version, since orders keep it.
func Register(r fiber.Router, s Settings) error {
	p, err := prepare()
	if err != nil {
		return fmt.Errorf("pages: %w", err)
	}
	for name, at := range addresses {
		if at == designPage && !s.DevTokens {
			continue
		}
		page, err := s.page(p.pages[name], s.Base+"/assets/pages/"+p.version, p.preloads[name])
		if err != nil {
			return fmt.Errorf("pages: %s: %w", name, err)
		}
		r.Get(at, func(c *fiber.Ctx) error {
			c.Set(fiber.HeaderCacheControl, "no-cache")
			c.Set(fiber.HeaderContentSecurityPolicy, s.policy())
			c.Set(fiber.HeaderReferrerPolicy, "same-origin")
			c.Set("Cross-Origin-Opener-Policy", "same-origin") // who opened the page has no hold on its window
			c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
			c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
			return c.Send(page)
		})
	}
	r.Get("/assets/pages/:version/:folder/:file", func(c *fiber.Ctx) error {
		name := c.Params("folder") + "/" + c.Params("file")
		if serve, ok := p.assets[name]; ok && c.Params("version") == p.version {
			return serve(c)
		}
		return problem.NotFound("file")
	})
	r.Get("/assets/demo/:file", func(c *fiber.Ctx) error {
		data, err := files.ReadFile("demo/" + c.Params("file"))
		if err != nil {
			return problem.NotFound("file")
		}
		c.Set(fiber.HeaderCacheControl, "public, max-age=3600")
		c.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'")
		c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
		c.Set(fiber.HeaderContentType, kinds[".svg"])
		return c.Send(data)
	})
	return nil
}

// prepared are the files of the pages, which never change while the program runs.
type prepared struct {
	version string            // in the addresses of the assets
	pages   map[string]string // templates, by file
	// preloads are the files that the script of a page imports at once: a browser then asks for all at the same time.
	preloads map[string][]string
	assets   map[string]fiber.Handler // by file
}

// prepare reads and compresses the files once, since that takes longer than anything else that a test starts.
var prepare = sync.OnceValues(func() (p prepared, err error) {
	all, err := read()
	if err != nil {
		return p, err
	}
	sum := sha256.New()
	p.pages, p.preloads, p.assets = map[string]string{}, map[string][]string{}, map[string]fiber.Handler{}
	for _, file := range all {
		_, _ = fmt.Fprintf(sum, "%s %d %s", file.name, len(file.data), file.data)
		if path.Base(file.name) == "main.js" {
			page := path.Dir(file.name)
			for _, m := range staticImport.FindAllSubmatch(file.data, -1) {
				p.preloads[page+"/index.html"] = append(p.preloads[page+"/index.html"], page+"/"+string(m[1]))
			}
		}
		if addresses[file.name] != "" {
			p.pages[file.name] = string(file.data)
		} else if p.assets[file.name], err = asset(file.data, kinds[path.Ext(file.name)]); err != nil {
			return p, fmt.Errorf("%s: %w", file.name, err)
		}
	}
	p.version = fmt.Sprintf("%x", sum.Sum(nil)[:8])
	return p, nil
})

// staticImport is an import of another file of a page, as bundle writes it.
var staticImport = regexp.MustCompile(`\bfrom"\./([\w.-]+)"`)

// designPage is the address of the page that shows the parts of the pages. Only programs for development have it.
const designPage = "/dev/design"

// addresses are the addresses of the pages, by file.
var addresses = map[string]string{
	"shop/index.html": "/", "console/index.html": "/admin", "design/index.html": designPage,
}

// file is one of the files, named such as shop/main.js.
type file struct {
	name string
	data []byte
}

// read returns the pages and what browsers load of them.
func read() (all []file, err error) {
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Dir(name) == "demo" {
			return err
		}
		data, err := files.ReadFile(name)
		all = append(all, file{strings.TrimPrefix(name, "built/"), data})
		return err
	})
	return all, err
}

// page returns a page, with the folder of its files, those to load at once, and its settings.
func (s Settings) page(text, assets string, preloads []string) ([]byte, error) {
	parsed, err := template.New("page").Parse(text)
	if err != nil {
		return nil, err
	}
	settings, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = parsed.Execute(&out, map[string]any{
		"Assets": assets, "Preloads": preloads, "Base": s.Base, "Settings": string(settings),
	})
	return out.Bytes(), err
}

// policy lets the page load its own scripts and styles, call this program, and show pictures of its hosts. Stripe's
// sources are from https://docs.stripe.com/security/guide.
func (s Settings) policy() string {
	scripts, calls, frames := "'self'", "'self'", ""
	if s.Stripe {
		const hosts = " https://js.stripe.com https://*.js.stripe.com"
		scripts, calls, frames = scripts+hosts, calls+" https://api.stripe.com",
			"frame-src"+hosts+" https://hooks.stripe.com; "
	}
	images := "'self' data:"
	if s.ImageHosts != nil {
		images = strings.Join(append([]string{images}, s.ImageHosts()...), " ")
	}
	return "default-src 'none'; script-src " + scripts + "; style-src 'self'; connect-src " + calls + "; " + frames +
		"worker-src 'self'; img-src " + images + "; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

// asset answers with a file whose path changes when it changes, compressed for browsers that take gzip.
func asset(data []byte, kind string) (fiber.Handler, error) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
		c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
		c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
		c.Set(fiber.HeaderContentType, kind)
		if c.AcceptsEncodings("gzip") != "gzip" {
			return c.Send(data)
		}
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return c.Send(packed.Bytes())
	}, nil
}
