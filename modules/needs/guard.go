package needs

import (
	"context"
	"fmt"
	"slices"

	"onrush/modules/problem"
)

// Build is the build of an instance.
type Build struct {
	Instance, Version string
	Abilities         []string
}

// Fleet returns the builds of all instances that have reported lately, also of those that seem lost: they may go on.
type Fleet interface {
	Builds(ctx context.Context) ([]Build, error)
}

// Check returns nil if all instances have the abilities of a set, or a conflict that names an instance without. An
// empty set asks nobody.
func Check(ctx context.Context, of Fleet, s Set) error {
	lacking, err := Lacking(ctx, of, s)
	switch {
	case err != nil:
		return err
	case lacking != "":
		return problem.Errorf(problem.CodeConflict, "%s. Stop or upgrade it, and try again.", lacking)
	}
	return nil
}

// Lacking says which instance lacks an ability of a set; "" if none does.
func Lacking(ctx context.Context, of Fleet, s Set) (string, error) {
	if s == "" {
		return "", nil
	}
	builds, err := of.Builds(ctx)
	if err != nil {
		return "", err
	}
	for _, b := range builds {
		for _, name := range s.Names() {
			if !slices.Contains(b.Abilities, name) {
				return fmt.Sprintf("The instance %s of version %s can't sell with %s", b.Instance, b.Version, name), nil
			}
		}
	}
	return "", nil
}
