package main

import (
	"slices"

	"github.com/alecthomas/kong"

	"onrush/app/server"
	"onrush/app/setting"
)

// serverSettings are the settings of the server in a command that works on the stores itself. It takes them as serve
// does, from flags and variables of the same names, but its help doesn't list them.
type serverSettings struct {
	server.Config
}

// Help is the end of the command's help.
func (*serverSettings) Help() string {
	return "The command uses the stores and all settings of the server: set the same ONRUSH_ variables as for serve, " +
		"or pass the same flags. onrush serve --help lists them."
}

// settings returns the settings.
func (s *serverSettings) settings() *server.Config { return &s.Config }

// newParser returns the parser of the command line.
func newParser(cmd *commands, options ...kong.Option) (*kong.Kong, error) {
	options = append(options, kong.Name("onrush"), kong.Description("The order module of flash sales."),
		kong.PostBuild(hideServerSettings))
	return kong.New(cmd, append(options, setting.Mappers()...)...)
}

// hideServerSettings leaves the flags of serve out of the help and the completion of commands with serverSettings.
func hideServerSettings(parser *kong.Kong) error {
	var names []string
	for _, command := range parser.Model.Children {
		if command.Name == "serve" {
			for _, flag := range command.Flags {
				names = append(names, flag.Name)
			}
		}
	}
	for _, command := range parser.Model.Children {
		if _, ok := command.Target.Addr().Interface().(interface{ settings() *server.Config }); !ok {
			continue
		}
		for _, flag := range command.Flags {
			flag.Hidden = flag.Hidden || len(flag.Envs) > 0 && slices.Contains(names, flag.Name)
		}
	}
	return nil
}

// forManual prepares a command and those below it for the manual page: without hidden flags, and with the end of its
// help where the rest of it is.
func forManual(node *kong.Node) {
	node.Flags = slices.DeleteFunc(node.Flags, func(flag *kong.Flag) bool { return flag.Hidden })
	if node.Detail != "" {
		node.Help, node.Detail = node.Help+" "+node.Detail, ""
	}
	for _, child := range node.Children {
		forManual(child)
	}
}
