package doctor

import (
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/console"
)

var marks = map[checkup.Level]string{checkup.OK: "✓", checkup.Warning: "!", checkup.Failure: "✗"}

// show prints the finding of a check. Skipped checks share one line.
func show(o *console.Output, f checkup.Finding) {
	o.Emit("check", console.Event{"check": f.Check, "level": f.Level, "text": f.Text, "fix": f.Fix})
	if f.Level == checkup.Skipped {
		return
	}
	const indent = "\n               "
	line := fmt.Sprintf("%s %-12s %s", marks[f.Level], f.Check, strings.Join(strings.Fields(f.Text), " "))
	if f.Fix != "" {
		line += indent + "→ " + f.Fix
	}
	if f.Level == checkup.Failure {
		line = o.Strong(line)
	}
	o.Line("%s", line)
}
