package catalogue

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"onrush/modules/api"
)

// regionName returns a region as it is stored and shown: in Unicode's NFKC, without spaces around it, and with single
// spaces inside.
func regionName(region string) string {
	// Control characters are for check to refuse.
	space := func(r rune) bool { return r == ' ' || unicode.Is(unicode.Zs, r) }
	return strings.Join(strings.FieldsFunc(norm.NFKC.String(region), space), " ")
}

// regionKey returns the normal form by which regions compare: their names without regard to case and invisible
// characters.
func regionKey(region string) string {
	if isASCII(region) {
		return strings.ToLower(regionName(region))
	}
	visible := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, region)
	return norm.NFKC.String(cases.Fold().String(regionName(visible)))
}

// FoldName returns the name of goods in the form in which names compare: Unicode's NFKC, without regard to case.
func FoldName(name string) string {
	if isASCII(name) {
		return strings.ToLower(name)
	}
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(name)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// regionNames returns the names of regions.
func regionNames(regions []string) []string {
	names := make([]string, len(regions))
	for i, region := range regions {
		names[i] = regionName(region)
	}
	return names
}

// distinctRegions returns the names of stored regions, each once: points that were stored by earlier versions may have
// two spellings of one region.
func distinctRegions(regions []string) []string {
	names := make([]string, 0, len(regions))
	seen := make(map[string]bool, len(regions))
	for _, name := range regionNames(regions) {
		if key := regionKey(name); !seen[key] {
			seen[key] = true
			names = append(names, name)
		}
	}
	return names
}

// Claim is a region, and the stock points that serve it, by their ids. Goods are sent from the first point that sells
// them.
type Claim struct {
	Region string   `json:"region"`
	Points []string `json:"point_ids"`
}

// ClaimsAfter lists the regions with the stock points that serve them, by region, as they were at most a second ago:
// all, or only those that several points claim.
func (c *Catalogue) ClaimsAfter(ctx context.Context, shared bool, page After) (api.List[Claim], error) {
	list := api.List[Claim]{PageSize: page.Size}
	set, err := c.pointSet(ctx)
	if err != nil {
		return list, err
	}
	for _, region := range behind(set.regions, page.Text) {
		claim := set.claims[regionKey(region)]
		if shared && len(claim.Points) < 2 {
			continue
		}
		if len(list.Items) == page.Size {
			list.NextCursor = list.Items[page.Size-1].Region
			break
		}
		list.Items = append(list.Items, *claim)
	}
	return list, nil
}

// Claims returns all regions that stock points serve, each with its points, as they were at most a second ago.
func (c *Catalogue) Claims(ctx context.Context) ([]Claim, error) {
	set, err := c.pointSet(ctx)
	if err != nil {
		return nil, err
	}
	claims := make([]Claim, len(set.regions))
	for i, region := range set.regions {
		claims[i] = *set.claims[regionKey(region)]
	}
	return claims, nil
}

// SharedRegions returns at most `most` regions that several of the stock points claim for which serves returns true,
// each with these points.
func (c *Catalogue) SharedRegions(ctx context.Context, serves func(point string) bool, most int) ([]Claim, error) {
	set, err := c.pointSet(ctx)
	if err != nil {
		return nil, err
	}
	var shared []Claim
	for _, region := range set.regions {
		claim := Claim{Region: region}
		for _, id := range set.claims[regionKey(region)].Points {
			if serves(id) {
				claim.Points = append(claim.Points, id)
			}
		}
		if len(claim.Points) > 1 {
			shared = append(shared, claim)
		}
		if len(shared) == most {
			break
		}
	}
	return shared, nil
}

// PointFor returns the point that serves a region, among those for which serves returns true (nil means all), and
// whether there is one. Of several such points it returns the point with the lowest id. Regions that differ only in
// case, spaces or width are the same region.
func (c *Catalogue) PointFor(ctx context.Context, region string, serves func(point string) bool) (Point, bool, error) {
	set, err := c.pointSet(ctx)
	if err != nil {
		return Point{}, false, err
	}
	p, found := set.pointFor(region, serves)
	return p, found, nil
}

// pointFor returns the point with the lowest id that serves a region, among those for which serves is true; nil is all.
func (set *pointSet) pointFor(region string, serves func(point string) bool) (Point, bool) {
	if claim := set.claims[regionKey(region)]; claim != nil {
		for _, id := range claim.Points {
			if serves == nil || serves(id) {
				return set.byID[id], true
			}
		}
	}
	return Point{}, false
}
