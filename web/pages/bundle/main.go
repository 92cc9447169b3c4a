// Bundle writes what browsers load of each page into built/: a script with all modules of its first view, a stylesheet,
// and scripts that are loaded later. It runs esbuild in the folder of package pages, by go generate.
//
//	go run ./bundle        bundles the pages
//	go run ./bundle sum    prints the hash of their sources, which built/sources.sha256 has of those that were bundled
package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	esbuild = "github.com/evanw/esbuild/cmd/esbuild@v0.25.12"
	built   = "built"
	client  = "../client/onrush.js" // which the pages use, too
)

func main() {
	sum, err := sourcesSum()
	if err == nil && len(os.Args) > 1 {
		_, err = fmt.Fprintln(os.Stdout, sum)
	} else if err == nil {
		err = bundle(context.Background(), sum)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func bundle(ctx context.Context, sum string) error {
	if err := os.RemoveAll(built); err != nil {
		return err
	}
	for _, page := range []string{"shop", "console", "design"} {
		//nolint:gosec // the pages are named above
		build := exec.CommandContext(ctx, "go", "run", esbuild, "--bundle", "--splitting", "--format=esm",
			"--target=es2022", "--minify", "--charset=utf8", "--legal-comments=none", "--log-level=warning",
			"--outdir="+built+"/"+page, "--chunk-names=[name]-[hash]", page+"/main.js")
		build.Stdout, build.Stderr = os.Stdout, os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("bundle the %s: %w", page, err)
		}
	}
	return os.WriteFile(built+"/sources.sha256", []byte(sum+"\n"), 0o644) //nolint:gosec // it is part of the source
}

// sourcesSum returns the hash of all scripts and stylesheets.
func sourcesSum() (string, error) {
	sum := sha256.New()
	add := func(name string) error {
		data, err := os.ReadFile(name) //nolint:gosec // of the source
		_, _ = fmt.Fprintf(sum, "%s %d %s", filepath.ToSlash(name), len(data), data)
		return err
	}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name == built:
			return filepath.SkipDir
		case strings.HasSuffix(name, ".js"), strings.HasSuffix(name, ".css"):
			return add(name)
		}
		return nil
	})
	if err == nil {
		err = add(client)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}
