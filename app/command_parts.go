package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"onrush/app/operator"
)

// confirmFlag answers the question of a command beforehand.
type confirmFlag struct {
	Yes bool `short:"y" help:"Don't ask; required with -o json."`
}

// agreed asks whether to do something, unless --yes was given.
func (f *confirmFlag) agreed(in io.Reader, out io.Writer, asJSON bool, format string, args ...any) error {
	switch {
	case f.Yes:
		return nil
	case asJSON:
		return errNotConfirmed
	}
	_, _ = fmt.Fprintf(out, format+"\n", args...)
	if !confirmed(in, out) {
		return errNotConfirmed
	}
	return nil
}

// opened calls read with a file; - is standard input.
func opened(path string, in io.Reader, read func(io.Reader) error) error {
	err := func() error {
		if path == "-" {
			return read(in)
		}
		f, err := os.Open(path) //nolint:gosec // the operator names the file
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		return read(f)
	}()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// number returns a number as the API has it, from a cell of a file of this program, where an apostrophe before it keeps
// spreadsheets from changing it.
func number(cell string) string { return strings.TrimPrefix(cell, "'") }

// show prints what a route shows, as JSON or as the file of a list, the field id first.
func (c *calling) show(ctx context.Context, out io.Writer, path, id string) error {
	if c.json() {
		return printOne(ctx, c.client(), out, path)
	}
	var shown map[string]any
	if err := c.client().Get(ctx, path, &shown); err != nil {
		return err
	}
	return operator.WriteItem(out, shown, id)
}

// put stores the items of a file and prints them; the field id names an item.
func (c *calling) put(ctx context.Context, in io.Reader, out io.Writer, file, path, id string) error {
	var items []operator.Item
	err := opened(file, in, func(r io.Reader) (err error) {
		items, err = operator.ReadItems(r, id)
		return err
	})
	if err != nil {
		return err
	}
	stored, err := c.client().PutItems(ctx, path, items)
	if err != nil {
		return err
	}
	if c.json() {
		return operator.WriteJSON(out, stored)
	}
	for _, item := range items {
		if _, err := fmt.Fprintf(out, "%s is stored.\n", item.ID); err != nil {
			return err
		}
	}
	return nil
}

// deleteItem deletes what a path and an id name, after a question.
func deleteItem(
	ctx context.Context, client *operator.Client, in io.Reader, out io.Writer, ask *confirmFlag, path, id string,
) error {
	if err := ask.agreed(in, out, false, "%s will be deleted.", id); err != nil {
		return err
	}
	if err := client.Call(ctx, http.MethodDelete, path+"/"+url.PathEscape(id), "", nil, nil); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%s is deleted.\n", id)
	return err
}

// withKey adds the key of a request to an error after which the request may have been carried out.
func withKey(err error, key string) error {
	if err == nil || errors.As(err, new(*operator.Refusal)) {
		return err
	}
	return fmt.Errorf("%w\nIf you repeat it, pass --key=%s, so that it is done once", err, key)
}

// printSecret prints the secret that an answer has, or with -o json the answer, unless err says that there is none.
func (f *outputFlag) printSecret(out io.Writer, answer json.RawMessage, err error) error {
	switch {
	case err != nil:
		return err
	case f.json():
		return operator.WriteJSON(out, answer)
	}
	var made struct {
		Secret string `json:"secret"`
	}
	if err := json.Unmarshal(answer, &made); err != nil {
		return fmt.Errorf("read the secret: %w", err)
	}
	_, err = fmt.Fprintln(out, made.Secret)
	return err
}

// send calls a route that does something, and prints its answer, or with the text output what was done.
func (c *calling) send(
	ctx context.Context, out io.Writer, method, path, key string, body any, done string,
) error {
	var answer json.RawMessage
	if err := c.client().Call(ctx, method, path, key, body, &answer); err != nil {
		return err
	}
	if c.json() {
		return operator.WriteJSON(out, answer)
	}
	return line(out, done)
}

// line prints one line.
func line(out io.Writer, text string) error {
	_, err := fmt.Fprintln(out, text)
	return err
}
