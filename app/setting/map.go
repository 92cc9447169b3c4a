package setting

import (
	"fmt"
	"maps"
	"slices"

	"github.com/alecthomas/kong"
)

// Read sets the fields of into, a pointer to a struct, from values by the names of their environment variables. What
// values doesn't have, or has with nothing but white space, gets its default. The environment is not read. A name that
// no field has is an error.
func Read(into any, values map[string]string) error {
	var known []string
	options := append(Mappers(), kong.Name("onrush"), kong.NoDefaultHelp(),
		kong.PostBuild(func(k *kong.Kong) error {
			for _, flag := range Of(k.Model.Node) {
				if len(flag.Envs) > 0 { // no variable has such a name
					known, flag.Tag.Envs = append(known, flag.Envs[0]), []string{"=" + flag.Envs[0]}
				}
			}
			return nil
		}),
		kong.Resolvers(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
			if len(flag.Envs) == 0 || Trimmed(values[flag.Envs[0][1:]]) == "" {
				return nil, nil //nolint:nilnil // not given
			}
			return values[flag.Envs[0][1:]], nil
		})))
	parser, err := kong.New(into, options...)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(known, name) {
			return unknown(name, known)
		}
	}
	if _, err := parser.Parse(nil); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	return nil
}
