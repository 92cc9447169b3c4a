package mixin

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

const (
	// Docs stands for the address of the documentation in the files of the rules.
	Docs = "https://onrush.example/"
	// page has the sections of the rules, by their headings.
	page = "docs/operating/alerts.md"
)

type alertFile struct {
	Groups []alertGroup `yaml:"groups"`
}

type alertGroup struct {
	Name     string `yaml:"name"`
	Interval string `yaml:"interval"`
	Rules    []rule `yaml:"rules"`
}

// rule is a record, which has a name and an expression only, or an alert.
type rule struct {
	Record      string            `yaml:"record,omitempty"`
	Alert       string            `yaml:"alert,omitempty"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for,omitempty"`
	Labels      map[string]string `yaml:"labels,omitempty"`
	Annotations map[string]string `yaml:"annotations,omitempty"`
}

// Alerts returns the rules as a rule file of Prometheus. docs is where the documentation is read, with a slash at its
// end: of this repository, or of a copy of yours.
func Alerts(s Speed, docs string) ([]byte, error) {
	group := alertGroup{Name: "onrush", Interval: max(15*time.Second/time.Duration(s), time.Second).String()}
	for _, r := range Records(s) {
		group.Rules = append(group.Rules, rule{Record: r.Name, Expr: r.Expr})
	}
	for _, r := range Rules(s) {
		group.Rules = append(group.Rules, rule{
			Alert: r.Name, Expr: r.Expr, For: write(r.For),
			Labels: map[string]string{"severity": string(r.Severity)},
			Annotations: map[string]string{
				"summary": r.Summary, "command": commands[r.Name], "runbook_url": docs + page + "#" + anchor(r.Section),
			},
		})
	}
	var out bytes.Buffer
	out.WriteString("# Written by go generate from alerts.go.\n")
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(alertFile{[]alertGroup{group}}); err != nil {
		return nil, fmt.Errorf("write the alerts: %w", err)
	}
	return out.Bytes(), nil
}

// anchor returns the anchor of a heading in Markdown.
func anchor(heading string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(heading), "'", ""), " ", "-")
}
