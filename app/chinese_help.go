package main

import (
	"bytes"
	"cmp"
	_ "embed" // for the texts
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

//go:embed chinese_help.yaml
var chineseTexts []byte

// readChinese returns the texts of the help by the English ones.
func readChinese() (texts map[string]string, err error) {
	if err = yaml.Unmarshal(chineseTexts, &texts); err != nil {
		return nil, fmt.Errorf("read the help in Chinese: %w", err)
	}
	return texts, nil
}

// headings are what kong itself writes in a help.
var headings = strings.NewReplacer("Usage: ", "用法：", "\nArguments:\n", "\n参数：\n", "\nFlags:\n", "\n选项：\n",
	"\nCommands:\n", "\n命令：\n", "[flags]", "[选项]", "<command>", "<命令>")

// isChinese reports whether an environment asks for texts in Chinese.
func isChinese(lookup func(string) (string, bool)) bool {
	of := func(name string) string {
		value, _ := lookup(name)
		return value
	}
	return strings.HasPrefix(cmp.Or(of("LC_ALL"), of("LC_MESSAGES"), of("LANG")), "zh")
}

// chineseHelp gives the help in Chinese where the environment asks for it, and else changes nothing. Commands that
// only developers use have no translation, and stay English.
func chineseHelp(lookup func(string) (string, bool)) kong.Option {
	return kong.OptionFunc(func(parser *kong.Kong) error {
		if !isChinese(lookup) {
			return nil
		}
		texts, err := readChinese()
		if err != nil {
			return err
		}
		if err := kong.Help(printChinese).Apply(parser); err != nil {
			return err
		}
		return kong.PostBuild(func(parser *kong.Kong) error {
			translate(parser.Model.Node, texts)
			return nil
		}).Apply(parser)
	})
}

// translate puts texts in place of the help of a command and of the commands below it.
func translate(node *kong.Node, texts map[string]string) {
	put := func(help *string) { *help = cmp.Or(texts[*help], *help) }
	put(&node.Help)
	for _, flag := range node.Flags {
		put(&flag.Help)
	}
	for _, argument := range node.Positional {
		put(&argument.Help)
	}
	for _, child := range node.Children {
		translate(child, texts)
	}
}

// printChinese prints a help whose texts are Chinese with Chinese headings.
func printChinese(options kong.HelpOptions, ctx *kong.Context) error {
	out := ctx.Stdout
	var buffer bytes.Buffer
	ctx.Stdout = &buffer
	err := kong.DefaultHelpPrinter(options, ctx)
	ctx.Stdout = out
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(out, headings.Replace(buffer.String()))
	return err
}
